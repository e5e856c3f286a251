// Hooks of the launching functions. nvcc's stubs ask for a handle of their kernel once and launch
// that (crt/host_runtime.h); older ones launch the stub's address.
#include <map>

#include "replay/cuda/cuda_device.h"
#include "replay/recorder/recorder.h"
#include "replay/recorder_cuda/runtime_api.h"

namespace geak::replay::cuda {
namespace {

// Stub of each handle that was given out. Guarded by the recorder's mutex.
std::map<const void*, const void*>& stubs() {
  static auto& map = *new std::map<const void*, const void*>;
  return map;
}

// The driver knows a kernel's parameters once it is loaded: asked for at its first launch.
void describe(const Recorder& recorder, const void* stub) {
  const auto* kernel = recorder.modules.find(stub);
  if (!kernel || find_kernel_metadata(kernel->module->kernels, kernel->symbol)) return;
  Function function = nullptr;
  const auto get = real<Status(Function*, const void*)>("cudaGetFuncBySymbol");
  if (get(&function, stub) != 0) return;
  kernel->module->kernels.push_back(metadata_of(function, kernel->symbol));
}

template <typename Launch>
Status recorded(const void* function, Dim3 grid, Dim3 block, void** arguments, std::size_t shared,
                bool cooperative, const Launch& launch) {
  if (HookScope::inside()) return launch();
  auto& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex);
  const HookScope scope;
  LaunchCall call;
  const auto found = stubs().find(function);
  call.function = found == stubs().end() ? function : found->second;
  call.block = {block.x, block.y, block.z};
  call.grid = {grid.x * block.x, grid.y * block.y, grid.z * block.z};
  call.dynamic_lds = static_cast<std::uint32_t>(shared);
  call.cooperative = cooperative;
  call.arguments = arguments;
  try {
    describe(recorder, call.function);
  } catch (const std::exception& error) {
    recorder.skip("a kernel", error.what());
    return launch();
  }
  auto pending = recorder.before(call);
  const Status status = launch();
  if (pending && status == 0) recorder.after(*pending);
  return status;
}

}  // namespace
}  // namespace geak::replay::cuda

using namespace geak::replay;  // the hooks below must be global
using namespace geak::replay::cuda;

GEAK_HOOK Status __cudaGetKernel(void** handle, const void* stub) {
  const Status status = real<Status(void**, const void*)>("__cudaGetKernel")(handle, stub);
  if (status == 0) {
    auto& recorder = Recorder::instance();
    const std::lock_guard lock(recorder.mutex);
    stubs()[*handle] = stub;
  }
  return status;
}

GEAK_HOOK Status __cudaLaunchKernel(void* kernel, Dim3 grid, Dim3 block, void** arguments,
                                    std::size_t shared, void* stream) {
  return recorded(kernel, grid, block, arguments, shared, false, [&] {
    return real<Status(void*, Dim3, Dim3, void**, std::size_t, void*)>("__cudaLaunchKernel")(
        kernel, grid, block, arguments, shared, stream);
  });
}

GEAK_HOOK Status cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                  std::size_t shared, void* stream) {
  return recorded(function, grid, block, arguments, shared, false, [&] {
    return real<Status(const void*, Dim3, Dim3, void**, std::size_t, void*)>("cudaLaunchKernel")(
        function, grid, block, arguments, shared, stream);
  });
}

GEAK_HOOK Status cudaLaunchKernelExC(const LaunchConfig* config, const void* function,
                                     void** arguments) {
  return recorded(function, config->grid, config->block, arguments, config->shared, false, [&] {
    return real<Status(const LaunchConfig*, const void*, void**)>("cudaLaunchKernelExC")(
        config, function, arguments);
  });
}

GEAK_HOOK Status cudaLaunchCooperativeKernel(const void* function, Dim3 grid, Dim3 block,
                                             void** arguments, std::size_t shared, void* stream) {
  return recorded(function, grid, block, arguments, shared, true, [&] {
    return real<Status(const void*, Dim3, Dim3, void**, std::size_t, void*)>(
        "cudaLaunchCooperativeKernel")(function, grid, block, arguments, shared, stream);
  });
}
