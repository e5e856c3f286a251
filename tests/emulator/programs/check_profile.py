#!/usr/bin/env python3
"""check_profile.py GEAK PROGRAM: `geak profile` of profile_counts, against numbers from its source."""
import json
import pathlib
import subprocess
import sys
import tempfile

geak, program = sys.argv[1:]
failures = []


def expect(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: {found}, expected {wanted}")


with tempfile.TemporaryDirectory() as folder:
    page = pathlib.Path(folder) / "page.html"
    run = subprocess.run([geak, "profile", "--json", "--html", page, "--timeout", "100", "--", program],
                         stdout=subprocess.PIPE, check=True)
    html = page.read_text()
profile = json.loads(run.stdout)
expect("evidence", profile["evidence"], "modelled(gfx90a)")
expect("exit code", profile["exit_code"], 0)
kernels = {k["name"].split("(")[0]: k for k in profile["kernels"]}
expect("kernels", sorted(kernels), ["conflicts", "copies", "odd_lanes", "spills", "strided"])


def memory(kernel, direction):
    return kernels[kernel]["counters"]["memory"][direction]


# 6 workgroups of 4 waves, each reading and writing 256 bytes once: 4 lines of 64 bytes.
for direction in ("read", "write"):
    expect(f"copies {direction}", memory("copies", direction),
           {"instructions": 24, "lanes": 1536, "bytes": 6144, "lines64": 96, "lines128": 48})
expect("launches of copies", [l["counters"]["waves"] for l in kernels["copies"]["launches"]], [16, 8])
expect("active lanes of copies", kernels["copies"]["metrics"]["active_lanes"], 1.0)
# 4 waves, a line a lane.
expect("strided read", memory("strided", "read"),
       {"instructions": 4, "lanes": 256, "bytes": 1024, "lines64": 256, "lines128": 256})
expect("lines a read", kernels["strided"]["metrics"]["read_lines_per_instruction"], 64)
expect("odd lanes", memory("odd_lanes", "write")["lanes"], 64)
# 3 waves: a write and a read of 64 cycles each, of which 62 are conflicts.
lds = kernels["conflicts"]["counters"]["lds"]
expect("LDS", [lds["instructions"], lds["cycles"], lds["conflict_cycles"]], [6, 384, 372])
expect("barriers", kernels["conflicts"]["counters"]["barriers"], 6)
resources = kernels["spills"]["counters"]["resources"]
if resources["vgpr_spills"] == 0 or kernels["spills"]["counters"]["memory"]["scratch_instructions"] == 0:
    failures.append(f"no spills: {resources}")
expect("registers of a kernel of 16 waves", resources["vgprs"] <= 128, True)
for part in ("modelled(gfx90a)", "<svg", "strided("):
    if part not in html:
        failures.append(f"the page lacks {part}")
print("\n".join(failures) or "all counters as counted by hand")
sys.exit(bool(failures))
