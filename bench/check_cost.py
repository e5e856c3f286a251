#!/usr/bin/env python3
"""What `geak check` costs: processor time of the sample programs, plain and under each check.

usage: check_cost.py [--rounds N] EMULATOR_FOLDER PROGRAMS_FOLDER OUT.json

EMULATOR_FOLDER holds libhsa-runtime64.so.1, PROGRAMS_FOLDER the six programs of
samples/applications. Runs of all kinds alternate, so that other work on the machine meets them alike;
medians of user plus system time are kept.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys

PROGRAMS = [
    ("bitonic_sort", 131072),
    ("convolution", 1024),
    ("floyd_warshall", 192),
    ("histogram", 4194304),
    ("prefix_sum", 4194304),
]
DEFAULT = "memcheck,initcheck,racecheck,synccheck"
MODES = {
    "plain": None,
    "memcheck": "memcheck",
    "initcheck": "initcheck",
    "racecheck": "racecheck",
    "synccheck": "synccheck",
    "hazardcheck": "hazardcheck",
    "default": DEFAULT,
}


def seconds(program, size, emulator, checks):
    environment = dict(os.environ, LD_LIBRARY_PATH=str(emulator))
    if checks:
        environment["GEAK_EMU_CHECK"] = checks
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([str(program), "--size", str(size)], env=environment, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode != 0:
        sys.exit(f"{program}: exit code {run.returncode}: {run.stderr.decode(errors='replace')}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("emulator", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    results = []
    for name, size in PROGRAMS:
        times = {mode: [] for mode in MODES}
        for _ in range(options.rounds):
            for mode, checks in MODES.items():
                times[mode].append(
                    seconds(options.programs / name, size, options.emulator, checks))
        medians = {mode: round(statistics.median(each), 3) for mode, each in times.items()}
        results.append({"program": name, "size": size, "seconds": medians})
        print(name, medians, flush=True)
    options.out.write_text(json.dumps({"schema": 1, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
