# Puts geak between a target's sources and the compiler: launcher, selection files, swap command.
include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.21)

set_property(GLOBAL PROPERTY _GEAK_MODULE_DIR "${CMAKE_CURRENT_LIST_DIR}")
get_filename_component(_geak_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set_property(GLOBAL PROPERTY _GEAK_PREFIX "${_geak_prefix}")
unset(_geak_prefix)

# What a build needs of geak is copied into the build folder, so that it keeps building when geak is
# removed. Clears the named variable, with a warning, where swapping cannot work.
function(_geak_prepare_build_folder swap)
  get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(multi_config OR NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    message(WARNING "geak: the generator '${CMAKE_GENERATOR}' is not supported (Ninja and Makefiles "
                    "are); the original kernels are built.")
    set(${swap} OFF PARENT_SCOPE)
    return()
  endif()
  get_property(prefix GLOBAL PROPERTY _GEAK_PREFIX)
  get_property(module_dir GLOBAL PROPERTY _GEAK_MODULE_DIR)
  set(geak_dir "${CMAKE_BINARY_DIR}/geak")
  # file(COPY), not configure_file(): a removed geak must not make CMake run again.
  if(EXISTS "${prefix}/bin/geak-cc")
    file(COPY "${prefix}/bin/geak-cc" DESTINATION "${geak_dir}/bin")
  elseif(NOT EXISTS "${geak_dir}/bin/geak-cc")
    message(WARNING "geak: ${prefix}/bin/geak-cc is missing; the original kernels are built. "
                    "Build or install geak and configure again.")
    set(${swap} OFF PARENT_SCOPE)
    return()
  endif()
  file(COPY "${module_dir}/geak_swap.cmake" "${module_dir}/geak_build_original.cmake"
       DESTINATION "${geak_dir}/bin")
  if(NOT EXISTS "${geak_dir}/cache-stamp")
    file(TOUCH "${geak_dir}/cache-stamp")
  endif()
endfunction()

# Writes the index and, where missing, selections of the original; returns the selection files.
function(_geak_write_selections target sources out)
  set(selections "")
  set(index_lines "")
  set(index 0)
  foreach(source IN LISTS sources)
    _geak_selection_file(selection ${target} ${index})
    if(NOT EXISTS "${selection}")
      file(WRITE "${selection}" "version=1\nvariant=\noverlay=\n")
    endif()
    list(APPEND selections "${selection}")
    string(APPEND index_lines "${source}\t${selection}\n")
    # The selection names a digest of all that is swapped in, so nothing else has to be watched.
    set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} APPEND PROPERTY
                 OBJECT_DEPENDS "${selection}")
    set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY
                 SKIP_UNITY_BUILD_INCLUSION ON)
    math(EXPR index "${index} + 1")
  endforeach()
  set(index_file "${CMAKE_BINARY_DIR}/geak/select/${target}/index")
  set(old "")
  if(EXISTS "${index_file}")
    file(READ "${index_file}" old)
  endif()
  if(NOT old STREQUAL index_lines)
    # Numbers may have changed their meaning: start from the originals.
    file(WRITE "${index_file}" "${index_lines}")
    foreach(selection IN LISTS selections)
      file(WRITE "${selection}" "version=1\nvariant=\noverlay=\n")
    endforeach()
  endif()
  set(${out} "${selections}" PARENT_SCOPE)
endfunction()

# With swapping off: back to the originals where a build with swapping on has left variants. Make
# does not compile again because a launcher is gone, so the objects depend on the selections here too.
function(_geak_detach target sources)
  set(geak_dir "${CMAKE_BINARY_DIR}/geak")
  if(NOT EXISTS "${geak_dir}/select/${target}/index")
    return()
  endif()
  # Without its stamp the choice is made anew when swapping is turned on again.
  file(REMOVE "${geak_dir}/select/${target}/swap.stamp")
  set(index 0)
  foreach(source IN LISTS sources)
    _geak_selection_file(selection ${target} ${index})
    set(present "")
    if(EXISTS "${selection}")
      file(READ "${selection}" present)
    endif()
    if(NOT present STREQUAL "version=1\nvariant=\noverlay=\n")
      file(WRITE "${selection}" "version=1\nvariant=\noverlay=\n")
    endif()
    set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} APPEND PROPERTY
                 OBJECT_DEPENDS "${selection}")
    math(EXPR index "${index} + 1")
  endforeach()
endfunction()

function(_geak_attach target sources)
  set(geak_dir "${CMAKE_BINARY_DIR}/geak")
  _geak_write_selections(${target} "${sources}" selections)

  foreach(language IN ITEMS CXX HIP)
    get_target_property(launcher ${target} ${language}_COMPILER_LAUNCHER)
    set(chain "${geak_dir}/bin/geak-cc" "${geak_dir}/select/${target}/index")
    if(launcher)
      list(APPEND chain ${launcher})
    endif()
    set_target_properties(${target} PROPERTIES ${language}_COMPILER_LAUNCHER "${chain}")
  endforeach()

  get_property(prefix GLOBAL PROPERTY _GEAK_PREFIX)
  set(stamp "${geak_dir}/select/${target}/swap.stamp")
  set(manifest "${geak_dir}/targets/${target}.json")
  # compile_commands.json stands for the flags; the program geak is no dependency, since a build
  # must work after it was removed.
  add_custom_command(
    OUTPUT "${stamp}"
    BYPRODUCTS ${selections}
    COMMAND ${CMAKE_COMMAND} "-DGEAK=${prefix}/bin/geak" -DTARGET=${target}
            "-DMANIFEST=${manifest}" "-DSTAMP=${stamp}" "-DDEPFILE=${stamp}.d"
            "-DINDEX=${geak_dir}/select/${target}/index" -P "${geak_dir}/bin/geak_swap.cmake"
    DEPENDS ${sources} "${manifest}" "${geak_dir}/cache-stamp"
            "${CMAKE_BINARY_DIR}/compile_commands.json"
    DEPFILE "${stamp}.d"
    COMMENT "geak: choosing the kernels of ${target}"
    VERBATIM)
  _geak_order_choice_before(${target} "${stamp}")
endfunction()

# Lets a custom target make the stamp, and the target wait for it: under Make it alone puts the
# choice before the compilation. Each target costs Make two processes in every build, so those
# without prerequisites share one there; with prerequisites sharing could close a cycle.
function(_geak_order_choice_before target stamp)
  get_target_property(prerequisites ${target} MANUALLY_ADDED_DEPENDENCIES)
  if(CMAKE_GENERATOR MATCHES "Makefiles" AND NOT prerequisites)
    set_property(GLOBAL APPEND PROPERTY _GEAK_SHARED_STAMPS "${stamp}")
    set_property(GLOBAL APPEND PROPERTY _GEAK_SHARED_TARGETS ${target})
    return()
  endif()
  add_custom_target(geak-swap-${target} DEPENDS "${stamp}")
  if(prerequisites)
    add_dependencies(geak-swap-${target} ${prerequisites})
  endif()
  add_dependencies(${target} geak-swap-${target})
endfunction()

function(_geak_order_shared_choices)
  get_property(stamps GLOBAL PROPERTY _GEAK_SHARED_STAMPS)
  get_property(targets GLOBAL PROPERTY _GEAK_SHARED_TARGETS)
  if(stamps)
    add_custom_target(geak-swap DEPENDS ${stamps})
    foreach(target IN LISTS targets)
      add_dependencies(${target} geak-swap)
    endforeach()
  endif()
endfunction()
cmake_policy(POP)
