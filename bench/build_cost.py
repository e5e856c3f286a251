#!/usr/bin/env python3
"""What geak costs in a build: the sample project with and without it, times and their ratios.

usage: build_cost.py [--prefix GEAK] [--samples N] [--optimize] OUTPUT.json

For Ninja and Makefiles: a build with nothing changed, and one after an edit of one source. With
--optimize the kernels are optimized before, so that variants are swapped in. Runs of both projects
alternate, so that a drift of the machine meets both.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}


def seconds(command):
    begin = time.perf_counter()
    subprocess.run(command, **QUIET)
    return time.perf_counter() - begin


def machine():
    model = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return {"cpu": model.group(1) if model else platform.machine(), "cores": os.cpu_count()}


def configure(source, build, generator, prefix):
    options = [f"-Dgeak_DIR={prefix}/lib/cmake/geak"] if prefix else \
        ["-DCMAKE_DISABLE_FIND_PACKAGE_geak=ON"]
    subprocess.run(["cmake", "-S", source, "-B", build, "-G", generator,
                    "-DCMAKE_CXX_COMPILER=hipcc", *options], **QUIET)
    subprocess.run(["cmake", "--build", build], **QUIET)


def measure(builds, samples, before=lambda: None):
    """Times of `cmake --build` of both build folders, alternating: {"geak": [...], "plain": [...]}"""
    times = {name: [] for name in builds}
    for _ in range(samples):
        for name, build in builds.items():
            before()
            times[name].append(seconds(["cmake", "--build", build]))
    return times


def summary(case, generator, times):
    median = {name: statistics.median(values) for name, values in times.items()}
    return {"case": case, "generator": generator, "seconds": times, "median_seconds": median,
            "ratio": median["geak"] / median["plain"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--prefix", default=REPOSITORY / "build", type=pathlib.Path)
    parser.add_argument("--samples", default=15, type=int)
    parser.add_argument("--optimize", action="store_true")
    arguments = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory(prefix="geak-bench.") as work:
        work = pathlib.Path(work)
        source = work / "source"
        shutil.copytree(REPOSITORY / "samples/applications", source)
        for generator in ("Ninja", "Unix Makefiles"):
            builds = {"geak": work / f"geak-{generator}", "plain": work / f"plain-{generator}"}
            configure(source, builds["geak"], generator, arguments.prefix)
            configure(source, builds["plain"], generator, None)
            if arguments.optimize:
                subprocess.run(["cmake", "--build", builds["geak"], "--target", "geak-optimize"],
                               **QUIET)
                subprocess.run(["cmake", "--build", builds["geak"]], **QUIET)
            results.append(summary("nothing changed", generator,
                                   measure(builds, arguments.samples)))
            edited = source / "histogram/main.hip"
            results.append(summary("one source edited", generator, measure(
                builds, max(3, arguments.samples // 3), edited.touch)))
    commit = subprocess.run(["git", "-C", REPOSITORY, "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True, check=True).stdout.strip()
    arguments.output.write_text(json.dumps({
        "benchmark": "build_cost", "machine": machine(), "date": str(datetime.date.today()),
        "commit": commit, "swapped": arguments.optimize,
        "command": " ".join(["bench/build_cost.py", *sys.argv[1:]]), "results": results},
        indent=1) + "\n")
    for result in results:
        print(f"{result['generator']:<16}{result['case']:<20}"
              f"{result['median_seconds']['plain']:>8.3f} s without "
              f"{result['median_seconds']['geak']:>8.3f} s with geak, ratio {result['ratio']:.3f}")


if __name__ == "__main__":
    main()
