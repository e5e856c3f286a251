#!/usr/bin/env bash
# usage: trouble.sh GENERATOR MODE: whatever is wrong with geak, the build makes the original and
# says why.
source "$(dirname "$0")/lib.sh"
generator=$1 mode=$2
copy_project tests/e2e/projects/smooth
cd "$WORK"

# Its own geak, so that the suite can break it.
mkdir prefix
cp -r "$GEAK_PREFIX/bin" prefix/
mkdir -p prefix/lib
cp -r "$GEAK_PREFIX/lib/geak" "$GEAK_PREFIX/lib/cmake" prefix/lib/
GEAK_PREFIX=$WORK/prefix
GEAK=$GEAK_PREFIX/bin/geak

configure "$generator" "$mode"
build
optimize "$mode"
build
expect_swapped smooth

# Makes the next build choose again.
choose_again() {
  touch "$BUILD/geak/cache-stamp"
}

expect_original_with_warning() {
  expect_original smooth
  expect_contains build.log "geak: warning: .*$1"
  emulate_original
}

emulate_original() {
  run run.log "$WORK/kept/bin/geak" run --counters "$WORK/counters" -- "$BUILD/smooth"
  expect_contains run.log PASS
  expect_lacks counters '__geak_'
  rm -f counters
}

expect_recovery() {
  choose_again
  build
  expect_swapped smooth
  expect_lacks build.log 'geak: warning'
}

mkdir kept
cp -r prefix/bin prefix/lib kept/
cp -r cache cache.good
restore_cache() {
  chmod -R u+w cache 2>/dev/null || true
  rm -rf cache
  cp -r cache.good cache
}

begin "the cache is deleted"
rm -rf cache
choose_again
build
expect_original_with_warning '(cache|variant)'
restore_cache
expect_recovery

begin "the cache is corrupted"
for file in cache/*; do
  [[ -f $file ]] && head -c 8192 /dev/urandom >"$file"
done
choose_again
build
expect_original_with_warning 'cache'
restore_cache
expect_recovery

begin "the cache is cut short"
for file in cache/*; do
  [[ -f $file ]] && truncate -s 5000 "$file"
done
choose_again
build
expect_original_with_warning 'cache'
restore_cache
expect_recovery

begin "the cache is read-only: the choice needs no writing"
chmod -R a-w cache
choose_again
build
expect_swapped smooth
restore_cache

begin "geak is removed after configuring"
mv prefix/bin/geak moved
choose_again
build
expect_original_with_warning 'bin/geak is missing'
mv moved prefix/bin/geak
build
expect_swapped smooth

begin "geak crashes"
mv prefix/bin/geak moved
printf '#!/bin/sh\nkill -SEGV $$\n' >prefix/bin/geak
chmod +x prefix/bin/geak
choose_again
build
expect_original_with_warning 'geak swap ended with'
mv moved prefix/bin/geak
build
expect_swapped smooth

begin "a variant no longer compiles"
generated=$(sed -n 's/^file=//p' "$BUILD/geak/select/smooth/0.selection" | head -1)
cp "$generated" generated.good
echo 'this is no C++' >>"$generated"
find "$BUILD/CMakeFiles/smooth.dir" -name 'smooth*.o' -delete
build
expect_contains build.log 'geak: warning: .*smooth.hip: the selected variant does not compile: .*error'
emulate_original

begin "the generated files are deleted"
rm -rf "$BUILD/geak/swap"
find "$BUILD/CMakeFiles/smooth.dir" -name 'smooth*.o' -delete
build
expect_contains build.log 'geak: warning: .*is missing; compiling the original'
emulate_original

begin "a selection file is garbage"
echo 'nonsense' >"$BUILD/geak/select/smooth/0.selection"
build
expect_contains build.log "geak: warning: .*0.selection: a line without '='"
emulate_original
expect_recovery
finish
