# Writes <build>/geak/targets/<target>.json; docs/build_files.md describes it.
include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.21)

# A JSON string literal of a text.
function(_geak_json_string out text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n" text "${text}")
  string(REPLACE "\t" "\\t" text "${text}")
  set(${out} "\"${text}\"" PARENT_SCOPE)
endfunction()

# A JSON array of the strings given after its name.
function(_geak_json_array out)
  set(items "")
  foreach(item IN LISTS ARGN)
    _geak_json_string(literal "${item}")
    list(APPEND items "${literal}")
  endforeach()
  list(JOIN items ", " items)
  set(${out} "[${items}]" PARENT_SCOPE)
endfunction()

# The sources that could hold kernels, as absolute paths.
function(_geak_sources target out)
  get_target_property(entries ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(sources "")
  foreach(entry IN LISTS entries)
    if(entry MATCHES "^\\$<TARGET_OBJECTS:")
      continue()  # compiled by another target
    elseif(entry MATCHES "\\$<")
      message(STATUS "geak: ${target}: not looked at, for a generator expression gives it: ${entry}")
      continue()
    endif()
    get_filename_component(path "${entry}" ABSOLUTE BASE_DIR "${folder}")
    get_source_file_property(language "${path}" TARGET_DIRECTORY ${target} LANGUAGE)
    get_filename_component(extension "${path}" LAST_EXT)
    if(language STREQUAL "HIP" OR language STREQUAL "CXX")
      list(APPEND sources "${path}")
    elseif(NOT language AND extension MATCHES "^\\.(hip|cu|cpp|cc|cxx|C|c\\+\\+)$")
      list(APPEND sources "${path}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES sources)
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

function(_geak_selection_file out target index)
  set(${out} "${CMAKE_BINARY_DIR}/geak/select/${target}/${index}.selection" PARENT_SCOPE)
endfunction()

# The workload's argument list; a target's name stands for its program.
function(_geak_workload target out)
  get_target_property(command ${target} _GEAK_WORKLOAD)
  get_target_property(type ${target} TYPE)
  if(NOT command AND type STREQUAL "EXECUTABLE")
    set(command ${target})
  elseif(NOT command)
    set(command "")
    message(STATUS "geak: ${target}: no WORKLOAD, so its launches cannot be recorded")
  endif()
  if(command)
    list(GET command 0 program)
    if(TARGET ${program})
      list(REMOVE_AT command 0)
      list(PREPEND command "$<TARGET_FILE:${program}>")
    endif()
  endif()
  set(${out} "${command}" PARENT_SCOPE)
endfunction()

function(_geak_write_manifest target sources is_swapped)
  get_target_property(kernels ${target} _GEAK_KERNELS)
  get_target_property(architectures ${target} _GEAK_ARCHITECTURES)
  get_target_property(tolerance ${target} _GEAK_TOLERANCE)
  get_target_property(working_directory ${target} BINARY_DIR)
  if(NOT architectures)
    get_target_property(architectures ${target} HIP_ARCHITECTURES)
  endif()
  if(NOT architectures)
    set(architectures "")
  endif()
  if(tolerance STREQUAL "")
    set(tolerance null)
  endif()
  _geak_workload(${target} workload)
  _geak_json_array(kernels_json ${kernels})
  _geak_json_array(architectures_json ${architectures})
  _geak_json_array(workload_json ${workload})
  foreach(name IN ITEMS target working_directory CMAKE_BINARY_DIR CMAKE_SOURCE_DIR)
    _geak_json_string(${name}_json "${${name}}")
  endforeach()
  set(geak_dir "${CMAKE_BINARY_DIR}/geak")
  _geak_json_string(swap_json "${geak_dir}/swap/${target}")
  _geak_json_string(stamp_json "${geak_dir}/cache-stamp")
  set(original_json "\"\"")
  if(is_swapped)
    _geak_json_string(original_json "${geak_dir}/original")
  endif()

  set(source_entries "")
  set(index 0)
  foreach(source IN LISTS sources)
    _geak_selection_file(selection ${target} ${index})
    get_source_file_property(language "${source}" TARGET_DIRECTORY ${target} LANGUAGE)
    if(NOT language)
      set(language CXX)
    endif()
    _geak_json_string(path_json "${source}")
    _geak_json_string(selection_json "${selection}")
    string(APPEND source_entries "    {\"path\": ${path_json}, \"language\": \"${language}\", "
                                 "\"selection\": ${selection_json}},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  string(REGEX REPLACE ",\n$" "" source_entries "${source_entries}")

  file(GENERATE OUTPUT "${geak_dir}/targets/${target}.json" CONTENT
"{
  \"schema\": 1,
  \"target\": ${target_json},
  \"build\": ${CMAKE_BINARY_DIR_json},
  \"source_dir\": ${CMAKE_SOURCE_DIR_json},
  \"original\": ${original_json},
  \"kernels\": ${kernels_json},
  \"workload\": {
    \"command\": ${workload_json},
    \"working_directory\": ${working_directory_json}
  },
  \"architectures\": ${architectures_json},
  \"tolerance\": ${tolerance},
  \"swap_directory\": ${swap_json},
  \"cache_stamp\": ${stamp_json},
  \"sources\": [
${source_entries}
  ]
}
" TARGET ${target})
endfunction()
cmake_policy(POP)
