#!/usr/bin/env python3
"""One candidate before the judge. The case's first lines say which kernel it stands in for, whether
it is to be accepted, or rejected as which attack, or not held and why, and what else the
specification holds. `// alone: yes`: its unit is without the originals. `// through: trial`: as
source, by `geak trial`; `// code object: yes`: its code object, by `geak trial`.

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


def included(text):
    """What the unit of a case begins with."""
    here = os.path.dirname(os.path.abspath(__file__))
    files = ["hip/hip_runtime.h"]
    if header(text, "alone") is None:
        files.append(os.path.join(here, "originals.h"))
    return [word for file in files for word in ("-include", file)]


def geak_trial(case, text, archive, replay):
    """The case as a user would try it: its source, beside the original's."""
    here = os.path.dirname(os.path.abspath(__file__))
    command = [os.path.join(os.path.dirname(replay), "geak"), "trial", "--record", archive,
               "--kernel", header(text, "kernel"), "--candidate", case, "--candidate-kernel",
               "candidate", "--json"]
    command += header(text, "options", "").split()
    if case.endswith(".hip"):
        command += ["--flag=" + word for word in included(text)]
        command += ["--original", os.path.join(here, "workload.hip")]
    held = subprocess.run(command, capture_output=True, text=True)
    expected = header(text, "expect")
    if expected.startswith("not held: "):
        words = expected.removeprefix("not held: ")
        sys.exit(0 if held.returncode == 2 and words in held.stderr else
                 f"exit code {held.returncode}, not '{words}' but:\n{held.stdout}\n{held.stderr}")
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


def compiled(case, text, folder):
    bundle = os.path.join(folder, "candidate.bundle")
    command = ["hipcc", "-O3", "--offload-arch=gfx90a", "--genco", *included(text), case, "-o",
               bundle]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"the case does not compile:\n{run.stderr}")
    return bundle


def judge(text, bundle, archive, replay, emulator, folder):
    spec = json.loads(header(text, "spec", "{}"))
    candidate = {"code_object": bundle, "kernel": "candidate", **spec.pop("candidate", {})}
    spec.update(archive=archive, kernel=header(text, "kernel"), candidate=candidate)
    path = os.path.join(folder, "spec.json")
    with open(path, "w") as file:
        json.dump(spec, file)
    # All workgroups run where results are judged, whatever the environment asks for.
    environment = {**os.environ, "LD_LIBRARY_PATH": emulator, "TMPDIR": folder,
                   "GEAK_EMU_SAMPLE": "8"}
    held = subprocess.run([replay, path], capture_output=True, text=True, env=environment)
    try:
        return json.loads(held.stdout)
    except ValueError:
        sys.exit(f"no result (exit code {held.returncode}):\n{held.stdout}\n{held.stderr}")


def main():
    case, archive, replay, emulator = sys.argv[1:]
    text = open(case).read()
    expected = header(text, "expect")
    with tempfile.TemporaryDirectory() as folder:
        check_source_gate(case, text, archive, replay)
        if header(text, "through") == "trial":
            result = geak_trial(case, text, archive, replay)
        else:
            bundle = compiled(case, text, folder)
            if header(text, "code object"):
                result = geak_trial(bundle, text, archive, replay)
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
