#!/usr/bin/env bash
# usage: edits.sh GENERATOR MODE: which edits drop a variant, what `geak explain` says of it.
source "$(dirname "$0")/lib.sh"
generator=$1 mode=$2
copy_project tests/e2e/projects/smooth
cd "$WORK"

configure "$generator" "$mode"
build
optimize "$mode"
build
expect_swapped smooth
first=$(variant smooth)

# An edit must drop the variant, `geak explain` must name the part; undoing it brings it back.
# drops NAME PART FILE SED
drops() {
  begin "edit: $1"
  cp "$PROJECT/$3" saved
  sed -i "$4" "$PROJECT/$3"
  cmp -s saved "$PROJECT/$3" && fail "the edit changed nothing"
  build
  expect_original smooth
  run explain.log "$GEAK" explain smooth -p "$BUILD"
  expect_contains explain.log "$2"
  cp saved "$PROJECT/$3"
  build
  expect_same "$(variant smooth)" "$first" "undoing the edit brings the variant back"
}

drops kernel 'source' smooth.hip 's/float sum = 0.0f;/float sum = 0.0f + 0.0f;/'
drops callee 'callees' window.h 's/1.0f + window.sharpness/1.5f + window.sharpness/'
drops type 'types' window.h 's/float sharpness;/float sharpness, unused;/'
drops macro 'macros' smooth.hip 's/GAIN 2.0f/GAIN 3.0f/'
drops constant 'constants' smooth.hip 's/kOffset = 0.5f/kOffset = 0.75f/'

begin "edit: flag"
flags=CMAKE_CXX_FLAGS
[[ $mode == hipcc ]] || flags=CMAKE_HIP_FLAGS
old=$(sed -n "s/^$flags:[A-Z]*=//p" "$BUILD/CMakeCache.txt")
cmake "$BUILD" "-D$flags=$old -ffast-math" >configure.log 2>&1
build
expect_original smooth
run explain.log "$GEAK" explain smooth -p "$BUILD"
expect_contains explain.log 'flags'
cmake "$BUILD" "-D$flags=$old" >configure.log 2>&1
build
expect_same "$(variant smooth)" "$first" "undoing the flag brings the variant back"
finish
