// NVIDIA's driver, opened at run time: geak builds and starts where there is none. Types and values
// are those of the CUDA Driver API reference (version 12.4, for cuFuncGetParamInfo, and later).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace geak::replay::cuda {

using Result = int;  // CUresult; 0: success
inline constexpr Result kSuccess = 0, kNotReady = 600;
using DeviceNumber = int;
using Address = unsigned long long;  // CUdeviceptr
using Context = struct ContextHandle*;
using Module = struct ModuleHandle*;
using Function = struct FunctionHandle*;
using Stream = struct StreamHandle*;
using Event = struct EventHandle*;

// CUdevice_attribute
inline constexpr int kMultiprocessors = 16, kMemoryClockKhz = 36, kMemoryBusBits = 37,
                     kL2Bytes = 38, kComputeMajor = 75, kComputeMinor = 76, kSharedBytesOptin = 97;
// CUfunction_attribute
inline constexpr int kMaxThreads = 0, kStaticShared = 1, kLocalBytes = 3, kRegisters = 4,
                     kMaxDynamicShared = 8;
// CU_LAUNCH_PARAM_*
inline void* const kParamEnd = nullptr;
inline void* const kParamBuffer = reinterpret_cast<void*>(1);
inline void* const kParamBytes = reinterpret_cast<void*>(2);

struct DriverApi {
  Result (*init)(unsigned flags);
  Result (*device_get)(DeviceNumber*, int ordinal);
  Result (*device_name)(char*, int bytes, DeviceNumber);
  Result (*device_attribute)(int*, int attribute, DeviceNumber);
  Result (*retain_context)(Context*, DeviceNumber);
  Result (*release_context)(DeviceNumber);
  Result (*set_context)(Context);
  Result (*synchronize)();
  Result (*allocate)(Address*, std::size_t);
  Result (*free)(Address);
  Result (*copy)(Address to, Address from, std::size_t);
  Result (*fill)(Address, unsigned char, std::size_t);
  Result (*address_range)(Address* base, std::size_t*, Address);
  Result (*load)(Module*, const void* image);
  Result (*unload)(Module);
  Result (*function)(Function*, Module, const char* name);
  Result (*global)(Address*, std::size_t*, Module, const char* name);
  Result (*function_attribute)(int*, int attribute, Function);
  Result (*set_function_attribute)(Function, int attribute, int value);
  Result (*parameter)(Function, std::size_t index, std::size_t* offset, std::size_t* bytes);
  Result (*launch)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned shared, Stream, void** parameters, void** extra);
  Result (*event_create)(Event*, unsigned flags);
  Result (*event_record)(Event, Stream);
  Result (*event_query)(Event);
  Result (*event_synchronize)(Event);
  Result (*event_elapsed)(float* ms, Event start, Event end);
  Result (*error_text)(Result, const char**);
};

// Opened once for the process. Throws std::runtime_error where there is no driver, or one that
// lacks a function (then it is too old), with the remedy.
const DriverApi& driver();

// The driver's words for a result.
std::string text_of(Result result);
// Throws std::runtime_error unless the result is success.
void check(Result result, const char* what);

}  // namespace geak::replay::cuda
