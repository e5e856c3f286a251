#!/usr/bin/env bash
# usage: shapes.sh GENERATOR: projects of many shapes configure, build and optimize with geak.
source "$(dirname "$0")/lib.sh"
copy_project tests/e2e/projects/shapes
cd "$WORK"

begin "build from nothing, in parallel"
configure "$1" hipcc
build --parallel 4
expect_lacks build.log 'geak: warning'
for target in shapes_objects shapes_static first second; do
  [[ -s $BUILD/geak/targets/$target.json ]] || fail "no manifest of $target"
  expect_contains "$BUILD/geak/select/$target/index" 'cpp'
done
expect_no_work
for program in first second; do
  emulate "$BUILD/$program"
  expect_contains run.log PASS
done

begin "a generated header that changes"
sed -i 's/3, 1, 4, 1/2, 1, 4, 1/' "$PROJECT/tool/make_table.cpp"
build
# Nothing is in the cache, so geak has nothing to choose and no reason to read the header.
expect_contains build.log 'Building.*add_one'
expect_no_work

begin "another compiler launcher is kept"
cmake "$BUILD" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache >configure.log 2>&1
build
ccache --print-stats >stats
expect_contains stats 'cache_miss[[:space:]]+[1-9]'
expect_no_work

begin "optimize and build"
build --target geak-optimize
build
expect_lacks build.log 'geak: warning'
for program in first second; do
  emulate "$BUILD/$program"
  expect_contains run.log PASS
done
expect_no_work
finish
