#!/usr/bin/env bash
# The launcher alone, with plain C++: what it passes on, when it falls back, what it says.
source "$(dirname "$0")/lib.sh"
cd "$WORK"
cc=$GEAK_PREFIX/bin/geak-cc
mkdir src gen 'sp ace'
echo 'int answer() { return 1; }' >src/a.cpp
echo 'int answer() { return 2; }' >gen/a.cpp
echo 'int main() { int answer(); return answer(); }' >main.cpp
cat >overlay.yaml <<YAML
{"version": 0, "use-external-names": false, "roots": [
  {"name": "$WORK/src/a.cpp", "type": "file", "external-contents": "$WORK/gen/a.cpp"}]}
YAML
printf '%s\t%s\n' "$WORK/src/a.cpp" "$WORK/a.selection" >index
printf 'version=1\nvariant=abc123\noverlay=%s\nfile=%s\n' \
  "$WORK/overlay.yaml" "$WORK/gen/a.cpp" >swapped
printf 'version=1\nvariant=\noverlay=\n' >original

# answer COMPILER-ARGUMENT...: compiles a.cpp through geak-cc; prints what the program returns.
answer() {
  run cc.log "$cc" index "$@" clang++-19 -c "$WORK/src/a.cpp" -o a.o
  clang++-19 main.cpp a.o -o program
  local status=0
  ./program || status=$?
  echo $status
}

begin "nothing selected"
cp original a.selection
expect_same "$(answer)" 1
rm a.selection
expect_same "$(answer)" 1

begin "a variant is selected"
cp swapped a.selection
expect_same "$(answer)" 2
[[ ! -s cc.log ]] || fail "a quiet compile said: $(cat cc.log)"

begin "relative and symlinked spellings of the source"
run cc.log "$cc" index clang++-19 -c src/a.cpp -o a.o
ln -s src link
run cc.log "$cc" index clang++-19 -c link/a.cpp -o a.o

begin "before ccache: cached, and never stale"
export CCACHE_DIR=$WORK/ccache
expect_same "$(answer ccache)" 2
rm a.o
expect_same "$(answer ccache)" 2
ccache --print-stats >stats
expect_contains stats '^(direct|preprocessed)_cache_hit[[:space:]]+1'
cp original a.selection
expect_same "$(answer ccache)" 1
sed 's/return 2/return 3/' -i gen/a.cpp
sed 's/abc123/abc124/' swapped >a.selection
expect_same "$(answer ccache)" 3

begin "the variant does not compile"
echo 'garbage' >gen/a.cpp
expect_same "$(answer)" 1
expect_contains cc.log "^geak: warning: $WORK/src/a.cpp: the selected variant does not compile: .*error: .*; compiling the original$"

begin "neither compiles: the compiler's own error and status"
cp src/a.cpp good
echo 'more garbage' >>src/a.cpp
status=0
"$cc" index clang++-19 -c "$WORK/src/a.cpp" -o a.o >cc.log 2>&1 || status=$?
expect_same $status 1
expect_contains cc.log "error: "
cp good src/a.cpp

begin "files are missing"
mv gen/a.cpp gen/b.cpp
expect_same "$(answer)" 1
expect_contains cc.log "geak: warning: .*gen/a.cpp is missing"
mv index index.away
expect_same "$(answer)" 1
expect_contains cc.log "geak: warning: .*cannot read index"
mv index.away index

begin "selections that cannot be understood"
for line in 'version=2' 'variant=../../x' 'no equals sign' 'variant=abc'; do
  echo "$line" >a.selection
  expect_same "$(answer)" 1
  expect_contains cc.log "geak: warning: .*a.selection"
done

begin "status and signals are passed on"
status=0
"$cc" index sh -c 'exit 42' >cc.log 2>&1 || status=$?
expect_same $status 42
status=0
"$cc" index no-such-compiler -c x.cpp >cc.log 2>&1 || status=$?
expect_same $status 127
status=0
"$cc" >cc.log 2>&1 || status=$?
expect_same $status 2
finish
