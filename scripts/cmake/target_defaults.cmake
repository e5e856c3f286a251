# Warnings, sanitizers and include root of every target of ours; call it on each.
function(geak_target_defaults target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Werror)
  if(GEAK_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                           -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
  if(GEAK_BUILD_FUZZERS)
    # Coverage for the fuzzers, which find their way by it.
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# A unit test: tests/<path>_test.cpp for <path>.cpp. With ALWAYS_SANITIZED every `scripts/test` builds
# it under the sanitizers too: for parts that read bytes from outside and compile quickly.
function(geak_add_unit_test target)
  cmake_parse_arguments(arg "ALWAYS_SANITIZED" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${target} ${arg_SOURCES})
  geak_target_defaults(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} GTest::gtest_main GTest::gmock)
  # All that the sanitizer build makes: a sanitized library cannot be loaded by other programs.
  if(NOT TARGET geak_unit_tests)
    add_custom_target(geak_unit_tests)
  endif()
  add_dependencies(geak_unit_tests ${target})
  if(arg_ALWAYS_SANITIZED)
    list(APPEND arg_LABELS sanitized)
    if(NOT TARGET geak_sanitized_tests)
      add_custom_target(geak_sanitized_tests)
    endif()
    add_dependencies(geak_sanitized_tests ${target})
  endif()
  # One label that ctest's -L finds by any part: gtest_discover_tests() takes no list here.
  list(PREPEND arg_LABELS unit)
  list(JOIN arg_LABELS "," labels)
  include(GoogleTest)
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS "${labels}" TIMEOUT 300)
endfunction()
