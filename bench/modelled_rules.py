#!/usr/bin/env python3
"""What rules gain on the samples' kernels, modelled(gfx90a) beside modelled(gfx942).

    bench/modelled_rules.py [--build GEAK] [--budget SECONDS] [--sets NAME...] FOLDER

Builds the samples in FOLDER once for each architecture by clang 19, searches (`geak optimize`, at the
sizes that the samples have by default, which an emulator bears), writes
bench/results/modelled-rules.json and prints the table. What was searched before in FOLDER is kept in
its cache: a second call goes on where the first one's time ended. The two columns rest on the same
model, so they differ by what the devices differ in; neither says how long a card takes."""
import argparse
import concurrent.futures
import datetime
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import h200_floors  # noqa: E402
import launch_records  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = ("applications", "mmcv_ops", "voxelization", "swiglu")
BITCODE = pathlib.Path("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode")
# What the model takes memory to give, and the data sheets' float32 outside of matrix units, of the
# default devices (MI210, MI300X).
BYTES_PER_NS = {"gfx90a": 1638.4 * 0.8, "gfx942": 5324.8 * 0.61}
OPERATIONS_PER_NS = {"gfx90a": 22.6e3, "gfx942": 81.7e3}
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}


def run(command, **options):
    print("+", " ".join(str(word) for word in command), file=sys.stderr, flush=True)
    return subprocess.run([str(word) for word in command], **{"check": True, **options})


def device_libraries(folder):
    """Debian's stop before gfx942: a copy in which gfx90a's version became gfx942's."""
    copy = folder / "bitcode"
    if not (copy / "oclc_isa_version_942.bc").exists():
        shutil.copytree(BITCODE, copy, dirs_exist_ok=True)
        text = subprocess.run(["llvm-dis-15", copy / "oclc_isa_version_90a.bc", "-o", "-"],
                              capture_output=True, text=True, check=True).stdout
        subprocess.run(["llvm-as-15", "-o", copy / "oclc_isa_version_942.bc"],
                       input=text.replace("i32 9010", "i32 9402"), text=True, check=True)
    return copy


def make_samples(args, arch):
    source, build = args.folder / "source", args.folder / arch
    source.mkdir(parents=True, exist_ok=True)
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\nproject(samples LANGUAGES CXX)\n" + "".join(
            f"add_subdirectory({ROOT}/samples/{name} {name})\n" for name in args.sets))
    run(["cmake", "-S", source, "-B", build, "-G", "Ninja", "-DSAMPLES_HIP_LANGUAGE=ON",
         "-DCMAKE_HIP_COMPILER=/usr/bin/clang++-19", f"-DCMAKE_HIP_ARCHITECTURES={arch}",
         f"-DHIP_DEVICE_LIB_PATH={device_libraries(args.folder)}",
         f"-Dgeak_DIR={args.build}/lib/cmake/geak"], **QUIET)
    twin = build / "geak" / "original"
    run(["cmake", "-S", source, "-B", twin, "-G", "Ninja", "-C",
         build / "geak" / "original-cache.cmake", "-DGEAK_SWAP=OFF"], **QUIET)
    run(["ninja", "-C", twin], **QUIET)
    return build


def search(args, build):
    """The documents of all targets. One target after another: an interrupted call keeps the others."""
    kernels = []
    for file in sorted((build / "geak" / "targets").glob("*.json")):
        done = args.folder / f"{build.name}-{file.stem}.json"
        if not done.exists():
            said = run([args.build / "bin/geak", "optimize", "-p", build, "--target", file.stem,
                        "--budget", args.budget, "--json"], check=False,
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            done.write_bytes(said)
        kernels += json.loads(done.read_text())["kernels"]
    return kernels


def floors(args, arch, build):
    """{(program, kernel): microseconds of one run}"""
    extracted = json.loads(run([args.build / "bin/geak", "extract", "-p", build, "--json"],
                               stdout=subprocess.PIPE, check=False).stdout)
    types = {instance["symbol"]: [parameter["type"] for parameter in kernel["parameters"]]
             for kernel in extracted["kernels"] for instance in kernel["instantiations"]}
    names = {instance["symbol"]: kernel["name"]
             for kernel in extracted["kernels"] for instance in kernel["instantiations"]}
    h200_floors.OPERATIONS_PER_NS = OPERATIONS_PER_NS[arch]
    found = {}
    for archive in (build / "geak" / "records").glob("*.geakrec"):
        for symbol, launches in launch_records.launches(archive).items():
            if symbol in types:
                found[archive.stem.split(".")[0], symbol] = (names[symbol], h200_floors.floor_ns(
                    names[symbol], types[symbol], launches, BYTES_PER_NS[arch]) / 1000)
    return found


def steps_of(kernel):
    """With what each brings; a result out of the cache does not say."""
    if kernel.get("steps"):
        return [[step["transform"], round(step["ratio"], 3) if "ratio" in step else None]
                for step in kernel["steps"]]
    inner = [step["parameters"].get("steps", [step]) for step in kernel.get("recipe", [])]
    return [[step["transform"], "?"] for steps in inner for step in steps]


def side_of(kernel, floor_us):
    if kernel["outcome"] == "failed" or "original_ns" not in kernel:
        return {"outcome": kernel["outcome"], "reason": kernel["reason"]}
    original = kernel["original_ns"] / 1000
    variant = kernel.get("variant_ns", kernel["original_ns"]) / 1000
    return {"outcome": kernel["outcome"], "original_us": round(original, 2),
            "variant_us": round(variant, 2), "ratio": round(original / variant, 3),
            "floor_us": round(floor_us, 2),
            "share_before": round(floor_us / original, 4),
            "share_after": round(floor_us / variant, 4), "limiter": kernel.get("limiter", ""),
            "trials": kernel["trials"], "verification": kernel.get("verification", ""),
            "steps": steps_of(kernel)}


def set_of(kernel):
    """The samples' folder that the kernel's source lies in."""
    return pathlib.Path(kernel["file"]).resolve().relative_to(ROOT / "samples").parts[0]


def summary(rows):
    """Geometric means of the programs' ratios, each of the sums over its kernels."""
    sums = {}
    for row in rows:
        for arch in BYTES_PER_NS:
            side = row.get(f"modelled({arch})", {})
            if "ratio" in side:
                at = sums.setdefault((row["set"], arch), {}).setdefault(row["program"], [0, 0])
                at[0] += side["original_us"]
                at[1] += side["variant_us"]
    found = {}
    for (name, arch), programs in sorted(sums.items()):
        ratios = [before / after for before, after in programs.values()]
        found[f"{name}, modelled({arch})"] = {
            "programs": len(ratios),
            "geometric_mean": round(math.prod(ratios) ** (1 / len(ratios)), 3),
            "least": round(min(ratios), 3)}
    return found


def cells(side):
    if "ratio" not in side:
        return [side["outcome"]] + [""] * 5
    share = {None: "(the rest needs it)", "?": "?"}
    steps = ", ".join(f"{name} {share.get(ratio) or format(ratio, '.2f')}"
                      for name, ratio in side["steps"])
    return [f"{side['original_us']:.1f}", f"{side['variant_us']:.1f}", f"{side['ratio']:.2f}",
            f"{side['floor_us']:.1f}",
            f"{100 * side['share_before']:.0f}% to {100 * side['share_after']:.0f}%",
            steps or "no gain"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--budget", type=float, default=40, help="seconds for each kernel")
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--output", type=pathlib.Path,
                        default=ROOT / "bench/results/modelled-rules.json")
    args = parser.parse_args()
    args.build = args.build.resolve()
    args.folder = args.folder.absolute()
    args.folder.mkdir(parents=True, exist_ok=True)
    os.environ["GEAK_CACHE_DIR"] = str(args.folder / "cache")
    rows = {}
    builds = {arch: make_samples(args, arch) for arch in BYTES_PER_NS}
    with concurrent.futures.ThreadPoolExecutor() as both:
        searches = {arch: both.submit(search, args, build) for arch, build in builds.items()}
    for arch, build in builds.items():
        found = searches[arch].result()
        floor_of = {(target, name): floor
                    for (target, _), (name, floor) in floors(args, arch, build).items()}
        for kernel in found:
            name = kernel["kernel"]
            row = rows.setdefault((kernel["target"], name), {
                "set": set_of(kernel), "program": kernel["target"], "kernel": name})
            row[f"modelled({arch})"] = side_of(
                kernel, floor_of.get((kernel["target"], name.split("<")[0]), 0.0))
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True, check=True).stdout.strip()
    args.output.write_text(json.dumps({
        "benchmark": "modelled_rules", "date": datetime.date.today().isoformat(),
        "commit": commit, "budget_seconds": args.budget, "summary": summary(rows.values()),
        "kernels": list(rows.values())}, indent=1) + "\n")
    for name, one in summary(rows.values()).items():
        print(f"- {name}: {one['programs']} programs, geometric mean {one['geometric_mean']}x, "
              f"least {one['least']}x")
    head = ["original us", "variant us", "ratio", "floor us", "share of floor",
            "steps, and how much slower without each"]
    print("| program | kernel | on | " + " | ".join(head) + " |\n" + "|---" * 9 + "|")
    for row in rows.values():
        for arch in BYTES_PER_NS:
            if side := row.get(f"modelled({arch})"):
                print(f"| {row['program']} | {row['kernel']} | modelled({arch}) | "
                      + " | ".join(cells(side)) + " |")


if __name__ == "__main__":
    main()
