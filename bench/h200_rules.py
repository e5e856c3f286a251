"""Rules against the plain kernels of the samples, measured on an NVIDIA GPU.

  bench/h200_rules.py bundle FOLDER   here: builds the samples, searches on the emulated GPU, packs
                                      FOLDER/rules-*.geakbundle
  bench/h200_rules.py measure FOLDER  where the GPU is, with FOLDER and bench/ alone: geak-worker
  bench/h200_rules.py table FOLDER    here: writes bench/results/h200-rules.json, prints the table
  bench/h200_rules.py all FOLDER      all three, on a machine with both

A second round, `bundle FOLDER --again`, takes the launches and the best recipes of FOLDER/rules-*.json
one step further. What the model of time says of the same variants: bench/model_pairs.py."""
import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import h200_floors  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = ("applications", "mmcv_ops", "voxelization", "swiglu")
SHARDS = ("[a-g]*", "[h-z]*")  # targets
SHAPES = {"published": "--shape published", "larger": "--shape large"}
RUNS = {
    "bitonic_sort": {"published": "--size 32768", "larger": "--size 16777216"},
    "convolution": {"published": "--size 4096", "larger": "--size 8192"},
    "floyd_warshall": {"published": "--size 16", "larger": "--size 4096"},
    "histogram": {"published": "--size 1048576", "larger": "--size 268435456"},
    "monte_carlo_pi": {"published": "--size 1048576", "larger": "--size 268435456"},
    "prefix_sum": {"published": "--size 2048", "larger": "--size 67108864"},
    "voxelization": {"published": "--size 20000", "larger": "--size 200000"},
    "swiglu": {"published": "--size 2048", "larger": "--size 16384"},
}


def run(command, **options):
    print("+", " ".join(str(word) for word in command), file=sys.stderr, flush=True)
    return subprocess.run([str(word) for word in command], check=True, **options)


def geak(build):
    return pathlib.Path(build) / "bin" / "geak"


def make_samples(args):
    """All sets as one project, so that one bundle holds them and one worker overlaps their work."""
    folder = args.folder / "samples"
    source, samples = folder / "source", folder / "build"
    source.mkdir(parents=True, exist_ok=True)
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\nproject(samples LANGUAGES CXX)\n" + "".join(
            f"add_subdirectory({ROOT}/samples/{name} {name})\n" for name in args.sets))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    run(["cmake", "-S", source, "-B", samples, "-G", "Ninja", "-DCMAKE_CXX_COMPILER=hipcc",
         f"-Dgeak_DIR={args.build}/lib/cmake/geak"], **quiet)
    twin = samples / "geak" / "original"
    run(["cmake", "-S", source, "-B", twin, "-G", "Ninja", "-C",
         samples / "geak" / "original-cache.cmake", "-DGEAK_SWAP=OFF", "--log-level=WARNING"],
        **quiet)
    run(["ninja", "-C", twin], stdout=subprocess.DEVNULL)
    return samples


def place_of(kernel):
    return kernel["target"], kernel["symbol"], kernel["size"]


def merged(args):
    """All results of the folder as one, and all that was timed of each (target, symbol, size)."""
    files = sorted(args.folder.glob("rules-*.json"))
    if not files:
        sys.exit(f"no results (rules-*.json) in {args.folder}")
    documents = [json.loads(file.read_text()) for file in files]
    best, all_timed = {}, {}
    for document in documents:
        for kernel in document["kernels"]:
            gains = [one["gain"] for one in kernel["candidates"] if one["outcome"] == "accepted"]
            timed = sum("gain" in one for one in kernel["candidates"])
            weight = (max(gains, default=0), timed)
            place = place_of(kernel)
            all_timed.setdefault(place, []).extend(
                one for one in kernel["candidates"] if "gain" in one)
            # Of a kernel and size that several runs tried, the one that found more.
            if place not in best or weight > best[place][0]:
                best[place] = (weight, kernel)
    documents[-1]["kernels"] = [kernel for weight, kernel in best.values() if weight[1] > 0]
    return documents[-1], all_timed


def bundle(args):
    samples = make_samples(args)
    if args.seconds > 0:
        run([geak(args.build), "optimize", "-p", samples, "--budget", args.seconds])
    # Nothing travels: the sizes of the emulator's record are recorded there as well.
    command = [geak(args.build), "bundle", "-p", samples, "--candidates", args.candidates,
               "--no-records"]
    for target, sizes in {**RUNS, "": SHAPES}.items():
        for size, arguments in {"emulated": "", **sizes}.items():
            command += ["--run", f"{target}:{size}={arguments}" if target else f"{size}={arguments}"]
    for file in args.seen:
        command += ["--seen", file]
    if args.again:
        earlier = args.folder / "earlier.json"
        earlier.write_text(json.dumps(merged(args)[0]))
        run([geak(args.build), "import", earlier])
        device = json.loads(earlier.read_text())["device"]
        command += ["--seen", earlier, "--extend", f"measured({device})"]
        for file in args.folder.glob("rules-*.json"):
            file.unlink()
    # Two at once: a kernel's candidates are made one after the other.
    started = [subprocess.Popen([str(word) for word in command] + [
        "--target", glob, "-o", str(args.folder / f"rules-{i}.geakbundle")])
        for i, glob in enumerate(SHARDS, 1)]
    if any([process.wait() != 0 for process in started]):
        sys.exit("geak bundle failed")
    for program in ("bin/geak-worker", "lib/geak/libgeak-record-cuda.so"):
        shutil.copy(pathlib.Path(args.build) / program, args.folder)


def measure(args):
    """What is measured is on disk after each kernel: a run that is stopped is gone on with."""
    bundles = sorted(args.folder.glob("rules-*.geakbundle"))
    if not bundles:
        sys.exit(f"no bundles (rules-*.geakbundle) in {args.folder}")
    command = [args.folder / "geak-worker", *bundles, "-o", args.folder / "rules-1.json", "--work",
               args.work, "--budget", args.budget, "--verify-all", "none", "--time-only",
               "emulated", "--sizes", args.sizes, "--recorders", 8, "--records", 4]
    if args.total:
        command += ["--total", args.total]
    ended = subprocess.run([str(word) for word in command])
    if ended.returncode not in (0, 130):  # 130: its time was over
        sys.exit(f"geak-worker ended with {ended.returncode}")


def set_of(kernel):
    """The samples' folder that the kernel's source lies in."""
    return pathlib.Path(kernel["source"]).relative_to(ROOT / "samples").parts[0]


def transforms(recipe):
    names = []
    for step in recipe:
        inner = step["parameters"].get("steps") if step["transform"] == "sequence" else [step]
        names += [one["transform"] for one in inner]
    return names


def steps(recipe):
    """The steps one by one, those of sequences in their places, as texts to compare."""
    found = []
    for step in recipe:
        inner = step["parameters"].get("steps") if step["transform"] == "sequence" else [step]
        found += [json.dumps(one, sort_keys=True) for one in inner]
    return found


def contributions(best, timed):
    """[transform, how much slower the winner is without that step]; None: that was not timed. Two
    steps in a row of which neither was left out alone, as where the second needs the first, may
    have been left out together."""
    whole = steps(best["recipe"])
    gains = {(): 1.0}
    for one in timed:  # of several rounds, the one that found more
        recipe = tuple(steps(one["recipe"]))
        gains[recipe] = max(one["gain"], gains.get(recipe, 0))
    names = [json.loads(step)["transform"] for step in whole]

    def brought(first, last):
        without = gains.get(tuple(whole[:first] + whole[last:]))
        return round(best["gain"] / without, 3) if without else None

    found, at = [], 0
    while at < len(whole):
        both = None
        if brought(at, at + 1) is None and at + 1 < len(whole) and brought(at + 1, at + 2) is None:
            both = brought(at, at + 2)
        found.append([names[at], brought(at, at + 1)] if both is None
                     else [" and ".join(names[at:at + 2]), both])
        at += 1 if both is None else 2
    return found


def row_of(document, kernel, timed_in_all):
    timed = [one for one in kernel["candidates"] if "gain" in one]
    accepted = [one for one in timed if one["outcome"] == "accepted"]
    worth = [one for one in accepted
             if one["gain"] >= 1.02 and one["gain"] > 1 + one["noise"]]
    best = max(worth, key=lambda one: one["gain"], default=None)
    any_time = best or max(accepted or timed, key=lambda one: one["gain"], default=None)
    if any_time is None:
        return None
    original = any_time["original_ns"] / 1000
    variant = best["candidate_ns"] / 1000 if best else original
    floor = h200_floors.floor_ns(kernel["kernel"], kernel["argument_types"],
                                 kernel["original"]["launches"],
                                 document["copy_bytes_per_ns"]) / 1000
    work = h200_floors.work_of(kernel["kernel"], kernel["argument_types"],
                               kernel["original"]["launches"]) or (0, 0, [])
    return {"set": set_of(kernel), "program": kernel["target"], "kernel": kernel["kernel"],
            "size": kernel["size"], "original_us": round(original, 3),
            "variant_us": round(variant, 3), "ratio": round(original / variant, 3),
            "bytes": round(work[0]), "operations": round(work[1]), "floor_us": round(floor, 3),
            "verified_inputs": best.get("inputs_tried", 0) if best else 0,
            "rules": list(dict.fromkeys(transforms(best["recipe"]))) if best else [],
            "contributions": contributions(best, timed_in_all) if best else [],
            "noise": round(any_time["noise"], 4), "candidates_timed": len(timed),
            "candidates_verified": len(accepted),
            "variant": best["name"] if best else ""}


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else 0


def programs(rows):
    """Ratios of whole programs: the sum over their kernels."""
    sums = {}
    for row in rows:
        at = sums.setdefault((row["set"], row["program"], row["size"]), [0, 0, 0])
        at[0] += row["original_us"]
        at[1] += row["variant_us"]
        at[2] += row["floor_us"]
    return {key: (a, b, f, a / b) for key, (a, b, f) in sums.items() if b}


def table(args):
    document, timed = merged(args)
    rows = [row for kernel in document["kernels"]
            if kernel["state"] == "tried" and kernel["size"] != "emulated"
            and (row := row_of(document, kernel, timed[place_of(kernel)]))]
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True).stdout.strip()
    head = {"device": document["device"], "evidence": f"measured({document['device']})",
            "date": document["date"], "commit": commit,
            "copy_bytes_per_ns": round(document["copy_bytes_per_ns"], 1)}
    out = ROOT / "bench" / "results"
    summary = {}
    whole = programs(rows)
    for name in SETS:
        for size in ("published", "larger"):
            ratios = [ratio for (a, _, s), (_, _, _, ratio) in whole.items()
                      if a == name and s == size]
            if ratios:
                summary[f"{name}, {size}"] = {"programs": len(ratios),
                                              "geometric_mean": round(geometric_mean(ratios), 3),
                                              "least": round(min(ratios), 3)}
    (out / "h200-rules.json").write_text(
        json.dumps({**head, "summary": summary, "kernels": rows}, indent=1) + "\n")
    print(f"{head}\n")
    for key, value in summary.items():
        print(f"- {key}: {value['programs']} programs, geometric mean {value['geometric_mean']}x, "
              f"least {value['least']}x")
    print("\n| set | kernel | size | MB | Mop | original us | variant us | ratio | floor us | "
          "share before | after | timed | verified inputs | steps, and how much slower it is without "
          "each |\n" + "|---" * 14 + "|")
    for row in rows:
        def share(time):
            return f"{100 * row['floor_us'] / time:.0f}%" if time and row["floor_us"] else ""
        brought = ", ".join(f"{name} {gain:.2f}" if gain else f"{name} ?"
                            for name, gain in row["contributions"])
        print(f"| {row['set']} | {row['kernel']} | {row['size']} | {row['bytes'] / 1e6:.3g} | "
              f"{row['operations'] / 1e6:.3g} | {row['original_us']:.1f} | "
              f"{row['variant_us']:.1f} | {row['ratio']:.2f} | {row['floor_us']:.1f} | "
              f"{share(row['original_us'])} | {share(row['variant_us'])} | "
              f"{row['candidates_timed']} | {row['verified_inputs']} | {brought or 'no gain'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("bundle", "measure", "table", "all"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--build", default=ROOT / "build", help="geak's build tree")
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--candidates", type=int, default=60, help="of each kernel, at most")
    parser.add_argument("--seconds", type=float, default=30,
                        help="of modelled search for each kernel")
    parser.add_argument("--budget", type=float, default=10,
                        help="seconds on the GPU for each kernel and size")
    parser.add_argument("--total", type=float, default=0, help="seconds on the GPU for all")
    parser.add_argument("--sizes", default="published,larger,emulated",
                        help="what is tried on the GPU, in this order")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/geak-h200"))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--seen", nargs="*", default=[],
                        help="results whose launches candidates are chosen for as well")
    args = parser.parse_args()
    args.folder = args.folder.absolute()
    args.folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("GEAK_CACHE_DIR", str(args.folder / "cache"))
    for step in ("bundle", "measure", "table") if args.step == "all" else (args.step,):
        {"bundle": bundle, "measure": measure, "table": table}[step](args)


if __name__ == "__main__":
    main()
