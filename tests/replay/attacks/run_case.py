#!/usr/bin/env python3
"""One candidate before the judge. The case's first lines say which kernel it stands in for, whether
it is to be accepted, or rejected as which attack, and what else the specification holds.

usage: run_case.py CASE.hip ARCHIVE GEAK_REPLAY EMULATOR_FOLDER"""
import json
import os
import re
import subprocess
import sys
import tempfile


def header(text, name, otherwise=None):
    found = re.search(rf"^// {name}: (.*)$", text, re.M)
    return found.group(1) if found else otherwise


def geak_trial(case, text, archive, replay):
    """The case as a user would try it: its source, beside the original's."""
    here = os.path.dirname(os.path.abspath(__file__))
    command = [os.path.join(os.path.dirname(replay), "geak"), "trial", "--record", archive,
               "--kernel", header(text, "kernel"), "--candidate", case, "--candidate-kernel",
               "candidate", "--flag=-include", "--flag=hip/hip_runtime.h", "--flag=-include",
               "--flag=" + os.path.join(here, "originals.h"), "--original",
               os.path.join(here, "workload.hip"), "--json"]
    held = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(held.stdout)
    except ValueError:
        sys.exit(f"no result of geak trial:\n{held.stdout}\n{held.stderr}")


def check_source_gate(case, text, archive, replay):
    """`// source: 4`: what the source says is refused by `geak trial` before anything runs."""
    number = header(text, "source")
    if number is None:
        return
    result = geak_trial(case, text, archive, replay)
    if result["accepted"] or number not in re.findall(r"\d+", result["attack"].split(":")[0]):
        sys.exit(f"its source is not refused as attack {number}: {json.dumps(result)}")


def judge(text, bundle, archive, replay, emulator, folder):
    spec = json.loads(header(text, "spec", "{}"))
    candidate = {"code_object": bundle, "kernel": "candidate", **spec.pop("candidate", {})}
    spec.update(archive=archive, kernel=header(text, "kernel"), candidate=candidate)
    path = os.path.join(folder, "spec.json")
    with open(path, "w") as file:
        json.dump(spec, file)
    environment = {**os.environ, "LD_LIBRARY_PATH": emulator, "TMPDIR": folder}
    held = subprocess.run([replay, path], capture_output=True, text=True, env=environment)
    try:
        return json.loads(held.stdout)
    except ValueError:
        sys.exit(f"no result (exit code {held.returncode}):\n{held.stdout}\n{held.stderr}")


def main():
    case, archive, replay, emulator = sys.argv[1:]
    text = open(case).read()
    expected = header(text, "expect")
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        bundle = os.path.join(folder, "candidate.bundle")
        command = ["hipcc", "-O3", "--offload-arch=gfx90a", "--genco", "-include",
                   "hip/hip_runtime.h", "-include", os.path.join(here, "originals.h"), case, "-o",
                   bundle]
        compiled = subprocess.run(command, capture_output=True, text=True)
        if compiled.returncode != 0:
            sys.exit(f"the case does not compile:\n{compiled.stderr}")
        check_source_gate(case, text, archive, replay)
        if header(text, "through") == "trial":
            result = geak_trial(case, text, archive, replay)
        else:
            result = judge(text, bundle, archive, replay, emulator, folder)
    result.pop("counters", None)
    print(json.dumps(result, indent=1))
    if expected == "accepted":
        sys.exit(0 if result["accepted"] else "an honest candidate was rejected")
    if result["accepted"]:
        sys.exit("the attack was accepted")
    if expected != "rejected":
        numbers = re.findall(r"\d+", result["attack"].split(":")[0])
        # "8 or 13": which of the two shows first depends on what the memory held before.
        if not set(numbers) & set(expected.split(" or ")):
            sys.exit(f"rejected, but not as attack {expected}")


main()
