#!/usr/bin/env bash
# usage: build_flow.sh GENERATOR MODE: configure, build, optimize, rebuild: the whole chain.
source "$(dirname "$0")/lib.sh"
generator=$1 mode=$2
copy_project tests/e2e/projects/smooth
cd "$WORK"

begin "first build: the original"
configure "$generator" "$mode"
build
expect_original smooth
emulate "$BUILD/smooth"
expect_contains run.log PASS
expect_no_work

begin "optimize"
build --target geak-optimize
cp build.log optimize.log
[[ -s $BUILD/geak/records/smooth.geakrec ]] || fail "no launches were recorded"
[[ ! -e $BUILD/geak/original/geak/bin ]] || fail "the twin is swapped"

[[ -z ${GEAK_E2E_LEAVE:-} ]] || leave_cache "$mode"

begin "rebuild: swapped"
build
expect_swapped smooth
expect_contains build.log 'geak: .*smooth.*modelled\(gfx90a\)'
expect_lacks build.log 'geak: warning'
emulate "$BUILD/smooth"
expect_contains run.log PASS
expect_contains counters 'smooth__geak_'
expect_no_work

begin "GEAK_DISABLE=1 runs the original"
GEAK_DISABLE=1 emulate "$BUILD/smooth"
expect_contains run.log PASS
expect_lacks counters '__geak_'

begin "a comment elsewhere keeps the variant"
swapped=$(variant smooth)
sed -i 's/A comment elsewhere in the file./Another comment,\n\/\/ of two lines./' "$PROJECT/smooth.hip"
build
expect_swapped smooth
expect_lacks build.log 'geak: warning'
emulate "$BUILD/smooth"
expect_contains counters 'smooth__geak_'
expect_no_work

begin "configuring again keeps the variant and compiles nothing"
cmake "$BUILD" >configure.log 2>&1
build
expect_lacks build.log 'Building|Linking'
expect_swapped smooth

begin "GEAK_SWAP=OFF: the original"
cmake "$BUILD" -DGEAK_SWAP=OFF >configure.log 2>&1
build
emulate "$BUILD/smooth"
expect_contains run.log PASS
expect_lacks counters '__geak_'
cmake "$BUILD" -DGEAK_SWAP=ON >configure.log 2>&1
build
expect_swapped smooth
emulate "$BUILD/smooth"
expect_contains counters 'smooth__geak_'

begin "clean and build again"
build --target clean
build
expect_swapped smooth
emulate "$BUILD/smooth"
expect_contains counters 'smooth__geak_'
finish
