// Hooks of the launching functions.
#include "replay/recorder/real_api.h"
#include "replay/recorder/recorder.h"

namespace geak::replay {
namespace {

std::array<std::uint32_t, 3> extent(const dim3& size) { return {size.x, size.y, size.z}; }

// From workgroups to work-items, as the packet counts.
LaunchCall call_of(const void* function, const dim3& grid, const dim3& block, void** arguments,
                   std::size_t lds, hipStream_t stream) {
  LaunchCall call;
  call.function = function;
  call.block = extent(block);
  call.grid = {grid.x * block.x, grid.y * block.y, grid.z * block.z};
  call.dynamic_lds = static_cast<std::uint32_t>(lds);
  call.stream = stream;
  call.arguments = arguments;
  return call;
}

// Launches by way of `launch`, recorded if it is worth it. Other threads' launches wait meanwhile:
// memory must be still between the two snapshots.
template <typename Launch>
hipError_t recorded(const LaunchCall& call, const Launch& launch) {
  if (HookScope::inside()) return launch();
  auto& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex);
  const HookScope scope;
  auto pending = recorder.before(call);
  const hipError_t status = launch();
  if (pending && status == hipSuccess) recorder.after(*pending);
  return status;
}

// The kernarg buffer among `extra` of the module API, which ends with HIP_LAUNCH_PARAM_END.
void take_extra(LaunchCall& call, void** extra) {
  for (; extra && *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER) call.buffer = extra[1];
    if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_SIZE) {
      call.buffer_bytes = *static_cast<const std::size_t*>(extra[1]);
    }
  }
}

using Launch = hipError_t(const void*, dim3, dim3, void**, std::size_t, hipStream_t);
using CooperativeLaunch = hipError_t(const void*, dim3, dim3, void**, unsigned int, hipStream_t);

hipError_t launch(const char* name, const void* function, dim3 grid, dim3 block, void** arguments,
                  std::size_t lds, hipStream_t stream) {
  return recorded(call_of(function, grid, block, arguments, lds, stream), [&] {
    return real<Launch>(name)(function, grid, block, arguments, lds, stream);
  });
}

hipError_t launch_cooperative(const char* name, const void* function, dim3 grid, dim3 block,
                              void** arguments, unsigned int lds, hipStream_t stream) {
  auto call = call_of(function, grid, block, arguments, lds, stream);
  call.cooperative = true;
  return recorded(call, [&] {
    return real<CooperativeLaunch>(name)(function, grid, block, arguments, lds, stream);
  });
}

}  // namespace
}  // namespace geak::replay

using namespace geak::replay;  // the hooks below must be global

GEAK_HOOK hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                     size_t lds, hipStream_t stream) {
  return launch("hipLaunchKernel", function, grid, block, arguments, lds, stream);
}

GEAK_HOOK hipError_t hipLaunchKernel_spt(const void* function, dim3 grid, dim3 block,
                                         void** arguments, size_t lds, hipStream_t stream) {
  return launch("hipLaunchKernel_spt", function, grid, block, arguments, lds, stream);
}

GEAK_HOOK hipError_t hipLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                                void** arguments, unsigned int lds,
                                                hipStream_t stream) {
  return launch_cooperative("hipLaunchCooperativeKernel", function, grid, block, arguments, lds,
                            stream);
}

GEAK_HOOK hipError_t hipLaunchCooperativeKernel_spt(const void* function, dim3 grid, dim3 block,
                                                    void** arguments, uint32_t lds,
                                                    hipStream_t stream) {
  return launch_cooperative("hipLaunchCooperativeKernel_spt", function, grid, block, arguments, lds,
                            stream);
}

GEAK_HOOK hipError_t hipExtLaunchKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t lds, hipStream_t stream,
                                        hipEvent_t start, hipEvent_t stop, int flags) {
  using Function =
      hipError_t(const void*, dim3, dim3, void**, size_t, hipStream_t, hipEvent_t, hipEvent_t, int);
  return recorded(call_of(function, grid, block, arguments, lds, stream), [&] {
    return real<Function>("hipExtLaunchKernel")(function, grid, block, arguments, lds, stream,
                                                start, stop, flags);
  });
}

GEAK_HOOK hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int grid_x,
                                           unsigned int grid_y, unsigned int grid_z,
                                           unsigned int block_x, unsigned int block_y,
                                           unsigned int block_z, unsigned int lds,
                                           hipStream_t stream, void** arguments, void** extra) {
  auto call = call_of(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, arguments,
                      lds, stream);
  if (!arguments) take_extra(call, extra);
  using Function = hipError_t(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                              unsigned, unsigned, hipStream_t, void**, void**);
  return recorded(call, [&] {
    return real<Function>("hipModuleLaunchKernel")(function, grid_x, grid_y, grid_z, block_x,
                                                   block_y, block_z, lds, stream, arguments, extra);
  });
}

// A C++ symbol of HIP's; its grid is in work-items.
__attribute__((visibility("default"))) hipError_t hipExtModuleLaunchKernel(
    hipFunction_t function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t block_x,
    uint32_t block_y, uint32_t block_z, size_t lds, hipStream_t stream, void** arguments,
    void** extra, hipEvent_t start, hipEvent_t stop, uint32_t flags) {
  LaunchCall call =
      call_of(function, {1, 1, 1}, {block_x, block_y, block_z}, arguments, lds, stream);
  call.grid = {grid_x, grid_y, grid_z};
  if (!arguments) take_extra(call, extra);
  using Function =
      hipError_t(hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t,
                 hipStream_t, void**, void**, hipEvent_t, hipEvent_t, uint32_t);
  constexpr auto* name =
      "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_"
      "tS6_j";
  return recorded(call, [&] {
    return real<Function>(name)(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, lds,
                                stream, arguments, extra, start, stop, flags);
  });
}
