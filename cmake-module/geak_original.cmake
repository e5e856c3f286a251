# The target `geak-optimize`: builds the unswapped twin and lets `geak optimize` search.
include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.21)

# Writes a script for `cmake -C` that gives the twin this project's cache settings. Paths inside
# this build folder are left out: the twin finds or makes its own.
function(_geak_write_twin_cache file)
  get_cmake_property(names CACHE_VARIABLES)
  set(content "# Written by geak: this project's settings, for the unswapped twin.\n")
  foreach(name IN LISTS names)
    get_property(type CACHE "${name}" PROPERTY TYPE)
    get_property(value CACHE "${name}" PROPERTY VALUE)
    string(FIND "${value}" "${CMAKE_BINARY_DIR}/" position)
    if(type MATCHES "^(INTERNAL|STATIC)$" OR NOT position EQUAL -1 OR name STREQUAL "GEAK_SWAP")
      continue()
    endif()
    if(type STREQUAL "UNINITIALIZED")
      set(type STRING)
    endif()
    string(APPEND content "set([==[${name}]==] [==[${value}]==] CACHE ${type} \"\" FORCE)\n")
  endforeach()
  file(CONFIGURE OUTPUT "${file}" CONTENT "@content@" @ONLY)
endfunction()

function(_geak_add_optimize_target targets)
  set(geak_dir "${CMAKE_BINARY_DIR}/geak")
  _geak_write_twin_cache("${geak_dir}/original-cache.cmake")

  # A workload that is the target's own program needs no other target built.
  set(twin_targets "${targets}")
  foreach(target IN LISTS targets)
    get_target_property(command ${target} _GEAK_WORKLOAD)
    get_target_property(type ${target} TYPE)
    if(command)
      list(GET command 0 program)
      get_filename_component(program "${program}" NAME)
    elseif(type STREQUAL "EXECUTABLE")
      set(program ${target})
    else()
      set(program "")
    endif()
    if(NOT program STREQUAL target)
      set(twin_targets all)
      break()
    endif()
  endforeach()
  string(REPLACE ";" "," twin_targets "${twin_targets}")

  get_property(prefix GLOBAL PROPERTY _GEAK_PREFIX)
  set(content "# Written by geak: builds the unswapped twin; `cmake -P` runs it.\n")
  foreach(setting IN ITEMS SOURCE_DIR=CMAKE_SOURCE_DIR BUILD_DIR=CMAKE_BINARY_DIR
                           GENERATOR=CMAKE_GENERATOR TWIN_TARGETS=twin_targets)
    string(REPLACE "=" ";" setting "${setting}")
    list(GET setting 0 name)
    list(GET setting 1 variable)
    string(APPEND content "set(${name} [==[${${variable}}]==])\n")
  endforeach()
  string(APPEND content
         "include(\"\${CMAKE_CURRENT_LIST_DIR}/bin/geak_build_original.cmake\")\n")
  file(CONFIGURE OUTPUT "${geak_dir}/build_original.cmake" CONTENT "@content@" @ONLY)
  add_custom_target(geak-optimize
    COMMAND ${CMAKE_COMMAND} "-DGEAK=${prefix}/bin/geak" -P "${geak_dir}/build_original.cmake"
    USES_TERMINAL
    COMMENT "geak: optimizing the marked kernels"
    VERBATIM)
endfunction()
cmake_policy(POP)
