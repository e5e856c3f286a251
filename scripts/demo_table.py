"""Makes scripts/demo's table from what the runs left: usage demo_table.py FOLDER OUTPUT.json.

FOLDER holds original/ and optimized/, each with <program>.log and <program>.counters (the
emulator's, one JSON line a dispatch), and status.json of `geak status --json`. Exit status 1 when a
program did not pass its own check.
"""
import json
import pathlib
import re
import subprocess
import sys


def base_names(symbols):
    """Kernel names without namespace of their types, arguments and geak's suffix."""
    listed = sorted(symbols)
    plain = [re.sub(r"\.(static|intern)\.[0-9a-f]+|\.kd$", "", s) for s in listed]
    text = subprocess.run(["c++filt"], input="\n".join(plain), capture_output=True, text=True,
                          check=True).stdout.splitlines()
    names = {}
    for symbol, demangled in zip(listed, text):
        name = re.sub(r"\(anonymous namespace\)::", "", demangled)
        name = re.split(r"[<(]", name)[0].split()[-1]
        names[symbol] = re.sub(r"__geak_[0-9a-f]+$", "", name)
    return names


def read_run(folder):
    """{(program, kernel): {"ns": total, "limits": {bound: ns}, "counters": sums, "variant": bool}}"""
    kernels = {}
    for path in sorted(folder.glob("*.counters")):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        names = base_names({line["kernel"] for line in lines})
        for line in lines:
            entry = kernels.setdefault((path.stem, names[line["kernel"]]),
                                       {"ns": 0.0, "limits": {}, "counters": {}, "variant": False})
            entry["ns"] += line["modelled_ns"]
            entry["variant"] |= "__geak_" in line["kernel"]
            bound = line.get("bound", "")
            entry["limits"][bound] = entry["limits"].get(bound, 0.0) + line["modelled_ns"]
            for counter, value in work(line).items():
                entry["counters"][counter] = entry["counters"].get(counter, 0) + value
    return kernels


def work(line):
    """The counters that can limit a dispatch: what the model of time is made from."""
    memory = line["memory"]
    transactions = sum(memory[kind]["lines64"] for kind in ("read", "write", "atomic"))
    return {"instructions": line["instructions"],
            "memory_transactions": transactions + memory["scalar_lines64"],
            "lds_cycles": line["lds"]["cycles"],
            "workgroups": line["workgroups"], "launches": 1}


def limiting_counter(bound):
    """Of the model's bounds, docs/model.md; `dispatch` is the rate at which workgroups start."""
    named = {"lds": "lds_cycles", "dispatch": "workgroups", "launch": "launches"}
    if bound in named:
        return named[bound]
    return "memory_transactions" if re.search("mem|l1|l2|hbm|cache", bound) else "instructions"


def counter_ratio(row):
    before = row["counters"]["original"][row["limiting_counter"]]
    after = row["counters"]["optimized"].get(row["limiting_counter"], 0)
    return before / after if after else None


def passed(folder, program):
    log = (folder / f"{program}.log").read_text()
    return "PASS" in log and "FAIL" not in log and (folder / f"{program}.status").read_text() == "0"


def source(known):
    """Where a variant came from: its generator and the transforms that made it."""
    return f"{known.get('source', 'unknown')}: {' + '.join(transforms(known.get('recipe', [])))}"


def transforms(recipe):
    steps = json.loads(recipe) if isinstance(recipe, str) else recipe
    for step in steps:
        if step["transform"] == "sequence":
            yield from transforms(step["parameters"]["steps"])
        else:
            yield step["transform"]


def main(folder, output):
    status = {}
    for kernel in json.loads((folder / "status.json").read_text())["kernels"]:
        name = kernel["kernel"].split("<")[0].split("::")[-1]
        status[(kernel["target"], name)] = kernel
    before, after = read_run(folder / "original"), read_run(folder / "optimized")
    rows = []
    for (program, kernel), original in before.items():
        optimized = after.get((program, kernel))
        known = status.get((program, kernel), {})
        checks = passed(folder / "original", program) and passed(folder / "optimized", program)
        rows.append({
            "program": program, "kernel": kernel,
            "original_ms": original["ns"] / 1e6,
            "optimized_ms": optimized["ns"] / 1e6 if optimized else None,
            "ratio": original["ns"] / optimized["ns"] if optimized else None,
            "checks_passed": checks and optimized is not None,
            "evidence": known.get("evidence", "modelled(gfx90a)"),
            "source": source(known) if optimized and optimized["variant"] else "original",
            "limit": (limit := max(original["limits"], key=original["limits"].get)),
            "limiting_counter": limiting_counter(limit),
            "counters": {"original": original["counters"],
                         "optimized": optimized["counters"] if optimized else {}},
        })
        rows[-1]["limiting_counter_ratio"] = counter_ratio(rows[-1])
    output.write_text(json.dumps({"kernels": rows}, indent=1) + "\n")

    print(f"{'program':<16}{'kernel':<20}{'original ms':>12}{'optimized ms':>13}{'ratio':>7}"
          f"  {'checks':<8}{'limited by':<21}{'less':>6}  source")
    for row in rows:
        optimized = f"{row['optimized_ms']:.4f}" if row["ratio"] else "-"
        ratio = f"{row['ratio']:.2f}" if row["ratio"] else "-"
        less = f"{row['limiting_counter_ratio']:.2f}" if row["limiting_counter_ratio"] else "-"
        print(f"{row['program']:<16}{row['kernel']:<20}{row['original_ms']:>12.4f}{optimized:>13}"
              f"{ratio:>7}  {'passed' if row['checks_passed'] else 'FAILED':<8}"
              f"{row['limiting_counter']:<21}{less:>6}  "
              f"{row['source']}")
    print(f"times: {', '.join(sorted({row['evidence'] for row in rows}))}; table: {output}")
    return 0 if rows and all(row["checks_passed"] for row in rows) else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
