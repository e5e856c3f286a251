#!/usr/bin/env python3
"""Says on how many kernels of HeCBench each transform applies, and names some of them.

usage: transform_survey.py GEAK HECBENCH [--report FILE] [--seconds N] [--only NAME,...] [--table]

HECBENCH is a check-out of github.com/zjin-lcf/HeCBench; nothing of it is part of geak. Kernels that are no
templates are looked at as they stand, launched over two thousand workgroups and over one, with made-up
arguments: what a transform asks of the AST is what is surveyed, nothing is run. Programs come in an order of
their own, so that a part of them is a sample of all; what the report (JSON lines, one a kernel) has is not
asked again, so that a survey may stop at any time. --table prints the report alone."""
import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

KERNEL = re.compile(r"(template\s*<[^;{}]*>\s*)?(?:static\s+|inline\s+|extern\s+\"C\"\s+)*__global__\s+(?:void\s+|"
                    r"__launch_bounds__\s*\([^)]*\)\s*|static\s+|inline\s+)*void\s*"
                    r"(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)\s*\{|"
                    r"(template\s*<[^;{}]*>\s*)?__global__\s+void\s*(?:__launch_bounds__\s*\([^)]*\)\s*)?"
                    r"(\w+)\s*\(([^)]*)\)\s*\{")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
INTEGER = re.compile(r"\b(?:int|unsigned|long|size_t|u?int(?:32|64)_t|uint)\b")
OPENERS = [[]] + [[{"transform": name, "parameters": {}}] for name in
                  ("inline_calls", "expand_macros", "for_loops", "single_round", "early_exit")]


def read(path):
    with open(path, errors="replace") as file:
        return re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.S)


def kernels_of(main):
    """Name, parameters and body of each kernel that the unit sees, headers of the program included."""
    found, seen, left = {}, set(), [main]
    while left:
        path = os.path.normpath(left.pop())
        if path in seen or not os.path.isfile(path):
            continue
        seen.add(path)
        text = read(path)
        left += [os.path.join(os.path.dirname(path), name) for name in INCLUDE.findall(text)]
        for match in KERNEL.finditer(text):
            template, name, parameters = (match.group(1) or match.group(4), match.group(2) or match.group(5),
                                          match.group(3) if match.group(2) else match.group(6))
            if not template:
                found[name] = (parameters, text[match.end():match.end() + 8000].split("__global__")[0])
    return found


def launches(parameters, body):
    arguments = []
    for number, parameter in enumerate(filter(None, (part.strip() for part in parameters.split(",")))):
        pointer = "*" in parameter or "[" in parameter
        whole = INTEGER.search(parameter) and "&" not in parameter
        arguments.append((number + 1) << 28 if pointer else 4096 if whole else None)
    block = [16, 16, 1] if re.search(r"(?:threadIdx|blockIdx)\.y", body) else [256, 1, 1]
    grid = [64, 32, 1] if block[1] > 1 else [2048, 1, 1]
    return [{"grid": grid, "block": block, "arguments": arguments},
            {"grid": [1, 1, 1], "block": block, "arguments": arguments}]


def ask(geak, folder, main, kernel, seen, recipe):
    command = [geak, "transform", "--list", "--json", "-p", folder, "--launches", json.dumps(seen),
               "--recipe", json.dumps(recipe), main, kernel]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
    except subprocess.TimeoutExpired:
        return None, "more than a minute"
    if asked.returncode:
        return None, (asked.stderr.strip().splitlines() or ["?"])[-1][:200]
    answer = json.loads(asked.stdout)
    return {option["step"]["transform"] for option in answer["options"]}, answer["refusals"]


def survey(geak, main, kernel, parameters, body):
    include = os.path.dirname(main)
    cuda = include.removesuffix("-hip") + "-cuda"
    with tempfile.TemporaryDirectory(prefix="geak-survey") as folder:
        with open(os.path.join(folder, "compile_commands.json"), "w") as file:
            json.dump([{"directory": include, "file": main, "command":
                        f"clang++-19 -x hip --offload-arch=gfx90a -std=c++17 -O3 -w -I{include} -I{cuda} "
                        f"-I{include}/../include -c {main} -o {folder}/unit.o"}], file)
        seen = launches(parameters, body)
        applies, refusals = ask(geak, folder, main, kernel, seen, [])
        if applies is None:
            return {"problem": refusals}
        result = {"applies": sorted(applies), "refusals": refusals}
        for opener in OPENERS[1:]:
            if opener[0]["transform"] in applies:
                more, _ = ask(geak, folder, main, kernel, seen, opener)
                result["after " + opener[0]["transform"]] = sorted((more or set()) - applies)
        return result


def print_table(rows):
    looked = [row for row in rows if "applies" in row]
    print(f"{len(looked)} kernels of {len({row['program'] for row in looked})} programs; "
          f"{len(rows) - len(looked)} whose unit geak does not parse\n")
    names, behind = {}, {}
    for row in looked:
        for name in row["applies"]:
            names.setdefault(name, []).append(f"{row['program']} ({row['kernel']})")
        for key in row:
            if key.startswith("after "):
                for name in row[key]:
                    behind.setdefault(name, []).append(f"{row['program']} ({row['kernel']})")
    print("| transform | kernels | only after another step | for example |\n|---|---|---|---|")
    for name in sorted(set(names) | set(behind)):
        shown = (names.get(name, []) + behind.get(name, []))[:4]
        print(f"| `{name}` | {len(names.get(name, []))} | {len(behind.get(name, []))} | {', '.join(shown)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("geak", type=os.path.abspath)
    parser.add_argument("hecbench", type=os.path.abspath)
    parser.add_argument("--report", default="/tmp/geak-survey.jsonl")
    parser.add_argument("--seconds", type=float, default=1200)
    parser.add_argument("--only", default="")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    rows = []
    if os.path.exists(options.report):
        with open(options.report) as file:
            rows = [json.loads(line) for line in file]
    known = {(row["program"], row["kernel"]) for row in rows}
    source = os.path.join(options.hecbench, "src")
    programs = sorted((name for name in os.listdir(source) if name.endswith("-hip")),
                      key=lambda name: hashlib.sha256(name.encode()).digest())
    only = {name for name in options.only.split(",") if name}
    deadline = time.monotonic() + (0 if options.table else options.seconds)
    for program in programs:
        name = program.removesuffix("-hip")
        if only and name not in only:
            continue
        folder = os.path.join(source, program)
        for file in sorted(entry for entry in os.listdir(folder) if entry.endswith((".cu", ".hip"))):
            for kernel, (parameters, body) in kernels_of(os.path.join(folder, file)).items():
                if (name, kernel) in known or time.monotonic() > deadline:
                    continue
                known.add((name, kernel))
                row = {"program": name, "kernel": kernel,
                       **survey(options.geak, os.path.join(folder, file), kernel, parameters, body)}
                rows.append(row)
                with open(options.report, "a") as out:
                    out.write(json.dumps(row) + "\n")
    print_table(rows)


if __name__ == "__main__":
    sys.exit(main())
