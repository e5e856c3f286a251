# The runtime that CMake links HIP objects with, for Debian's package layout. CMake reads it in
# try_compile too, where find_library does not know the multiarch folder yet: the linker does.
if(NOT TARGET hip-lang::device)
  add_library(hip-lang::amdhip64 INTERFACE IMPORTED)
  set_target_properties(hip-lang::amdhip64 PROPERTIES INTERFACE_LINK_LIBRARIES amdhip64)
  add_library(hip-lang::device INTERFACE IMPORTED)
  set_target_properties(hip-lang::device PROPERTIES
    INTERFACE_LINK_LIBRARIES hip-lang::amdhip64
    INTERFACE_COMPILE_DEFINITIONS "$<$<COMPILE_LANGUAGE:HIP>:__HIP_ROCclr__=1>"
    INTERFACE_LINK_OPTIONS "$<$<LINK_LANGUAGE:HIP>:--hip-link>")
endif()
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
