#!/usr/bin/env bash
# usage: samples.sh MODE: the sample programs pass on the emulated GPU, also at odd sizes, and refuse
# bad arguments.
source "$(dirname "$0")/lib.sh"
copy_project samples/applications
cd "$WORK"
configure Ninja "$1" -DGEAK_SWAP=OFF
build

begin "default sizes"
for program in bitonic_sort convolution floyd_warshall histogram monte_carlo_pi prefix_sum; do
  emulate "$BUILD/$program"
  expect_contains run.log PASS
  expect_lacks run.log FAIL
done

begin "recorded kernels replay bit for bit in a fresh process"
(cd "$BUILD" && python3 "$SOURCE_DIR/tests/public/record_replay.py" "$GEAK_PREFIX" --built \
  bitonic_sort convolution floyd_warshall histogram monte_carlo_pi prefix_sum)

begin "other sizes and seeds"
for line in "bitonic_sort 2" "bitonic_sort 64" "convolution 1" "convolution 33" "convolution 130" \
  "floyd_warshall 2" "floyd_warshall 50" "histogram 16384" "monte_carlo_pi 32768" \
  "prefix_sum 1" "prefix_sum 513" "prefix_sum 262145"; do
  read -r program size <<<"$line"
  emulate "$BUILD/$program" --size "$size" --seed 99
  expect_contains run.log PASS
done

begin "bad arguments"
for line in "bitonic_sort 3" "histogram 100" "prefix_sum x" "convolution 0" "prefix_sum -5"; do
  read -r program size <<<"$line"
  status=0
  "$BUILD/$program" --size "$size" >run.log 2>&1 || status=$?
  expect_same $status 2 "$line"
done
finish
