include_guard(GLOBAL)

# geak_verify(<target>...)
#
# Fails the build where the GPU code in what a target makes is not what was verified, and says which
# kernel and why. For builds that are to be shipped. It is looked at once after each link.
function(geak_verify)
  if(NOT ARGN)
    message(FATAL_ERROR "geak_verify(): name the targets")
  endif()
  get_property(prefix GLOBAL PROPERTY _GEAK_PREFIX)
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "geak_verify(${target}): there is no such target (yet); "
                          "call it after add_executable() or add_library().")
    endif()
    get_target_property(aliased ${target} ALIASED_TARGET)
    if(aliased)
      set(target ${aliased})
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "OBJECT_LIBRARY")
      set(files "$<TARGET_OBJECTS:${target}>")
    elseif(type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE)_LIBRARY)$")
      set(files "$<TARGET_FILE:${target}>")
    else()
      message(FATAL_ERROR "geak_verify(${target}): the target makes no file (${type}).")
    endif()
    set(stamp "${CMAKE_BINARY_DIR}/geak/verified/${target}.stamp")
    add_custom_command(
      OUTPUT "${stamp}"
      COMMAND "${prefix}/bin/geak" verify -p "${CMAKE_BINARY_DIR}" --target ${target}
              "--file;$<JOIN:${files},;--file;>"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_BINARY_DIR}/geak/verified"
      COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
      DEPENDS ${target} "${files}"
      COMMENT "geak: verifying ${target}"
      COMMAND_EXPAND_LISTS
      VERBATIM)
    add_custom_target(geak-verify-${target} ALL DEPENDS "${stamp}")
  endforeach()
endfunction()
