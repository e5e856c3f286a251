#!/usr/bin/env python3
"""Records kinds.hip and replays each of its kernels: all must give the recorded bytes again.

usage: run_kinds.py HIPCC GEAK GEAK_REPLAY EMULATOR_FOLDER [FLAGS OF THE COMPILER...]"""
import json
import os
import re
import subprocess
import sys
import tempfile

hipcc, geak, replay, emulator = sys.argv[1:5]
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kinds.hip")
kernels = re.findall(r"__global__ void (\w+)\(", open(source).read())
with tempfile.TemporaryDirectory() as folder:
    program, archive = os.path.join(folder, "kinds"), os.path.join(folder, "kinds.geakrec")
    subprocess.run([hipcc, "--offload-arch=gfx90a", *sys.argv[5:], source, "-o", program], check=True)
    subprocess.run([geak, "record", "--arch", "gfx90a", "-o", archive, "--", program], check=True)
    symbols = set(re.findall(r"_Z\d+\w+(?=\.kd)", open(program, "rb").read().decode("latin-1")))
    environment = {**os.environ, "LD_LIBRARY_PATH": emulator, "TMPDIR": folder}
    failed = []
    for kernel in kernels:
        symbol = next(s for s in symbols if s.startswith(f"_Z{len(kernel)}{kernel}"))
        path = os.path.join(folder, "spec.json")
        with open(path, "w") as file:
            json.dump({"archive": archive, "kernel": symbol}, file)
        held = subprocess.run([replay, path], capture_output=True, text=True, env=environment)
        result = json.loads(held.stdout)
        print(kernel, "replays" if result["accepted"] else result["reason"])
        if not result["accepted"] or result["inputs_tried"] < 1:
            failed.append(kernel)
sys.exit(f"not replayed: {', '.join(failed)}" if failed else 0)
