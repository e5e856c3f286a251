#!/usr/bin/env python3
"""Programs on the emulated GPU against the same ones by HIP-CPU, which compiles kernels for the host.

usage: hip_cpu.py HIP_CPU [--geak GEAK] [--samples N] [--only NAME] [--json FILE]

HIP_CPU is a check-out of github.com/ROCm/HIP-CPU, which is not part of geak; it needs g++ and libtbb-dev. The
time is the host's from the first launch to the end of the last kernel, without the start of the runtimes,
as bench/hip_cpu/wall_timer.h takes it: of N runs, in turn, the least."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLES = os.path.join(ROOT, "samples", "applications")
OWN = os.path.join(ROOT, "bench", "hip_cpu")
# name, folder of the source, size, whether its kernels have barriers
PROGRAMS = [
    ("bitonic_sort", SAMPLES, 65536, False),
    ("convolution", SAMPLES, 1024, False),
    ("floyd_warshall", SAMPLES, 192, False),
    ("histogram", SAMPLES, 1048576, True),
    ("monte_carlo_pi", SAMPLES, 1048576, True),
    ("prefix_sum", SAMPLES, 262144, True),
    ("saxpy", OWN, 1048576, False),
    ("tiled_gemm", OWN, 256, True),
]


def top_level_commas(text):
    depth = count = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        count += character == "," and depth == 0
    return count


def without_chevrons(text):
    """Launches as calls: g++ knows no <<< >>>."""
    def call(match):
        missing = ["0", "nullptr"][top_level_commas(match[2]) - 1:]
        return f"hipLaunchKernelGGL(({match[1]}), {', '.join([match[2]] + missing)}, "
    return re.sub(r"([A-Za-z_]\w*(?:<[^<>;]*>)?)\s*<<<(.*?)>>>\s*\(", call, text, flags=re.S)


def copy_program(name, origin, folder):
    """The source with the host's clock in place of events."""
    source = os.path.join(SAMPLES, name, "main.hip") if origin == SAMPLES else os.path.join(
        OWN, name + ".hip")
    for part in ("common", name):
        os.makedirs(os.path.join(folder, part), exist_ok=True)
    shutil.copy(os.path.join(OWN, "wall_timer.h"), os.path.join(folder, "common"))
    with open(os.path.join(SAMPLES, "common", "sample.h")) as file:
        header = file.read()
    with open(os.path.join(folder, "common", "sample.h"), "w") as file:
        file.write(header + '\n#include "wall_timer.h"\n#define EventTimer WallTimer\n')
    with open(source) as file:
        text = file.read()
    plain, calls = (os.path.join(folder, name, file) for file in ("main.hip", "main.cpp"))
    with open(plain, "w") as file:
        file.write(text)
    with open(calls, "w") as file:
        file.write(without_chevrons(text))
    return plain, calls


def build(command):
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode:
        sys.exit(f"{' '.join(command)}:\n{built.stderr[-2000:]}")


def timed(command):
    """Wall and processor milliseconds of the kernels, summed over the program's cases, and whether
    the program found its results right."""
    ran = subprocess.run(command, capture_output=True, text=True)
    found = re.findall(r"^timed ([\d.]+) ([\d.]+)$", ran.stderr, re.M)
    wrong = ran.returncode == 1 and "FAIL" in ran.stdout
    if not found or (ran.returncode and not wrong):
        sys.exit(f"{' '.join(command)}: exit code {ran.returncode}\n{ran.stdout[-500:]}{ran.stderr[-500:]}")
    return sum(float(wall) for wall, _ in found), sum(float(cpu) for _, cpu in found), not wrong


def measure(options, name, origin, size, folder):
    plain, calls = copy_program(name, origin, folder)
    gpu, cpu = os.path.join(folder, name + ".gpu"), os.path.join(folder, name + ".cpu")
    build(["hipcc", "-O3", "-std=c++17", "--offload-arch=gfx90a", plain, "-o", gpu])
    build(["g++", "-std=c++17", "-O3", "-march=native", "-w", "-I",
           os.path.join(options.hip_cpu, "include"), calls, "-o", cpu, "-ltbb", "-pthread"])
    sized = ["--size", str(size)]
    runs = {"geak": [options.geak, "run", "--", gpu] + sized, "hip_cpu": [cpu] + sized}
    best, wrong = {}, dict.fromkeys(runs, 0)
    for _ in range(options.samples):
        for side, command in runs.items():
            wall, processor, right = timed(command)
            wrong[side] += not right
            old = best.get(side, (wall, processor))
            best[side] = (min(wall, old[0]), min(processor, old[1]))
    if wrong["geak"]:
        sys.exit(f"{name}: wrong results on the emulated GPU in {wrong['geak']} runs")
    return best, wrong["hip_cpu"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hip_cpu", type=os.path.abspath)
    parser.add_argument("--geak", default=os.path.join(ROOT, "build", "bin", "geak"))
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--only")
    parser.add_argument("--json", help="raw results")
    options = parser.parse_args()
    if not os.path.isfile(os.path.join(options.hip_cpu, "include", "hip", "hip_runtime.h")):
        sys.exit(f"{options.hip_cpu} is no check-out of HIP-CPU: it has no include/hip/hip_runtime.h")
    rows = []
    print("| program | size | barriers | emulated wall ms | HIP-CPU wall ms | ratio | emulated cpu ms | "
          "HIP-CPU cpu ms | ratio | HIP-CPU wrong |\n|---|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, origin, size, barriers in PROGRAMS:
            if options.only not in (None, name):
                continue
            best, wrong = measure(options, name, origin, size, folder)
            (wall, processor), (host_wall, host_processor) = best["geak"], best["hip_cpu"]
            rows.append({"program": name, "size": size, "barriers": barriers, "geak": best["geak"],
                         "hip_cpu": best["hip_cpu"], "hip_cpu_wrong": wrong})
            print(f"| {name} | {size} | {'yes' if barriers else 'no'} | {wall:.1f} | {host_wall:.1f} | "
                  f"{wall / host_wall:.2f} | {processor:.1f} | {host_processor:.1f} | "
                  f"{processor / host_processor:.2f} | {wrong} of {options.samples} |", flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)


main()
