#!/usr/bin/env python3
"""Several candidates of one kernel at a glance: the honest ones fit and have a time, the wrong one and
the one that faults do not, and neither costs the others their look. A sample of workgroups that the environment
asks for changes nothing of that; one that the look asks for gives times alone.

usage: run_look.py ARCHIVE GEAK_REPLAY EMULATOR_FOLDER"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# kernel: cases, and whether each fits. What a judgement accepts must never be lost at a glance.
CASES = {
    "smooth": [("honest/smooth_two_each", True), ("cases/24_far_memory", False),
               ("cases/19_nan", False), ("honest/smooth_lds", True),
               ("honest/smooth_other_order", True)],
    "matvec": [("honest/matvec_four_sums", True), ("honest/matvec_the_same", True)],
    "row_sum": [("honest/row_sum_kahan", True), ("honest/row_sum_sequential", True)],
    "exponential": [("honest/exponential_of_two", True)],
}


def header(text, name):
    found = re.search(rf"^// {name}: (.*)$", text, re.M)
    return found.group(1) if found else None


def look_at(kernel, cases, archive, replay, emulator, folder, sample=0):
    candidates = []
    for name, _ in cases:
        case = os.path.join(HERE, name + ".hip")
        text = open(case).read()
        bundle = os.path.join(folder, os.path.basename(name) + ".bundle")
        subprocess.run(["hipcc", "-O3", "--offload-arch=gfx90a", "--genco", "-include",
                        "hip/hip_runtime.h", "-include", os.path.join(HERE, "originals.h"),
                        case, "-o", bundle], check=True)
        spec = json.loads(header(text, "spec") or "{}")
        candidates.append({"code_object": bundle, "kernel": "candidate",
                           "launch_change": spec.get("launch_change", {})})
    environment = {**os.environ, "LD_LIBRARY_PATH": emulator, "TMPDIR": folder,
                   "GEAK_EMU_SAMPLE": "8"}
    looks = []
    while len(looks) < len(candidates):
        path = os.path.join(folder, "spec.json")
        with open(path, "w") as file:
            json.dump({"trial": {"archive": archive, "kernel": kernel},
                       "candidates": candidates[len(looks):], "sample": sample}, file)
        held = subprocess.run([replay, "--look", path], capture_output=True, text=True,
                              env=environment)
        found = [json.loads(line) for line in held.stdout.splitlines()]
        if held.returncode != 0 or not found:
            sys.exit(f"the look was not held: {held.stdout}\n{held.stderr}")
        looks += found
    return looks


def main():
    archive, replay, emulator = sys.argv[1:]
    for kernel, cases in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            looks = look_at(kernel, cases, archive, replay, emulator, folder)
        for look in looks:
            print(kernel, json.dumps(look))
        expected = [fits for _, fits in cases]
        if [look["fits"] for look in looks] != expected:
            sys.exit(f"{kernel}: expected {expected}")
        if any(look["fits"] and look["gain"] <= 0 for look in looks):
            sys.exit(f"{kernel}: a candidate that fits has no time")
    with tempfile.TemporaryDirectory() as folder:
        wrong = [("cases/19_nan", True)]
        looks = look_at("smooth", wrong, archive, replay, emulator, folder, sample=8)
    if not looks[0]["fits"] or looks[0]["gain"] <= 0:
        sys.exit(f"a sample compares nothing and gives a time: {looks}")


main()
