#!/usr/bin/env python3
"""Scores the modelled time of the emulated MI300A against measured times.

    bench/model_score.py --geak build/bin/geak --sources FOLDER --timings mi300a-timings.csv

FOLDER holds the programs that were timed: the *.cpp files and bench_common.h of the folder
gpu_perf_scripts of the MGPUSim project, which is not part of geak. Each is built for gfx942 and run
with one iteration for each row of at least 10 us a launch and at most 4 GiB; a program that makes many
equal launches is stopped after the first of them. A row that needs more CPU time than --timeout is
left out and named. Prints a table, and Spearman's rank correlation over the rows and the median relative error
over the kernels, beside those of a naive estimate (3 us a launch plus ideal bytes at 3 TB/s).
"""

import argparse
import csv
import json
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ranks import ranks

LEAST_NS_A_LAUNCH = 10_000
MOST_BYTES = 4 << 30


def numbers(text):
    return [int(n) for n in re.findall(r"\d+", text)]


class Benchmark:
    """How a row's problem size becomes arguments, launches, ideal bytes and device memory."""

    def __init__(self, source, arguments, ideal_bytes, launches=lambda n: 1, memory=None, kernels=1):
        self.source = source
        self.arguments = arguments
        self.ideal_bytes = ideal_bytes
        self.launches = launches
        self.memory = memory or ideal_bytes
        self.kernels = kernels  # different ones an iteration


def log2(n):
    return n.bit_length() - 1


BENCHMARKS = {
    "vectoradd": Benchmark("vectoradd", lambda n: ["--size", n[0]], lambda n: 12 * n[0]),
    "memcopy_d2d": Benchmark("memcopy", lambda n: ["--size", n[0]], lambda n: n[0] << 21),
    "matrixtranspose": Benchmark(
        "matrixtranspose", lambda n: ["--size", n[0]], lambda n: 8 * n[0] * n[1]),
    "floydwarshall": Benchmark(
        "floydwarshall", lambda n: ["--nodes", n[0]], lambda n: 8 * n[0] ** 2 * n[0],
        launches=lambda n: n[0], memory=lambda n: 8 * n[0] ** 2),
    "fir": Benchmark("fir", lambda n: ["--length", n[0], "--taps", n[1]], lambda n: 8 * n[0]),
    "bitonicsort": Benchmark(
        "bitonicsort", lambda n: ["--size", n[0]],
        lambda n: 8 * n[0] * (log2(n[0]) * (log2(n[0]) + 1) // 2),
        launches=lambda n: log2(n[0]) * (log2(n[0]) + 1) // 2, memory=lambda n: 4 * n[0]),
    "kmeans": Benchmark(
        "kmeans", lambda n: ["--points", n[0], "--features", n[1], "--clusters", n[2]],
        lambda n: 4 * n[0] * (n[1] + 1)),
    "atax": Benchmark(
        "atax", lambda n: ["--size", n[0]], lambda n: 8 * n[0] ** 2, launches=lambda n: 2,
        memory=lambda n: 4 * n[0] ** 2, kernels=2),
    "relu": Benchmark("relu", lambda n: ["--size", n[0]], lambda n: 8 * n[0]),
    "stencil2d": Benchmark(
        "stencil2d", lambda n: ["--size", n[0]], lambda n: 8 * n[0] * n[1]),
    "spmv_csr_scalar": Benchmark(
        "spmv", lambda n: ["--rows", n[0], "--nnz", n[2] // n[0]], lambda n: 8 * n[2] + 12 * n[0]),
    "nbody": Benchmark("nbody", lambda n: ["--bodies", n[0]], lambda n: 80 * n[0]),
}


def build(source, folder, output):
    """With clang 19 and device libraries for gfx942: what hipcc of a ROCm that knows it would do."""
    program = output / source
    file = folder / f"{source}.cpp"
    if not program.exists() or program.stat().st_mtime < file.stat().st_mtime:
        libraries = Path(os.environ.get("GEAK_BITCODE_942", "build/tests/programs/bitcode942"))
        if not (libraries / "oclc_isa_version_942.bc").exists():
            sys.exit(f"{libraries} has no device libraries for gfx942: build the target "
                     "geak_gfx942_libraries, or name their folder by GEAK_BITCODE_942")
        subprocess.run(
            ["/usr/lib/llvm-19/bin/clang++", "-x", "hip", "--offload-arch=gfx942", "-mcode-object-version=4",
             f"--rocm-device-lib-path={libraries}", "-O2", "-w", file, "-o", program,
             "-lamdhip64"], check=True)
    return program


class Run:
    """One program on the emulated MI300A."""

    def __init__(self, geak, program, arguments, folder, timeout):
        self.counters = folder / "counters.jsonl"
        self.counters.unlink(missing_ok=True)
        self.deadline = time.monotonic() + 20 * timeout
        self.output = folder / "output"
        with open(self.output, "w") as out:
            self.process = subprocess.Popen(
                [geak, "run", "--arch", "gfx942", "--device", "MI300A", "--counters", self.counters,
                 "--", program, "--iterations", "1"] + [str(a) for a in arguments],
                stdout=out, stderr=subprocess.STDOUT,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (timeout, timeout + 5)))

    def wait(self, done):
        """True when the program has ended or done(); stops it when the time is up."""
        while self.process.poll() is None:
            if done() or time.monotonic() > self.deadline:
                self.process.kill()
                self.process.wait()
                return done()
            time.sleep(0.05)
        return True

    def launches(self):
        if not self.counters.exists():
            return []
        with open(self.counters) as lines:
            found = [json.loads(line) for line in lines if line.endswith("\n")]
        return [line for line in found if not line["kernel"].startswith("__amd_rocclr_")]

    def printed_ms(self, kernel):
        for line in self.output.read_text().splitlines():
            if line.startswith(kernel + ","):
                return float(line.split(",")[3])
        return None


def modelled_ms(options, kernel, benchmark, sizes, folder):
    """(ms, bound) or (None, why not)."""
    program = build(benchmark.source, options.sources, options.output)
    launches = benchmark.launches(sizes)
    run = Run(options.geak, program, benchmark.arguments(sizes), folder, options.timeout)
    many = launches > options.launches * benchmark.kernels
    # Of many launches the first ones stand for all.
    enough = (lambda: len(run.launches()) >= options.launches) if many else (lambda: False)
    if not run.wait(enough):
        return None, "too long"
    lines = run.launches()
    if run.process.returncode != 0 and not enough():
        return None, "too long" if run.process.returncode == -signal.SIGXCPU else "failed"
    bound = max(lines, key=lambda line: line["modelled_ns"])["bound"] if lines else "copy"
    if many:
        first = lines[: options.launches]
        return sum(l["modelled_ns"] for l in first) / len(first) * launches / 1e6, bound
    printed = run.printed_ms(kernel)
    return (printed, bound) if printed is not None else (None, "no result")


def spearman(a, b):
    if len(a) < 3:
        return float("nan")
    return statistics.correlation(ranks(a), ranks(b))


def summary(rows, key):
    errors = {}
    for row in rows:
        errors.setdefault(row["kernel"], []).append(
            abs(row[key] - row["measured_ms"]) / row["measured_ms"])
    medians = {kernel: statistics.median(values) for kernel, values in errors.items()}
    return {
        "spearman": spearman([r[key] for r in rows], [r["measured_ms"] for r in rows]),
        "median_error": statistics.median(medians.values()),
        "median_error_rows": statistics.median(e for values in errors.values() for e in values),
        "kernels": medians,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--geak", default="build/bin/geak")
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--timings", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=Path(tempfile.gettempdir()) / "geak-model-score",
                        help="where programs are built")
    parser.add_argument("--only", help="comma-separated kernels")
    parser.add_argument("--timeout", type=int, default=20, help="CPU seconds a row")
    parser.add_argument("--launches", type=int, default=12,
                        help="of a program with more equal launches, how many are run")
    parser.add_argument("--json", type=Path, help="write rows and summary here")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    only = options.only.split(",") if options.only else None
    rows, left_out = [], []
    with open(options.timings) as file:
        timings = list(csv.DictReader(file))
    for timing in timings:
        kernel, sizes = timing["kernel_name"], numbers(timing["problem_size"])
        if kernel not in BENCHMARKS or (only and kernel not in only):
            continue
        benchmark = BENCHMARKS[kernel]
        measured, launches = float(timing["avg_ms"]), benchmark.launches(sizes)
        if measured * 1e6 / launches < LEAST_NS_A_LAUNCH or benchmark.memory(sizes) > MOST_BYTES:
            continue
        with tempfile.TemporaryDirectory() as folder:
            ms, bound = modelled_ms(options, kernel, benchmark, sizes, Path(folder))
        name = f"{kernel} {timing['problem_size']}"
        if ms is None:
            left_out.append(f"{name}: {bound}")
            continue
        naive = launches * 3e-3 + benchmark.ideal_bytes(sizes) / 3e9
        rows.append({"kernel": kernel, "size": timing["problem_size"], "measured_ms": measured,
                     "modelled_ms": ms, "naive_ms": naive, "bound": bound})
        print(f"{name:48} measured {measured:10.4f}  modelled {ms:10.4f}  {ms / measured:6.2f}  "
              f"naive {naive / measured:6.2f}  {bound}", flush=True)
    if not rows:
        sys.exit("no row was run")
    result = {"rows": rows, "left_out": left_out,
              "modelled(gfx942)": summary(rows, "modelled_ms"), "naive": summary(rows, "naive_ms")}
    print(f"\n{len(rows)} rows; left out: {'; '.join(left_out) or 'none'}")
    for name in ("modelled(gfx942)", "naive"):
        s = result[name]
        print(f"{name}: Spearman {s['spearman']:.3f}, median error over kernels "
              f"{s['median_error']:.0%}, over rows {s['median_error_rows']:.0%}, worst kernel "
              f"{max(s['kernels'], key=s['kernels'].get)} {max(s['kernels'].values()):.0%}")
        print("  " + ", ".join(f"{k} {v:.0%}" for k, v in s["kernels"].items()))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
