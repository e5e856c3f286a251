#!/usr/bin/env bash
# usage: verify.sh GENERATOR MODE: what is shipped is what was verified, or the build fails.
source "$(dirname "$0")/lib.sh"
generator=$1 mode=$2
copy_project tests/e2e/projects/pair
export GEAK_BUDGET=15  # what is found first will do
cd "$WORK"

# verified COUNT: so many variants in the objects, all verified.
verified() {
  run verify.json "$GEAK" verify -p "$BUILD" --json
  expect_same "$(jq '[.kernels[] | select(.verified)] | length' verify.json)" "$1"
  expect_same "$(jq '.kernels | length' verify.json)" "$1"
}

# refused REASON [ARGUMENT...]: geak verify fails, and names a kernel and why.
refused() {
  local reason=$1
  shift
  if "$GEAK" verify -p "$BUILD" "$@" >verify.log 2>&1; then
    fail "geak verify accepts: $(cat verify.log)"
  fi
  expect_contains verify.log "geak verify: error: .*__geak_.*$reason"
}

# The command that compiles the source, without CMake's launcher of geak's.
compile_command() {
  jq -r '.[] | select(.file | endswith("pair.hip")) | .command' "$BUILD/compile_commands.json"
}
object() { find "$BUILD/CMakeFiles/pair.dir" -name 'pair.hip.o'; }

begin "the originals: nothing to verify"
configure "$generator" "$mode"
build
verified 0

begin "two variants composed in one unit are those that were tried"
build --target geak-optimize
build
expect_swapped pair
verified 2
emulate "$BUILD/pair"
expect_contains run.log PASS
expect_contains counters 'smooth__geak_'
expect_contains counters 'lift__geak_'
expect_no_work

begin "an object that was changed afterwards"
cp "$(object)" kept.o
python3 - "$(object)" <<'PY'
import struct, sys
path = sys.argv[1]
data = open(path, "rb").read()
mark = struct.pack("<f", 1234.5)
assert mark in data, "the constant is not in the object"
open(path, "wb").write(data.replace(mark, struct.pack("<f", 1234.25)))
PY
refused "its machine code is not what was verified"

begin "the program alone was changed"
cp kept.o "$(object)"
build
cp "$BUILD/pair" kept
python3 - "$BUILD/pair" <<'PY'
import struct, sys
path = sys.argv[1]
data = open(path, "rb").read()
open(path, "wb").write(data.replace(struct.pack("<f", 1234.5), struct.pack("<f", 1234.25)))
PY
refused "not what was verified" --file "$BUILD/pair"
cp kept "$BUILD/pair"
run verify.log "$GEAK" verify -p "$BUILD" --file "$BUILD/pair"

begin "an object compiled with other flags"
(cd "$BUILD" && run "$WORK/compile.log" bash -c \
  "'$BUILD/geak/bin/geak-cc' '$BUILD/geak/select/pair/index' $(compile_command) -O1")
refused "compiled with other flags"

begin "a variant that the cache does not know: the build fails"
touch "$PROJECT/pair.hip"
build
verified 2
export GEAK_CACHE_DIR=$WORK/another
refused 'the cache knows no verified variant'
rm "$BUILD/pair"
if cmake --build "$BUILD" >build.log 2>&1; then cat build.log; fail "the build passes"; fi
expect_contains build.log 'geak verify: error: .*smooth__geak_.*the cache knows no verified variant'
export GEAK_CACHE_DIR=$WORK/cache
build
finish
