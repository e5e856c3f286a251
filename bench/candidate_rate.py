#!/usr/bin/env python3
"""Candidates a minute and core: what `geak optimize` tries, against a plain rebuild for each candidate.

usage: candidate_rate.py [--build GEAK] [--budget SECONDS] [--targets NAME...] OUTPUT.json

Both in seconds of processor time (user and system, of all child processes), since a shared machine's
wall time says little. `geak optimize` starts with an empty cache: recording, the baseline and every
full judgement are in its time. A plain rebuild is the sample's own build by
`hipcc` after its object is gone, and one run of the program on the emulated GPU; the least of three."""
import argparse
import datetime
import json
import os
import pathlib
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGETS = ("three_nn", "histogram", "convolution")
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def cpu_seconds(command, **options):
    """Processor time of the command and its children, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime), done.stdout


def make_samples(folder, geak):
    """Two of the sets as one project, and its unswapped twin, as the target geak-optimize does."""
    source, build = folder / "source", folder / "build"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\nproject(samples LANGUAGES CXX)\n" + "".join(
            f"add_subdirectory({ROOT}/samples/{name} {name})\n"
            for name in ("applications", "mmcv_ops")))
    subprocess.run(["cmake", "-S", source, "-B", build, "-G", "Ninja",
                    "-DCMAKE_CXX_COMPILER=hipcc", f"-Dgeak_DIR={geak}/lib/cmake/geak"],
                   check=True, **QUIET)
    twin = build / "geak" / "original"
    subprocess.run(["cmake", "-S", source, "-B", twin, "-G", "Ninja", "-C",
                    build / "geak" / "original-cache.cmake", "-DGEAK_SWAP=OFF"], check=True, **QUIET)
    return build, twin


def plain_seconds(twin, target, geak):
    """Of building the program once more, and of running it."""
    def once():
        for made in twin.glob(f"*/CMakeFiles/{target}.dir/**/*.o"):
            made.unlink()
        built, _ = cpu_seconds(["ninja", "-C", twin, target])
        ran, _ = cpu_seconds([geak / "bin/geak", "run", "--", next(twin.glob(f"*/{target}"))])
        return built, ran

    return min((once() for _ in range(3)), key=sum)


def rate_of(build, twin, target, options):
    built, ran = plain_seconds(twin, target, options.build)
    with tempfile.TemporaryDirectory(prefix="geak-cache.") as cache:
        spent, said = cpu_seconds([options.build / "bin/geak", "optimize", "-p", build, "--target",
                                   target, "--budget", options.budget, "--json"],
                                  env={**os.environ, "GEAK_CACHE_DIR": cache})
    kernels = json.loads(said)["kernels"]
    candidates = sum(kernel["new_trials"] for kernel in kernels)
    if not candidates:
        raise SystemExit(f"{target}: no candidate was tried: {said}")
    plain, own = 60 / (built + ran), 60 * candidates / spent
    return {"target": target, "candidates": candidates, "cpu_seconds": round(spent, 2),
            "trials": [kernel["trials"] for kernel in kernels],
            "plain_build_seconds": round(built, 2), "plain_run_seconds": round(ran, 2),
            "candidates_a_minute": round(own, 1), "plain_a_minute": round(plain, 1),
            "ratio": round(own / plain, 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--budget", type=float, default=300, help="seconds for each kernel")
    parser.add_argument("--targets", nargs="*", default=TARGETS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="geak-bench.") as folder:
        build, twin = make_samples(pathlib.Path(folder), options.build)
        results = [rate_of(build, twin, target, options) for target in options.targets]
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True, check=True).stdout.strip()
    options.output.write_text(json.dumps({
        "benchmark": "candidate_rate", "date": datetime.date.today().isoformat(), "commit": commit,
        "cores": os.cpu_count(), "results": results}, indent=1) + "\n")
    print("| target | candidates | CPU s | a minute and core | plain: build + run s | a minute and "
          "core | ratio |\n" + "|---" * 7 + "|")
    for row in results:
        print(f"| {row['target']} | {row['candidates']} | {row['cpu_seconds']} | "
              f"{row['candidates_a_minute']} | {row['plain_build_seconds']} + "
              f"{row['plain_run_seconds']} | {row['plain_a_minute']} | {row['ratio']} |")


if __name__ == "__main__":
    main()
