# All dependencies come from Debian 12's packages; scripts/packages.txt lists them.
# LLVM and Clang are linked as their shared libraries (libLLVM-19.so, libclang-cpp.so.19): static
# LLVM would add minutes to every link.
find_package(LLVM 19.1 CONFIG REQUIRED HINTS /usr/lib/llvm-19/cmake)
find_package(Clang CONFIG REQUIRED NO_DEFAULT_PATH PATHS /usr/lib/llvm-19/lib/cmake/clang)
find_package(nlohmann_json REQUIRED)
find_package(spdlog REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(CURL REQUIRED)
find_package(CLI11 REQUIRED)
find_package(hwy REQUIRED)
find_package(zstd QUIET)
find_package(Threads REQUIRED)
if(GEAK_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(GEAK_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

# LLVM's own headers are system headers here: their warnings are not ours to mend.
add_library(geak_llvm INTERFACE)
target_include_directories(geak_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(geak_llvm INTERFACE LLVM)

add_library(geak_clang INTERFACE)
target_include_directories(geak_clang SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
target_link_libraries(geak_clang INTERFACE clang-cpp LLVM)
