#!/usr/bin/env bash
# A build for two architectures: only what is verified on both is swapped in, and runs on both.
source "$(dirname "$0")/lib.sh"
copy_project tests/e2e/projects/smooth
cd "$WORK"

# Debian's device libraries stop before gfx942: a copy in which gfx90a's version became gfx942's.
for libraries in /usr/lib/x86_64-linux-gnu/amdgcn/bitcode /usr/amdgcn/bitcode; do
  [[ ! -d $libraries ]] || break
done
cp -r "$libraries" bitcode
llvm-dis-15 bitcode/oclc_isa_version_90a.bc -o version.ll
sed -i 's/i32 9010/i32 9402/' version.ll
llvm-as-15 version.ll -o bitcode/oclc_isa_version_942.bc

# runs_on ARCH: the program passes there; counters are those of its launches.
runs_on() {
  rm -f counters
  run run.log "$GEAK" run --arch "$1" --counters counters -- "$BUILD/smooth"
  expect_contains run.log PASS
}

begin "both originals"
configure Ninja hip "-DCMAKE_HIP_ARCHITECTURES=gfx90a;gfx942" "-DHIP_DEVICE_LIB_PATH=$WORK/bitcode" \
  -DCMAKE_HIP_COMPILER=/usr/bin/clang++-19
build
expect_original smooth
for arch in gfx90a gfx942; do
  runs_on $arch
  expect_lacks counters '__geak_'
done

begin "optimize: searched on one, tried on the other"
build --target geak-optimize
cp build.log optimize.log
expect_contains optimize.log 'tried on gfx942 too: [0-9]+ trials?: .*accepted'
[[ -s $BUILD/geak/records/smooth.gfx942.geakrec ]] || fail "nothing was recorded on gfx942"

begin "rebuild: the variant that is faster on both"
build
expect_swapped smooth
expect_contains build.log 'geak: .*modelled\(gfx90a\), .*; .*modelled\(gfx942\), '
expect_lacks build.log 'geak: warning'
for arch in gfx90a gfx942; do
  runs_on $arch
  expect_contains counters 'smooth__geak_'
done
run status.json "$GEAK" status -p "$BUILD" --json
expect_contains status.json '"state": "swapped"'

begin "evidence for one of them is gone: the original, and a line that says so"
python3 - "$GEAK_CACHE_DIR/geak.db" <<'PYTHON'
import sqlite3, sys
cache = sqlite3.connect(sys.argv[1])
cache.execute("PRAGMA foreign_keys = ON")
cache.execute("""DELETE FROM keys WHERE id IN (SELECT key_id FROM variants JOIN evidence
                 ON variant_id = id WHERE type = 'modelled(gfx942)')""")
cache.commit()
PYTHON
touch "$BUILD/geak/cache-stamp"
build
expect_original smooth
expect_contains build.log 'geak: warning: smooth: .*faster for gfx90a, but not for gfx942, .*building the original'
run status.log "$GEAK" status -p "$BUILD"
expect_contains status.log 'but not for gfx942'
runs_on gfx942
expect_lacks counters '__geak_'

begin "optimizing again tries only what is missing"
build --target geak-optimize
expect_contains build.log 'tried on gfx942 too'
build
expect_swapped smooth
finish
