# The package `geak`: defines geak_optimize() and geak_verify(). Works from an installation and from a build tree, for
# both have the same shape (bin/ and lib/cmake/geak/).
if(CMAKE_VERSION VERSION_LESS 3.21)
  set(geak_FOUND FALSE)
  set(geak_NOT_FOUND_MESSAGE "geak needs CMake 3.21 or later, this is ${CMAKE_VERSION}.")
  return()
endif()

get_filename_component(GEAK_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(GEAK_MODULE_DIR "${CMAKE_CURRENT_LIST_DIR}")
set(GEAK_EXECUTABLE "${GEAK_PREFIX}/bin/geak")

option(GEAK_SWAP "Swap verified faster kernels into targets marked by geak_optimize()" ON)

# geak reads how each source is compiled from compile_commands.json.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

include("${CMAKE_CURRENT_LIST_DIR}/geak_manifest.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/geak_attach.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/geak_original.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/geak_optimize.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/geak_verify.cmake")
