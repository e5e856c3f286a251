#!/usr/bin/env bash
# geakd as a language server, driven by a real client: headless neovim.
source "$(dirname "$0")/lib.sh"
copy_project tests/e2e/projects/smooth
cd "$WORK"
export HOME=$WORK XDG_CONFIG_HOME=$WORK/config XDG_DATA_HOME=$WORK/data XDG_STATE_HOME=$WORK/state

# client EXPECT: runs the client's checks; neovim must say nothing beyond them.
client() {
  local status=0
  GEAKD=$GEAK_PREFIX/bin/geakd BUILD=$BUILD SOURCE=$PROJECT/smooth.hip KERNEL=smooth EXPECT=$1 \
    timeout 900 nvim --headless --clean -i NONE -n -S "$SOURCE_DIR/tests/e2e/editor/neovim_client.lua" \
    >client.log 2>client.errors || status=$?
  cat client.log
  [[ $status == 0 ]] || { cat client.errors; fail "neovim ended with $status"; }
  expect_contains client.log 'ok   geakd stops'
  [[ ! -s client.errors ]] || { cat client.errors; fail "neovim complains"; }
}

begin "nothing optimized yet: the lens starts the work and shows its result"
configure Ninja hipcc
build
client marked
expect_contains client.log 'the lens has a result: geak: [0-9.]+x modelled\(gfx90a\)'

begin "optimized: ratio, hover, diff"
build
expect_swapped smooth
client optimized
finish
