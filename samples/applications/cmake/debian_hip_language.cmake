# Lets enable_language(HIP) work with Debian's packages, whose layout CMake 3.25 does not find:
# the hip-lang package stands in a multiarch folder, breaks <cmath> by `-isystem /usr/include`, and
# no Debian clang finds the device libraries by itself. Does nothing where ROCm's layout is found.
if(DEFINED CMAKE_HIP_COMPILER_ROCM_ROOT OR EXISTS /opt/rocm/lib/cmake/hip-lang
   OR NOT EXISTS /usr/include/hip/hip_version.h)
  return()
endif()
set(CMAKE_HIP_COMPILER_ROCM_ROOT ${CMAKE_CURRENT_LIST_DIR}/hip-lang-root)
# A clang compiles HIP only with clang-offload-bundler beside it, which Debian keeps in the package
# clang-tools-<version>; hipcc brings that of version 15.
if(NOT CMAKE_HIP_COMPILER AND NOT DEFINED ENV{HIPCXX})
  foreach(version IN ITEMS 19 15)
    if(EXISTS /usr/lib/llvm-${version}/bin/clang-offload-bundler)
      find_program(CMAKE_HIP_COMPILER NAMES clang++-${version})
    endif()
  endforeach()
  if(NOT CMAKE_HIP_COMPILER)
    message(FATAL_ERROR "No clang that compiles HIP was found: install Debian's package hipcc.")
  endif()
endif()
find_path(HIP_DEVICE_LIB_PATH ockl.bc PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/amdgcn/bitcode
          /usr/lib/x86_64-linux-gnu/amdgcn/bitcode REQUIRED)
# Debian's HIP 5.2 runtime loads code objects up to version 4; clang 19 would make version 5.
if(NOT CMAKE_HIP_FLAGS MATCHES "rocm-device-lib-path")
  string(APPEND CMAKE_HIP_FLAGS " --rocm-path=/usr --rocm-device-lib-path=${HIP_DEVICE_LIB_PATH}"
         " -mcode-object-version=4")
  set(CMAKE_HIP_FLAGS "${CMAKE_HIP_FLAGS}" CACHE STRING "Flags used by the HIP compiler" FORCE)
endif()
