// Frame of the planted faults: each file of planted/ is a small HIP program with one fault, and
// where it makes sense a clean twin. They are built into one program, which runs the named one.
//
// A comment "finds: KIND" at the end of a line of a kernel says that `geak check` has to report
// that kind there, and nothing else anywhere.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#define HIP_CHECK(call)                                                  \
  do {                                                                   \
    const hipError_t error_ = (call);                                    \
    if (error_ != hipSuccess) {                                          \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   hipGetErrorString(error_));                           \
      std::exit(3);                                                      \
    }                                                                    \
  } while (0)

inline std::map<std::string, void (*)()>& planted_programs() {
  static std::map<std::string, void (*)()> programs;
  return programs;
}

struct PlantedProgram {
  PlantedProgram(const char* name, void (*run)()) { planted_programs()[name] = run; }
};

// The program with the fault, and its twin without.
#define PLANTED(name)                                                         \
  static void planted_##name();                                               \
  static const PlantedProgram register_planted_##name(#name, planted_##name); \
  static void planted_##name()
#define CLEAN(name)                                                                \
  static void clean_##name();                                                      \
  static const PlantedProgram register_clean_##name(#name ".clean", clean_##name); \
  static void clean_##name()

template <class T>
T* device_array(std::size_t elements) {
  void* memory = nullptr;
  HIP_CHECK(hipMalloc(&memory, elements * sizeof(T)));
  return static_cast<T*>(memory);
}

// All bytes written.
template <class T>
T* zeroed_array(std::size_t elements) {
  T* memory = device_array<T>(elements);
  HIP_CHECK(hipMemset(memory, 0, elements * sizeof(T)));
  return memory;
}

inline void finish() { HIP_CHECK(hipDeviceSynchronize()); }
