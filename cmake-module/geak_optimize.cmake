include_guard(GLOBAL)

# geak_optimize(<target> KERNELS <glob>... [WORKLOAD <command> [<argument>...]]
#               [ARCHITECTURES <arch>...] [TOLERANCE <number>])
#
# Lets geak replace kernels of a target by faster ones that were verified against the originals.
#   KERNELS        globs over qualified names: blur, "detail::scan<*>"
#   WORKLOAD       command that launches them, run in the target's binary folder; a target's name
#                  stands for its program. Default: the target itself, without arguments.
#   ARCHITECTURES  GPU architectures to optimize for. Default: those that the target is built for.
#   TOLERANCE      largest error allowed, relative to the largest magnitude in a buffer.
# Builds swap in what was found; the target `geak-optimize` searches. -DGEAK_SWAP=OFF turns it off.
function(geak_optimize target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TOLERANCE" "KERNELS;WORKLOAD;ARCHITECTURES")
  _geak_check_arguments()

  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  get_property(marked GLOBAL PROPERTY _GEAK_TARGETS)
  if(target IN_LIST marked)
    message(FATAL_ERROR "geak_optimize(${target}): called twice; name all its kernels in one call.")
  endif()
  set_property(GLOBAL APPEND PROPERTY _GEAK_TARGETS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_COMPILE_COMMANDS ON
    _GEAK_KERNELS "${arg_KERNELS}"
    _GEAK_WORKLOAD "${arg_WORKLOAD}"
    _GEAK_ARCHITECTURES "${arg_ARCHITECTURES}"
    _GEAK_TOLERANCE "${arg_TOLERANCE}")

  # The rest waits for the end of the top folder, when all target_sources() calls were seen.
  if(NOT marked)
    cmake_language(EVAL CODE
      "cmake_language(DEFER DIRECTORY [[${CMAKE_SOURCE_DIR}]] CALL _geak_finish)")
  endif()
endfunction()

macro(_geak_check_arguments)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "geak_optimize(${target}): there is no such target (yet); "
                        "call it after add_executable() or add_library().")
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(imported ${target} IMPORTED)
  if(imported OR NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
    message(FATAL_ERROR "geak_optimize(${target}): the target compiles no sources (${type}).")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "geak_optimize(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "geak_optimize(${target}): no value after ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT arg_KERNELS)
    message(FATAL_ERROR "geak_optimize(${target}): name the kernels: KERNELS <glob>...")
  endif()
  if(DEFINED arg_TOLERANCE
     AND NOT arg_TOLERANCE MATCHES "^([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?$")
    message(FATAL_ERROR "geak_optimize(${target}): TOLERANCE is no number: ${arg_TOLERANCE}")
  endif()
endmacro()

# Runs once, at the end of the top folder.
function(_geak_finish)
  get_property(targets GLOBAL PROPERTY _GEAK_TARGETS)
  set(swap ${GEAK_SWAP})
  if(swap)
    _geak_prepare_build_folder(swap)
  endif()
  foreach(target IN LISTS targets)
    _geak_sources(${target} sources)
    _geak_write_manifest(${target} "${sources}" ${swap})
    if(swap AND sources)
      _geak_attach(${target} "${sources}")
    elseif(sources)
      _geak_detach(${target} "${sources}")
    endif()
  endforeach()
  if(swap)
    _geak_order_shared_choices()
    _geak_add_optimize_target("${targets}")
  endif()
endfunction()
