# Run by <build>/geak/build_original.cmake, for the target `geak-optimize` and for geakd: configures
# and builds the unswapped twin; where GEAK is given, optimizes then.
# Variables: SOURCE_DIR, BUILD_DIR, GENERATOR, TWIN_TARGETS (comma-separated), GEAK.
cmake_minimum_required(VERSION 3.21)

if(DEFINED GEAK AND NOT EXISTS "${GEAK}")
  message(FATAL_ERROR "geak: ${GEAK} is missing. Build or install geak, then run this target again.")
endif()
set(twin "${BUILD_DIR}/geak/original")

function(run_step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result STREQUAL "0")
    message(FATAL_ERROR "geak: ${what} failed (${result}); see above.")
  endif()
endfunction()

message(NOTICE "geak: building the original kernels in ${twin}")
run_step("configuring the unswapped twin" "${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${twin}"
         -G "${GENERATOR}" -C "${BUILD_DIR}/geak/original-cache.cmake" -DGEAK_SWAP=OFF
         --log-level=WARNING)
string(REPLACE "," ";" targets "${TWIN_TARGETS}")
# A make that runs this target hands down its job server, which would serve another project here.
set(parallel "")
if(GENERATOR MATCHES "Makefiles" AND NOT DEFINED ENV{CMAKE_BUILD_PARALLEL_LEVEL})
  include(ProcessorCount)
  ProcessorCount(cores)
  set(parallel --parallel ${cores})
endif()
run_step("building the unswapped twin" "${CMAKE_COMMAND}" -E env --unset=MAKEFLAGS
         "${CMAKE_COMMAND}" --build "${twin}" ${parallel} --target ${targets})
if(DEFINED GEAK)
  run_step("geak optimize" "${GEAK}" optimize -p "${BUILD_DIR}")
endif()
