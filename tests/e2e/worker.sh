#!/usr/bin/env bash
# usage: worker.sh: a bundle packed here is tried by geak-worker on the emulated GPU as on any machine
# with an AMD GPU and hipcc: compiled, recorded, timed, verified, its steps told apart.
source "$(dirname "$0")/lib.sh"
copy_project samples/applications
cd "$WORK"
configure Ninja hipcc -DGEAK_SWAP=OFF

begin "bundle"
run bundle.log "$GEAK" bundle -p "$BUILD" --target histogram --candidates 6 --no-records \
  --run "small=--size 65536" --run "odd=--size 49152" -o histogram.geakbundle
expect_contains bundle.log "6 candidates of 1 kernel"

begin "worker"
run worker.log "$GEAK" run -- "$GEAK_PREFIX/bin/geak-worker-hip" histogram.geakbundle -o result.json \
  --work work --budget 60 --sizes small,odd --verify-all small --time-only odd
expect_contains worker.log "emulated by geak"
python3 - <<'PYTHON' || fail "result.json is not what it should be"
import json
document = json.load(open("result.json"))
assert document["finished"], document["problems"]
small, odd = document["kernels"]
assert (small["size"], odd["size"]) == ("small", "odd")
assert small["state"] == odd["state"] == "tried"
outcomes = [one["outcome"] for one in small["candidates"]]
assert "accepted" in outcomes, outcomes
for one in small["candidates"]:
    if one["outcome"] == "accepted":
        assert one["inputs_tried"] > 1 and one["gain"] > 0 and one["variant"]["text"], one
# Timed alone: nothing is called verified there.
assert all(one["outcome"] != "accepted" for one in odd["candidates"])
assert any(one["outcome"] == "timed" and one["gain"] > 0 for one in odd["candidates"])
assert all(launch["ns"] > 0 for launch in small["original"]["launches"])
PYTHON

begin "its candidates are made again, from their texts and from their recipes"
run remake.json "$GEAK" remake -p "$BUILD" -o again result.json
python3 - <<'PYTHON' || fail "remake.json is not what it should be"
import json, os
text = open("remake.json").read()
kernel, = json.loads(text[text.index("{"):])["kernels"]
timed = {one["digest"] for part in json.load(open("result.json"))["kernels"]
         for one in part["candidates"] if "gain" in one}
assert {one["digest"] for one in kernel["candidates"]} == timed and not kernel["left_out"], kernel
assert all(os.path.getsize(one["code_object"]) for one in kernel["candidates"])
PYTHON

begin "a rerun tries nothing again"
cp result.json first.json
run worker.log "$GEAK" run -- "$GEAK_PREFIX/bin/geak-worker-hip" histogram.geakbundle -o result.json \
  --work work --budget 60 --sizes small,odd --verify-all small --time-only odd
expect_lacks worker.log "timed, fastest"

begin "a glob that matches nothing is no success"
status=0
"$GEAK" run -- "$GEAK_PREFIX/bin/geak-worker-hip" histogram.geakbundle -o none.json --work work \
  --only 'other:*' >worker.log 2>&1 || status=$?
expect_same $status 1 "exit code"
expect_contains worker.log "matches no TARGET:KERNEL of the bundle .histogram:histogram."

begin "time that is over ends it, and what was found stays"
status=0
"$GEAK" run -- "$GEAK_PREFIX/bin/geak-worker-hip" histogram.geakbundle -o late.json --work work \
  --total 0.001 >worker.log 2>&1 || status=$?
expect_same $status 130 "exit code"
expect_contains late.json '"finished": false'

begin "the emulated GPU measures nothing"
status=0
"$GEAK" import result.json >import.log 2>&1 || status=$?
[[ $status != 0 ]] || fail "modelled times were imported as measured"
expect_contains import.log "modelled"
finish
