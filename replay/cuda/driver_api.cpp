#include "replay/cuda/driver_api.h"

#include <dlfcn.h>

#include <stdexcept>

namespace geak::replay::cuda {
namespace {

template <typename Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  if (!function)
    throw std::runtime_error(std::string("NVIDIA's driver has no function ") + name +
                             "; one of CUDA 12.4 or later is needed");
}

DriverApi open_driver() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    throw std::runtime_error(std::string("no NVIDIA driver: ") + ::dlerror() +
                             "; install it, or add its folder to LD_LIBRARY_PATH");
  DriverApi api{};
  find(library, "cuInit", api.init);
  find(library, "cuDeviceGet", api.device_get);
  find(library, "cuDeviceGetName", api.device_name);
  find(library, "cuDeviceGetAttribute", api.device_attribute);
  find(library, "cuDevicePrimaryCtxRetain", api.retain_context);
  find(library, "cuDevicePrimaryCtxRelease_v2", api.release_context);
  find(library, "cuCtxSetCurrent", api.set_context);
  find(library, "cuCtxSynchronize", api.synchronize);
  find(library, "cuMemAlloc_v2", api.allocate);
  find(library, "cuMemFree_v2", api.free);
  find(library, "cuMemcpy", api.copy);
  find(library, "cuMemsetD8_v2", api.fill);
  find(library, "cuMemGetAddressRange_v2", api.address_range);
  find(library, "cuModuleLoadData", api.load);
  find(library, "cuModuleUnload", api.unload);
  find(library, "cuModuleGetFunction", api.function);
  find(library, "cuModuleGetGlobal_v2", api.global);
  find(library, "cuFuncGetAttribute", api.function_attribute);
  find(library, "cuFuncSetAttribute", api.set_function_attribute);
  find(library, "cuFuncGetParamInfo", api.parameter);
  find(library, "cuLaunchKernel", api.launch);
  find(library, "cuEventCreate", api.event_create);
  find(library, "cuEventRecord", api.event_record);
  find(library, "cuEventQuery", api.event_query);
  find(library, "cuEventSynchronize", api.event_synchronize);
  find(library, "cuEventElapsedTime", api.event_elapsed);
  find(library, "cuGetErrorString", api.error_text);
  return api;
}

}  // namespace

const DriverApi& driver() {
  static const DriverApi api = open_driver();
  return api;
}

std::string text_of(Result result) {
  const char* text = nullptr;
  if (driver().error_text(result, &text) == kSuccess && text) return text;
  return "CUDA error " + std::to_string(result);
}

void check(Result result, const char* what) {
  if (result != kSuccess) throw std::runtime_error(std::string(what) + ": " + text_of(result));
}

}  // namespace geak::replay::cuda
