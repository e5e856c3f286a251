#!/usr/bin/env python3
"""What recording costs a program of a thousand small launches (many_launches.hip): run times with and
without the recorder, in turns, and their ratio; what the recorder kept and what it skipped and why.

usage: recorder_cost.py [--prefix GEAK] [--samples N] OUTPUT.json

Both run on the emulated GPU, which is slower than a card: so the ratio flatters no one but says what
the recorder adds to each launch in `added_us_a_launch`."""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
LAUNCHES = 1000


def seconds(command):
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return time.perf_counter() - begin, done.stderr + done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--prefix", default=str(HERE.parent / "build"))
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("output")
    options = parser.parse_args()
    geak = os.path.join(options.prefix, "bin/geak")
    with tempfile.TemporaryDirectory() as folder:
        program, archive = os.path.join(folder, "many"), os.path.join(folder, "many.geakrec")
        subprocess.run(["hipcc", "-O3", "--offload-arch=gfx90a", str(HERE / "many_launches.hip"),
                        "-o", program], check=True, capture_output=True)
        plain, recorded, said = [], [], ""
        for _ in range(options.samples):
            plain.append(seconds([geak, "run", "--arch", "gfx90a", "--", program])[0])
            took, said = seconds([geak, "record", "--arch", "gfx90a", "-o", archive, "--", program])
            recorded.append(took)
        size = os.path.getsize(archive)
    without, with_it = statistics.median(plain), statistics.median(recorded)
    result = {"date": datetime.date.today().isoformat(), "launches": LAUNCHES,
              "samples": options.samples, "cores": os.cpu_count(),
              "without_s": without, "with_s": with_it, "ratio": with_it / without,
              "added_us_a_launch": (with_it - without) / LAUNCHES * 1e6,
              "archive_bytes": size, "raw_without_s": plain, "raw_with_s": recorded,
              "recorder_said": [line for line in said.splitlines() if "geak record" in line]}
    pathlib.Path(options.output).write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps({key: value for key, value in result.items() if not key.startswith("raw")},
                     indent=1))


main()
