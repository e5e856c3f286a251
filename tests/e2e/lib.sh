# A small test library for the end-to-end suites: source it, call `begin NAME` before each part.
# Every check ends the suite with a message that names the part, what was expected and what was seen.
# Needs GEAK_PREFIX (build tree or installation) and SOURCE_DIR (the repository).
set -euo pipefail

: "${GEAK_PREFIX:?build tree or installation of geak}" "${SOURCE_DIR:?the repository}"
export GEAK_PREFIX SOURCE_DIR
GEAK=$GEAK_PREFIX/bin/geak
WORK=$(mktemp -d "${TMPDIR:-/tmp}/geak-e2e.XXXXXX")
export GEAK_CACHE_DIR=$WORK/cache
export CCACHE_DIR=$WORK/ccache
unset GEAK_DISABLE MAKEFLAGS CMAKE_GENERATOR HIPCXX HIPFLAGS
part="start"
finished=no

cleanup() {
  if [[ $finished == yes && -z ${GEAK_E2E_KEEP:-} ]]; then
    chmod -R u+w "$WORK" && rm -rf "$WORK"
  else
    echo "kept for a look: $WORK"
  fi
}
trap cleanup EXIT
trap 'echo "FAILED in part \"$part\": line $LINENO: $BASH_COMMAND"' ERR

begin() {
  part=$1
  echo "== $part"
}

fail() {
  echo "FAILED in part \"$part\": $*"
  trap - ERR
  exit 1
}

finish() {
  finished=yes
  echo "passed"
}

# run LOG COMMAND...: the command must succeed; its output goes to LOG.
run() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || { local status=$?; cat "$log"; fail "status $status of: $*"; }
}

expect_contains() {
  grep -Eq -- "$2" "$1" || { cat "$1"; fail "expected in $1: $2"; }
}

expect_lacks() {
  if grep -Eq -- "$2" "$1"; then cat "$1"; fail "not expected in $1: $2"; fi
}

expect_same() {
  [[ $1 == "$2" ]] || fail "expected '$2', got '$1'${3:+ ($3)}"
}

# copy_project FOLDER: copies a project, with what enable_language(HIP) needs on Debian, into $WORK.
copy_project() {
  PROJECT=$WORK/project
  BUILD=$WORK/build
  cp -r "$SOURCE_DIR/$1" "$PROJECT"
  cp -r "$SOURCE_DIR/samples/applications/cmake" "$PROJECT/"
}

# configure GENERATOR MODE [OPTION...]: MODE is hipcc (as C++ compiler) or hip (CMake's language).
configure() {
  local generator=$1 mode=$2
  shift 2
  local options=(-DCMAKE_CXX_COMPILER=hipcc)
  [[ $mode == hipcc ]] || options=(-DSAMPLES_HIP_LANGUAGE=ON)
  run "$WORK/configure.log" cmake -S "$PROJECT" -B "$BUILD" -G "$generator" \
    "-Dgeak_DIR=$GEAK_PREFIX/lib/cmake/geak" "${options[@]}" "$@"
}

# build [ARGUMENT...]: output in $WORK/build.log.
build() {
  run "$WORK/build.log" cmake --build "$BUILD" "$@"
}

# leave_cache MODE: for the suites that begin with optimized kernels of that mode.
leave_cache() {
  [[ -n ${GEAK_E2E_SHARED:-} ]] || return 0
  mkdir -p "$GEAK_E2E_SHARED"
  rm -rf "$GEAK_E2E_SHARED/$1.new" "$GEAK_E2E_SHARED/$1.old"
  cp -r "$GEAK_CACHE_DIR" "$GEAK_E2E_SHARED/$1.new"
  [[ ! -e $GEAK_E2E_SHARED/$1 ]] || mv "$GEAK_E2E_SHARED/$1" "$GEAK_E2E_SHARED/$1.old"
  mv "$GEAK_E2E_SHARED/$1.new" "$GEAK_E2E_SHARED/$1"
  rm -rf "$GEAK_E2E_SHARED/$1.old"
}

# optimize MODE: builds the target geak-optimize. Its search is the one of build_flow in that mode
# where that left its cache: the kernel, the flags and so the keys are the same.
optimize() {
  if [[ -n ${GEAK_E2E_SHARED:-} && -d $GEAK_E2E_SHARED/$1 ]]; then
    cp -r "$GEAK_E2E_SHARED/$1" "$GEAK_CACHE_DIR"
  fi
  build --target geak-optimize
}

# Builds; fails if anything is compiled, linked or chosen.
expect_no_work() {
  build
  expect_lacks "$WORK/build.log" 'Building|Linking|geak:'
}

# variant TARGET: the digest selected for the target's first source; empty for the original.
variant() {
  sed -n 's/^variant=//p' "$BUILD/geak/select/$1/0.selection"
}

expect_swapped() {
  [[ -n $(variant "$1") ]] || { cat "$WORK/build.log"; fail "no variant is selected for $1"; }
}

expect_original() {
  expect_same "$(variant "$1")" "" "a variant is selected for $1"
}

# emulate COMMAND...: runs on the emulated GPU; output in $WORK/run.log, counters in $WORK/counters.
emulate() {
  rm -f "$WORK/counters"
  run "$WORK/run.log" "$GEAK" run --counters "$WORK/counters" -- "$@"
}
