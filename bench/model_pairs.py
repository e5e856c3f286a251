#!/usr/bin/env python3
"""Scores the model's gains against measured ones, on the same variants.

  bench/model_pairs.py FOLDER FOLDER/rules-*.json --json bench/results/model-vs-measured.json

rules-*.json are results of geak-worker on a real GPU (bench/h200_rules.py). FOLDER keeps what does not
depend on the model: the samples' build, a record of each program and size, and the candidates' code
objects. Each candidate's first look (geak-replay --look) is held anew on the emulated GPU of this
build, so after a change to the model the same command tells what it is worth.

A pair is a variant's measured gain at a size and its modelled one at the same size. Of launches of many
workgroups a sample of --sample stands for all, so that large ones are looked at in little time (the
candidates were verified on the GPU; a look compares nothing then). Programs that the emulator does not
bear at a size are recorded at a smaller one (SMALLER); where there is none either, the modelled gain is
that at the recorded size whose launches take longest. Where a record or the looks of a kernel take more
than --timeout, they are left out and named.

Two numbers each: over all pairs, and over those whose measured gain differs from 1 by more than the
noise of that measurement, for the order of variants that the GPU itself cannot tell apart says
nothing. "within": the mean of the kernels' own correlations, each weighted by its pairs."""
import argparse
import collections
import datetime
import hashlib
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import h200_rules  # noqa: E402
from h200_rules import RUNS, SHAPES  # noqa: E402
from ranks import ranks  # noqa: E402


# What is recorded in place of a size: too long to emulate from its first launch to its last
# (floyd_warshall: 4096 launches of as many rows), or more than a record holds (swiglu).
SMALLER = {"floyd_warshall": {"larger": "--size 2048"}, "swiglu": {"larger": "--size 4096"}}


def target_runs(target):
    runs = {**SHAPES, **RUNS.get(target, {}), **SMALLER.get(target, {})}
    return {"emulated": None, **runs}


def workload(samples, target):
    """What the unswapped twin runs at the emulator's size (docs/build_files.md, "Manifest")."""
    manifest = samples / "geak" / "original" / "geak" / "targets" / f"{target}.json"
    return json.loads(manifest.read_text())["workload"]


def record(args, samples, target, size):
    """The archive of a program's launches at a size, made once; None where it takes too long."""
    archive = args.folder / "records" / f"{target}.{size}.geakrec"
    failed = archive.with_suffix(".failed")
    if archive.exists() and not failed.exists():
        return archive
    if failed.exists():
        return None
    archive.parent.mkdir(parents=True, exist_ok=True)
    run = workload(samples, target)
    arguments = target_runs(target)[size]
    command = run["command"][:1] + (
        run["command"][1:] if arguments is None else arguments.split())
    failed.touch()
    done = limited([h200_rules.geak(args.build), "record", "-o", archive, "--", *command],
                   args.timeout, {"GEAK_EMULATE": "1"}, cwd=run["working_directory"])
    if done.returncode == 0 and archive.exists():
        failed.unlink()
        return archive
    failed.write_text(done.stderr[-2000:])
    return None


def limited(command, seconds, more, **options):
    """Runs it within so many seconds of processor time."""
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True,
        env={**os.environ, **more}, **options,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5)))


def remade(args, samples):
    """The candidates' code objects, made once for these results."""
    digest = hashlib.sha256()
    for file in args.results:
        digest.update(file.read_bytes())
    index = args.folder / f"candidates-{digest.hexdigest()[:12]}.json"
    if not index.exists():
        made = subprocess.run(
            [str(h200_rules.geak(args.build)), "remake", "-p", str(samples), "-o",
             str(args.folder / "candidates"), *map(str, args.results)],
            check=True, stdout=subprocess.PIPE, text=True)
        index.write_text(made.stdout)
    return json.loads(index.read_text())


def looks(args, trial, candidates, name):
    """A first look at each, as many as the time allows, and why there are no more."""
    found, why, used = [], "", children_seconds()
    while len(found) < len(candidates) and not why:
        left = args.timeout - (children_seconds() - used)
        if left < 1:
            return found, "too long"
        spec = args.folder / "looks" / f"{name}.json"
        spec.parent.mkdir(exist_ok=True)
        spec.write_text(json.dumps({"trial": trial, "candidates": [
            {key: one[key] for key in ("code_object", "kernel", "launch_change")}
            for one in candidates[len(found):]], "sample": args.sample}))
        counters = spec.with_suffix(f".{len(found)}.counters")
        done = limited([args.build / "bin" / "geak-replay", "--look", spec], int(left) + 1,
                       {"LD_LIBRARY_PATH": str(args.emulator), "GEAK_EMU_ARCH": args.arch,
                        "GEAK_REPLAY_COUNTERS": str(counters)})
        more = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        found += more
        if len(found) < len(candidates) and (done.returncode != 0 or not more):
            why = "too long" if done.returncode < 0 else done.stderr.strip()[-200:]
        # Else one faulted, and the rest is for another process (replay/first_look.h).
    return found, why


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def look(args, kernel, size, archive):
    """({digest: gain}, the original's time, why some were not looked at)."""
    name = f"{kernel['target']}.{kernel['kernel']}.{size}".replace("/", "_")
    trial = {"archive": str(archive), "kernel": kernel["symbol"],
             "argument_types": kernel["argument_types"], "max_records": args.records}
    if kernel["tolerance"] is not None:
        trial["tolerance"] = {"relative": kernel["tolerance"]}
    found, why = looks(args, trial, kernel["candidates"], name)
    fitting = [(one["digest"], seen) for one, seen in zip(kernel["candidates"], found)
               if seen["fits"] and seen["gain"] > 0]
    original = max((seen["original_ns"] for _, seen in fitting), default=0)
    print(f"{kernel['kernel']} {size}: {len(fitting)} of {len(kernel['candidates'])}",
          file=sys.stderr, flush=True)
    if why:
        why = f"{len(kernel['candidates']) - len(found)} not looked at: {why}"
    return {digest: seen["gain"] for digest, seen in fitting}, original, why


def runs_of(files):
    """{(target, symbol): {size: {digest: [candidate of each run that measured it]}}}"""
    found = {}
    for file in files:
        for kernel in json.loads(file.read_text())["kernels"]:
            sizes = found.setdefault((kernel["target"], kernel["symbol"]), {})
            known = sizes.setdefault(kernel["size"], {})
            for one in kernel["candidates"]:
                if one["outcome"] in ("accepted", "timed") and "gain" in one:
                    known.setdefault(one["digest"], []).append(one)
    return found


def measured(files):
    """{(target, symbol): {size: {digest: candidate}}}; of several runs the one with less noise."""
    return {kernel: {size: {digest: min(runs, key=lambda one: one["noise"])
                            for digest, runs in known.items()}
                     for size, known in sizes.items()}
            for kernel, sizes in runs_of(files).items()}


def repeats(files):
    """{size: {kernel: how the GPU's own first two runs rank the variants that both measured}}: more
    than that no model can reach. The kernel "all": all of them together."""
    names = {kernel["symbol"]: kernel["kernel"]
             for file in files for kernel in json.loads(file.read_text())["kernels"]}
    found = {}
    for (_, symbol), sizes in runs_of(files).items():
        for size, known in sizes.items():
            pairs = [[one["gain"] for one in runs[:2]] for runs in known.values() if len(runs) > 1]
            found.setdefault(size, {})[names[symbol]] = pairs
    return {size: {name: {"pairs": len(pairs), "spearman": spearman(pairs)}
                   for name, pairs in {**kernels, "all": sum(kernels.values(), [])}.items()}
            for size, kernels in found.items()}


def spearman(pairs):
    sides = [ranks([pair[side] for pair in pairs]) for side in (0, 1)]
    if len(pairs) < 3 or any(len(set(side)) == 1 for side in sides):
        return None
    return round(statistics.correlation(*sides), 3)


def show_repeats(files):
    for size, kernels in repeats(files).items():
        print(f"\n- {size}, the GPU's first run against its second: " + ", ".join(
            f"{kernel} {one['spearman']} ({one['pairs']})" for kernel, one in kernels.items()))


def devices_of(files):
    return sorted({f"measured({json.loads(file.read_text())['device']})" for file in files})


def telling(pair):
    return abs(pair["measured"] - 1) > pair["noise"]


def first_choices(pairs):
    """[of so many kernels and sizes the variant that the model puts first is the fastest measured,
    within the noise or 2%; of how many with three pairs or more]"""
    groups = {}
    for pair in pairs:
        groups.setdefault((pair["kernel"], pair["size"]), []).append(pair)
    groups = [own for own in groups.values() if len(own) > 2]
    right = 0
    for own in groups:
        first = max(own, key=lambda pair: pair["modelled"])
        fastest = max(pair["measured"] for pair in own)
        right += first["measured"] >= fastest * (1 - max(first["noise"], 0.02))
    return [right, len(groups)]


def summary(pairs):
    def of(some):
        return spearman([(pair["modelled"], pair["measured"]) for pair in some])

    kernels, weights, total = {}, 0, 0.0
    for name in sorted({pair["kernel"] for pair in pairs}):
        own = [pair for pair in pairs if pair["kernel"] == name]
        clear = [pair for pair in own if telling(pair)]
        kernels[name] = {"pairs": len(own), "spearman": of(own), "telling_pairs": len(clear),
                         "telling_spearman": of(clear)}
        if kernels[name]["spearman"] is not None:
            weights += len(own)
            total += kernels[name]["spearman"] * len(own)
    clear = [pair for pair in pairs if telling(pair)]
    return {"pairs": len(pairs), "all": of(pairs), "telling_pairs": len(clear),
            "telling": of(clear), "within": round(total / weights, 3) if weights else None,
            "first": first_choices(pairs),
            "kernels": kernels}


def pair_of(kernel, size, modelled_at, digest, gain, one):
    return {"kernel": kernel, "size": size, "modelled_at": modelled_at, "variant": digest,
            "rules": h200_rules.transforms(one["recipe"]), "modelled": round(gain, 4),
            "measured": round(one["gain"], 4), "noise": round(one["noise"], 4)}


def compare(args, samples):
    index, found = remade(args, samples), measured(args.results)
    pairs, left_out = [], list(index["problems"])
    for kernel in index["kernels"]:
        if args.kernels and kernel["kernel"] not in args.kernels:
            continue
        for one in kernel["left_out"]:
            left_out.append(f"{kernel['kernel']}: {one['reason']}")
        sizes = found[kernel["target"], kernel["symbol"]]
        modelled = {}
        for size in args.recorded:
            archive = record(args, samples, kernel["target"], size)
            if archive is None:
                left_out.append(f"{kernel['kernel']} {size}: cannot be recorded in the time given")
                continue
            gains, original, why = look(args, kernel, size, archive)
            if why:
                left_out.append(f"{kernel['kernel']} {size}: {why}")
            if gains:
                modelled[size] = (original, gains)
        for size in [size for size in args.sizes if size in sizes and modelled]:
            at = size if size in modelled else max(modelled, key=lambda one: modelled[one][0])
            size_of = SMALLER.get(kernel["target"], {}).get(at, at)
            pairs += [pair_of(kernel["kernel"], size, size_of, digest, modelled[at][1][digest], one)
                      for digest, one in sizes[size].items() if digest in modelled[at][1]]
    return pairs, left_out


def show(name, part):
    print(f"\n- {name}: Spearman {part['all']} over {part['pairs']} pairs, {part['telling']} over "
          f"the {part['telling_pairs']} beyond their noise, within kernels {part['within']}, the model's "
          f"first choice the fastest for {part['first'][0]} of {part['first'][1]} kernels; "
          + ", ".join(f"{kernel} {one['spearman']} ({one['pairs']}), {one['telling_spearman']} "
                      f"({one['telling_pairs']})" for kernel, one in part["kernels"].items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path, nargs="+")
    parser.add_argument("--build", type=pathlib.Path, default=h200_rules.ROOT / "build")
    parser.add_argument("--emulator", type=pathlib.Path,
                        help="folder of libhsa-runtime64.so.1 (default: the build's)")
    parser.add_argument("--arch", default="gfx90a", help="that the code is built for")
    parser.add_argument("--sets", nargs="*", default=h200_rules.SETS)
    parser.add_argument("--sizes", default="published,larger",
                        type=lambda text: text.split(","), help="of the measured gains")
    parser.add_argument("--recorded", default="published,larger",
                        type=lambda text: text.split(","), help="sizes of the modelled gains")
    parser.add_argument("--sample", type=int, default=512,
                        help="workgroups that are run of a launch of more; 0: all")
    parser.add_argument("--kernels", nargs="*", help="these alone")
    parser.add_argument("--records", type=int, default=4, help="launches tried of a kernel")
    parser.add_argument("--timeout", type=int, default=120,
                        help="processor seconds of a record, and of a kernel's looks at one size")
    parser.add_argument("--json", type=pathlib.Path, help="write pairs and summary here")
    args = parser.parse_args()
    args.folder = args.folder.absolute()
    args.build = args.build.absolute()
    args.emulator = (args.emulator or args.build / "lib" / "geak" / "emulator").absolute()
    args.folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("GEAK_CACHE_DIR", str(args.folder / "cache"))
    samples = h200_rules.make_samples(args)
    pairs, left_out = compare(args, samples)
    scores = {size: summary([pair for pair in pairs if pair["size"] == size])
              for size in args.sizes}
    scores["all sizes"] = summary(pairs)
    for name, part in scores.items():
        show(name, part)
    show_repeats(args.results)
    print("\nleft out: " + "; ".join(f"{why} ({count})" if count > 1 else why
                                     for why, count in collections.Counter(left_out).items()))
    if args.json:
        args.json.write_text(json.dumps(
            {"modelled": f"modelled({args.arch})", "measured": devices_of(args.results),
             "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
             "spearman": scores, "repeats": repeats(args.results), "left_out": left_out, "pairs": pairs}, indent=1) + "\n")


if __name__ == "__main__":
    main()
