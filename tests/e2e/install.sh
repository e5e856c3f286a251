#!/usr/bin/env bash
# The installed package: installed to one place, moved to another, used from there.
source "$(dirname "$0")/lib.sh"
begin "install and move"
run "$WORK/install.log" cmake --install "$GEAK_PREFIX" --prefix "$WORK/first"
mv "$WORK/first" "$WORK/installed"
GEAK_PREFIX=$WORK/installed
GEAK=$GEAK_PREFIX/bin/geak
for file in bin/geak bin/geak-cc bin/geak-replay lib/geak/emulator/libhsa-runtime64.so.1 \
  lib/geak/libgeak-record.so lib/cmake/geak/geakConfig.cmake lib/cmake/geak/geakConfigVersion.cmake; do
  [[ -e $GEAK_PREFIX/$file ]] || fail "not installed: $file"
done
copy_project tests/e2e/projects/smooth
cd "$WORK"

begin "use it"
run configure.log cmake -S "$PROJECT" -B "$BUILD" -G Ninja -DCMAKE_CXX_COMPILER=hipcc \
  "-DCMAKE_PREFIX_PATH=$GEAK_PREFIX"
build
build --target geak-optimize
build
expect_swapped smooth
emulate "$BUILD/smooth"
expect_contains run.log PASS
expect_contains counters 'smooth__geak_'
finish
