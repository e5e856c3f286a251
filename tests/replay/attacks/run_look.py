#!/usr/bin/env python3
"""Several candidates of one kernel at a glance: the honest ones fit and have a time, the wrong one and
the one that faults do not, and neither costs the others their look.

usage: run_look.py ARCHIVE GEAK_REPLAY EMULATOR_FOLDER"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = [("honest/smooth_two_each", True), ("cases/24_far_memory", False),
         ("cases/19_nan", False), ("honest/smooth_lds", True), ("honest/smooth_other_order", True)]


def header(text, name):
    found = re.search(rf"^// {name}: (.*)$", text, re.M)
    return found.group(1) if found else None


def main():
    archive, replay, emulator = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        candidates = []
        for name, _ in CASES:
            case = os.path.join(HERE, name + ".hip")
            text = open(case).read()
            bundle = os.path.join(folder, os.path.basename(name) + ".bundle")
            subprocess.run(["hipcc", "-O3", "--offload-arch=gfx90a", "--genco", "-include",
                            "hip/hip_runtime.h", "-include", os.path.join(HERE, "originals.h"),
                            case, "-o", bundle], check=True)
            spec = json.loads(header(text, "spec") or "{}")
            candidates.append({"code_object": bundle, "kernel": "candidate",
                               "launch_change": spec.get("launch_change", {})})
        environment = {**os.environ, "LD_LIBRARY_PATH": emulator, "TMPDIR": folder}
        looks = []
        while len(looks) < len(candidates):
            path = os.path.join(folder, "spec.json")
            with open(path, "w") as file:
                json.dump({"trial": {"archive": archive, "kernel": "smooth"},
                           "candidates": candidates[len(looks):]}, file)
            held = subprocess.run([replay, "--look", path], capture_output=True, text=True,
                                  env=environment)
            found = [json.loads(line) for line in held.stdout.splitlines()]
            if held.returncode != 0 or not found:
                sys.exit(f"the look was not held: {held.stdout}\n{held.stderr}")
            looks += found
    for look in looks:
        print(json.dumps(look))
    expected = [fits for _, fits in CASES]
    if [look["fits"] for look in looks] != expected:
        sys.exit(f"expected {expected}")
    if any(look["fits"] and look["gain"] <= 0 for look in looks):
        sys.exit("a candidate that fits has no time")


main()
