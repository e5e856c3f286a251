#!/usr/bin/env python3
"""Builds HeCBench programs with hipcc and runs them on the emulated GPU.

usage: hecbench.py GEAK HECBENCH [--only NAME,...] [--cpu-seconds N] [--work FOLDER] [--report FILE]

GEAK is the geak executable, HECBENCH a check-out of github.com/zjin-lcf/HeCBench; nothing of it is
part of geak. hecbench.txt has the arguments, and where a size or a repeat count stands in the source, the
edit that lowers it. The limit is processor time, so that a loaded machine changes no outcome; programs run
one at a time. docs/public-programs.md has the outcomes."""
import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hecbench.txt")
# What programs print of their own check, in the order they are looked for: a failure outweighs a success.
# "0 errors" and "failed: 0" are successes.
FAILED = re.compile(r"\b(?:FAIL(?:ED|URE)?|mismatch(?:es)?|incorrect|differs?|not (?:match|equal|correct)|"
                    r"wrong|error at|invalid)\b", re.I)
NO_FAILURE = re.compile(r"\b(?:no|0|without) (?:fail\w*|mismatch\w*|errors?|differ\w*)\b|"
                        r"(?:fail\w*|mismatch\w*|errors?|wrong|incorrect)[\w ]*[:=] *0\b(?!\.)", re.I)
PASSED = re.compile(r"\b(?:PASS(?:ED)?|success(?:ful(?:ly)?)?|correct|verified|match(?:es)?|"
                    r"ok|no errors?)\b", re.I)


def entries(path):
    """name | arguments | edits (file: old => new ;; ...) | verdict: a regular expression of success;
    "quiet" for a program that prints its failures alone; "none" for one that prints no verdict; "code N"
    for one that ends so on success; "skip: reason". Without one the output is searched as judge() does."""
    found = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = [field.strip() for field in line.rstrip("\n").split(" | ")]
            if len(fields) > 4:
                sys.exit(f"{path}:{number}: more than four fields")
            fields += [""] * (4 - len(fields))
            found[fields[0]] = dict(zip(("arguments", "edits", "verdict"), fields[1:]))
    return found


def apply_edits(folder, edits):
    for edit in filter(None, (part.strip() for part in edits.split(" ;; "))):
        name, change = edit.split(": ", 1)
        old, new = change.split(" => ", 1)
        path = os.path.join(folder, name)
        with open(path, errors="surrogateescape") as file:
            text = file.read()
        if old not in text:
            raise ValueError(f"{name} has no '{old}'")
        with open(path, "w", errors="surrogateescape") as file:
            file.write(text.replace(old, new))


def copy_sources(source, name, work):
    """The program's folder, and the ones beside it that HIP versions share with the CUDA ones."""
    shutil.rmtree(work, ignore_errors=True)
    for folder in (f"{name}-hip", f"{name}-cuda", "include"):
        path = os.path.join(source, "src", folder)
        if os.path.isdir(path):
            shutil.copytree(path, os.path.join(work, folder))
    return os.path.join(work, f"{name}-hip")


def build(folder):
    """The executable that make leaves, or what went wrong."""
    command = ["make"]
    environment = {**os.environ,
                   "HIPCC_COMPILE_FLAGS_APPEND": "--offload-arch=gfx90a -Wno-everything"}
    # Some compare with a host's reference only when asked to, and need OpenMP for it.
    for verify in (["VERIFY=yes"], ["clean"], []):
        made = subprocess.run(command + verify, cwd=folder, capture_output=True, text=True,
                              errors="replace", env=environment)
        if made.returncode == 0 and verify == ["VERIFY=yes"]:
            break
    if made.returncode:
        # hipcc asks the machine for its GPU before it reads the architecture, and says that there is none.
        lines = [line for line in (made.stderr + made.stdout).splitlines()
                 if re.search(r"error[: ]|cannot find|not found|undefined", line)
                 and "FileNotFoundError" not in line]
        return None, "does not build: " + (lines or ["?"])[0].strip()[:150]
    programs = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names
                if os.access(os.path.join(root, name), os.X_OK) and "." not in name]
    elf = [path for path in programs if open(path, "rb").read(4) == b"\x7fELF"]
    return (elf[0], "") if elf else (None, "does not build: no executable")


def run(geak, program, arguments, folder, cpu_seconds):
    """Exit code (None: out of time), output and processor seconds."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.setsid()

    log = os.path.join(folder, "geak-output.txt")
    with open(log, "wb") as out:
        child = subprocess.Popen([geak, "run", "--arch", "gfx90a", "--", program] + arguments.split(),
                                 cwd=folder, stdout=out, stderr=subprocess.STDOUT,
                                 stdin=subprocess.DEVNULL, preexec_fn=limit)
        deadline, timed_out = time.monotonic() + 15 * cpu_seconds, False
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                timed_out = True
                os.killpg(child.pid, 9)
                _, status, usage = os.wait4(child.pid, 0)
                break
            time.sleep(0.05)
    code = os.waitstatus_to_exitcode(status)
    child.returncode = code
    seconds = usage.ru_utime + usage.ru_stime
    with open(log, errors="replace") as file:
        text = file.read()
    out_of_time = timed_out or (code in (-9, -24, 137, 152) and seconds > 0.9 * cpu_seconds)
    return (None if out_of_time else code), text, seconds


def judge(code, text, verdict):
    if code is None:
        return "too long", ""
    if verdict.startswith("code "):
        return ("passes", "") if code == int(verdict[5:]) else ("fails", f"exit code {code}")
    if code != 0:
        lines = [line for line in text.splitlines() if "geak" in line or "rror" in line]
        return "fails", f"exit code {code}: {(lines or text.splitlines() or ['no output'])[-1][:160]}"
    if verdict == "none":
        return "runs", ""
    if verdict and verdict != "quiet":
        return ("passes", "") if re.search(verdict, text) else ("fails", f"does not print /{verdict}/")
    lines = [NO_FAILURE.sub("", line) for line in text.splitlines()]
    for line, original in zip(lines, text.splitlines()):
        if FAILED.search(line):
            return "fails", original.strip()[:160]
    if verdict == "quiet":
        return "passes", ""
    if any(PASSED.search(line) for line in text.splitlines()) or NO_FAILURE.search(text):
        return "passes", ""
    return "runs", ""


def outcome_of(options, name, entry):
    if entry["verdict"].startswith("skip: "):
        return {"outcome": "not tried", "note": entry["verdict"][6:]}
    folder = copy_sources(options.hecbench, name, options.work)
    if not os.path.isdir(folder):
        return {"outcome": "not tried", "note": "not in this check-out"}
    try:
        apply_edits(folder, entry["edits"])
    except (ValueError, OSError) as error:
        return {"outcome": "not tried", "note": f"the edit does not apply: {error}"}
    program, why = build(folder)
    if not program:
        return {"outcome": "not built", "note": why}
    code, text, seconds = run(options.geak, program, entry["arguments"], folder, options.cpu_seconds)
    outcome, note = judge(code, text, entry["verdict"])
    return {"outcome": outcome, "note": note, "cpu_seconds": round(seconds, 1),
            "output": text[-3000:]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("geak", type=os.path.abspath)
    parser.add_argument("hecbench", type=os.path.abspath)
    parser.add_argument("--only", default="")
    parser.add_argument("--cpu-seconds", type=int, default=120)
    parser.add_argument("--work", type=os.path.abspath, default="/tmp/geak-hecbench")
    parser.add_argument("--report", help="JSON lines, one a program, appended")
    options = parser.parse_args()
    table = entries(TABLE)
    wanted = [name for name in options.only.split(",") if name] or list(table)
    unknown = [name for name in wanted if name not in table]
    if unknown:
        sys.exit(f"not in {TABLE}: {', '.join(unknown)}")
    counts = {}
    for name in wanted:
        result = {"name": name, "arguments": table[name]["arguments"],
                  **outcome_of(options, name, table[name])}
        counts[result["outcome"]] = counts.get(result["outcome"], 0) + 1
        print(f"{name}: {result['outcome']} {result.get('cpu_seconds', '')} {result['note']}", flush=True)
        if options.report:
            with open(options.report, "a") as out:
                out.write(json.dumps(result) + "\n")
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    passed, failed = counts.get("passes", 0), counts.get("fails", 0)
    sys.exit(0 if passed >= 0.95 * (passed + failed) else 1)


if __name__ == "__main__":
    main()
