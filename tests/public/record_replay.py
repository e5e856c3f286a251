#!/usr/bin/env python3
"""Records public HIP programs on the emulated GPU and replays every kernel that they launched in a
fresh process: all must give the recorded bytes again.

usage: record_replay.py GEAK_PREFIX SOURCES [--report FILE] [--only NAME]
       record_replay.py GEAK_PREFIX --built PROGRAM...

SOURCES holds check-outs of github.com/ROCm/rocm-examples and github.com/zjin-lcf/HeCBench (their
HIP-Basic, Common and src folders, in one folder or beside one another). Nothing of theirs is part of
geak; docs/public-programs.md has the outcomes. --built takes programs that are there already (the
samples, in tests/e2e/samples.sh), at their default sizes."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

# name, file below SOURCES, arguments (small sizes: the emulated GPU runs them in seconds)
PROGRAMS = [
    ("saxpy", "HIP-Basic/saxpy/main.hip", ""),
    ("matrix_multiplication", "HIP-Basic/matrix_multiplication/main.hip",
     "--A_rows 64 --A_cols 64 --B_cols 64"),
    ("moving_average", "HIP-Basic/moving_average/main.hip", ""),
    ("bit_extract", "HIP-Basic/bit_extract/main.hip", ""),
    ("dynamic_shared", "HIP-Basic/dynamic_shared/main.hip", ""),
    ("shared_memory", "HIP-Basic/shared_memory/main.hip", ""),
    ("warp_shuffle", "HIP-Basic/warp_shuffle/main.hip", ""),
    ("device_globals", "HIP-Basic/device_globals/main.hip", ""),
    ("streams", "HIP-Basic/streams/main.hip", ""),
    ("cooperative_groups", "HIP-Basic/cooperative_groups/main.hip", ""),
    ("adjacent", "src/adjacent-hip/main.cu", "20000 2"),
    ("attention", "src/attention-hip/main.cu", "256 64 0 2"),
    ("bincount", "src/bincount-hip/main.cu", "20000 2"),
    ("entropy", "src/entropy-hip/main.cu", "64 64 2"),
    ("floydwarshall", "src/floydwarshall-hip/main.cu", "64 2 16"),
    ("gelu", "src/gelu-hip/main.cu", "2 64 64 2"),
    ("interval", "src/interval-hip/main.cu", "0 2"),
    ("michalewicz", "src/michalewicz-hip/main.cu", "20000 2"),
    ("murmurhash3", "src/murmurhash3-hip/murmurhash3.cu", "500 2"),
    ("pathfinder", "src/pathfinder-hip/main.cu", "2000 40 5"),
    ("popcount", "src/popcount-hip/main.cu", "8192 2"),
    ("relu", "src/relu-hip/main.cu", "20000 2"),
    ("rmsnorm", "src/rmsnorm-hip/main.cu", "4 512 2"),
    ("softmax", "src/softmax-hip/main.cu", "200 100 0 2"),
]


def find(sources, file):
    for folder in [sources] + [os.path.join(sources, name) for name in os.listdir(sources)]:
        path = os.path.join(folder, file)
        if os.path.isfile(path):
            return path
    return None


def build(source, program):
    folder = os.path.dirname(source)
    common = os.path.normpath(os.path.join(folder, "..", "..", "Common"))
    command = ["hipcc", "-O3", "-std=c++17", "--offload-arch=gfx90a", "-I", folder, "-I", common,
               "-x", "hip", source, "-o", program]
    return subprocess.run(command, capture_output=True, text=True)


def symbols_of(archive, geak_replay, environment, folder):
    """The kernels that the archive holds: the replayer names them where it is asked for none."""
    path = os.path.join(folder, "list.json")
    with open(path, "w") as file:
        json.dump({"archive": archive, "kernel": "?"}, file)
    held = subprocess.run([geak_replay, path], capture_output=True, text=True, env=environment)
    reason = json.loads(held.stdout)["reason"]
    mark = "it has launches of "
    return reason[reason.index(mark) + len(mark):].split(", ") if mark in reason else []


def replay(archive, kernel, geak_replay, environment, folder):
    path = os.path.join(folder, "spec.json")
    with open(path, "w") as file:
        json.dump({"archive": archive, "kernel": kernel}, file)
    held = subprocess.run([geak_replay, path], capture_output=True, text=True, env=environment,
                          timeout=300)
    result = json.loads(held.stdout)
    exact = result["accepted"] and not result["notes"]
    return exact, result["reason"] if not result["accepted"] else "; ".join(result["notes"])


def outcome_of_program(prefix, program, arguments, folder):
    archive = os.path.join(folder, "a.geakrec")
    record = [os.path.join(prefix, "bin/geak"), "record", "--arch", "gfx90a", "-o", archive, "--",
              program] + arguments.split()
    try:
        ran = subprocess.run(record, capture_output=True, text=True, timeout=300, cwd=folder)
    except subprocess.TimeoutExpired:
        return None, "takes longer than 300 s on the emulated GPU"
    if ran.returncode or not os.path.exists(archive):
        return None, f"ends with code {ran.returncode}: {ran.stderr.strip()[-200:]}"
    environment = {**os.environ, "TMPDIR": folder,
                   "LD_LIBRARY_PATH": os.path.join(prefix, "lib/geak/emulator")}
    geak_replay = os.path.join(prefix, "bin/geak-replay")
    kernels = symbols_of(archive, geak_replay, environment, folder)
    if not kernels:
        return None, "launches nothing that is recorded"
    wrong = []
    for kernel in kernels:
        exact, why = replay(archive, kernel, geak_replay, environment, folder)
        if not exact:
            wrong.append(f"{kernel}: {why}")
    return not wrong, "; ".join(wrong) or f"{len(kernels)} kernels, bit for bit"


def outcome_of_source(prefix, source, arguments):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        compiled = build(source, program)
        if compiled.returncode:
            lines = [line for line in compiled.stderr.splitlines() if "error" in line]
            return None, "does not compile: " + (lines or ["?"])[0]
        return outcome_of_program(prefix, program, arguments, folder)


def replay_built(prefix, programs):
    """Whether all of them replay."""
    good = True
    for program in programs:
        with tempfile.TemporaryDirectory() as folder:
            exact, text = outcome_of_program(prefix, os.path.abspath(program), "", folder)
        print(f"{os.path.basename(program)}: {text}", flush=True)
        good = good and exact is True
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix")
    parser.add_argument("sources", nargs="?")
    parser.add_argument("--built", nargs="+", metavar="PROGRAM")
    parser.add_argument("--report")
    parser.add_argument("--only")
    options = parser.parse_args()
    options.prefix = os.path.abspath(options.prefix)
    if bool(options.sources) == bool(options.built):
        parser.error("give either SOURCES or --built PROGRAM...")
    if options.built:
        sys.exit(0 if replay_built(options.prefix, options.built) else 1)
    rows, replayed, failed = [], 0, 0
    for name, file, arguments in PROGRAMS:
        if options.only and options.only != name:
            continue
        source = find(options.sources, file)
        good, text = (None, "its source is not there") if not source else outcome_of_source(
            options.prefix, source, arguments)
        replayed += good is True
        failed += good is False
        state = "replays" if good else "differs" if good is False else "not tried"
        rows.append(f"| {name} | `{file}` | `{arguments}` | {state} | {text} |")
        print(f"{name}: {state}: {text}", flush=True)
    print(f"{replayed} of {len(rows)} programs replay bit for bit, {failed} differ")
    if options.report:
        with open(options.report, "w") as out:
            out.write("\n".join(rows) + "\n")
    sys.exit(1 if failed or (replayed < 10 and not options.only) else 0)


main()
