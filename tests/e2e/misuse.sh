#!/usr/bin/env bash
# geak_optimize() refuses what cannot work, with a message that says what to do.
source "$(dirname "$0")/lib.sh"
cd "$WORK"
mkdir project
echo 'int main() {}' >project/a.cpp

# refuses PATTERN LINES: configuring a project with these lines fails with the message.
refuses() {
  begin "$2"
  cat >project/CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.21)
project(misuse LANGUAGES CXX)
find_package(geak CONFIG REQUIRED)
add_executable(app a.cpp)
add_library(headers INTERFACE)
$2
CMAKE
  if cmake -S project -B build "-Dgeak_DIR=$GEAK_PREFIX/lib/cmake/geak" >log 2>&1; then
    fail "was accepted"
  fi
  tr -s '\n ' '  ' <log >flat
  expect_contains flat "$1"
}
refuses 'geak_optimize\(nothing\): there is no such target' 'geak_optimize(nothing KERNELS a)'
refuses 'name the kernels: KERNELS' 'geak_optimize(app)'
refuses 'no value after KERNELS' 'geak_optimize(app KERNELS)'
refuses 'unknown arguments: a' 'geak_optimize(app a KERNELS b)'
refuses 'TOLERANCE is no number: much' 'geak_optimize(app KERNELS a TOLERANCE much)'
refuses 'compiles no sources' 'geak_optimize(headers KERNELS a)'
refuses 'called twice' 'geak_optimize(app KERNELS a)
geak_optimize(app KERNELS b)'

begin "the manifest quotes what it is given"
cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.21)
project(quotes LANGUAGES CXX)
find_package(geak CONFIG REQUIRED)
add_executable(app a.cpp $<1:b.cpp>)
file(WRITE ${CMAKE_SOURCE_DIR}/b.cpp "")
geak_optimize(app KERNELS "detail::scan<*>" "a\\b\"c" WORKLOAD app "two words" $<CONFIG>
              ARCHITECTURES gfx90a gfx942 TOLERANCE 1e-5)
CMAKE
run log cmake -S project -B build "-Dgeak_DIR=$GEAK_PREFIX/lib/cmake/geak" -DCMAKE_BUILD_TYPE=Debug
python3 - build/geak/targets/app.json <<'PYTHON'
import json, sys
manifest = json.load(open(sys.argv[1]))
assert manifest["schema"] == 1 and manifest["target"] == "app"
assert manifest["kernels"] == ["detail::scan<*>", 'a\\b"c'], manifest["kernels"]
assert manifest["workload"]["command"][1:] == ["two words", "Debug"], manifest["workload"]
assert manifest["workload"]["command"][0].endswith("/build/app"), manifest["workload"]
assert manifest["architectures"] == ["gfx90a", "gfx942"]
assert manifest["tolerance"] == 1e-5
assert [s["path"].rsplit("/", 1)[1] for s in manifest["sources"]] == ["a.cpp"]
PYTHON
run build.log cmake --build build
finish
