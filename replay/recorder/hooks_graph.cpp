// Hooks of graphs. Their kernels reach the queue with no launch call, so a launch that is to be
// recorded is made step by step in their place.
#include <algorithm>
#include <bit>

#include "replay/recorder/graphs.h"
#include "replay/recorder/recorder.h"

namespace geak::replay {
namespace {

// As often as the sampler would take a launch of one class at most.
constexpr unsigned kMostLaunches = 8;

// Never destroyed, as the recorder is not. Under its lock.
Graphs& graphs() {
  static auto& all = *new Graphs;
  return all;
}

void remember(hipGraphExec_t executable, hipGraph_t graph) {
  auto& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex);
  const HookScope scope;
  graphs()[executable] = std::make_unique<SplitGraph>(graph);
}

LaunchCall call_of(const hipKernelNodeParams& node, hipStream_t stream) {
  LaunchCall call;
  call.function = node.func;
  call.block = {node.blockDim.x, node.blockDim.y, node.blockDim.z};
  call.grid = {node.gridDim.x * node.blockDim.x, node.gridDim.y * node.blockDim.y,
               node.gridDim.z * node.blockDim.z};
  call.dynamic_lds = node.sharedMemBytes;
  call.stream = stream;
  call.arguments = node.kernelParams;
  return call;
}

hipError_t run_kernel(Recorder& recorder, hipGraphNode_t node, hipStream_t stream) {
  hipKernelNodeParams parameters{};
  auto status = GEAK_REAL(hipGraphKernelNodeGetParams)(node, &parameters);
  if (status != hipSuccess) return status;
  auto pending = recorder.before(call_of(parameters, stream));
  status = GEAK_REAL(hipLaunchKernel)(parameters.func, parameters.gridDim, parameters.blockDim,
                                      parameters.kernelParams, parameters.sharedMemBytes, stream);
  if (pending && status == hipSuccess) recorder.after(*pending);
  return status;
}

hipError_t run_set(hipGraphNode_t node, hipStream_t stream) {
  hipMemsetParams set{};
  const auto status = GEAK_REAL(hipGraphMemsetNodeGetParams)(node, &set);
  if (status != hipSuccess) return status;
  for (std::size_t row = 0; row < std::max<std::size_t>(set.height, 1); ++row) {
    auto* const at = static_cast<char*>(set.dst) + row * set.pitch;
    const auto done =
        set.elementSize == 4
            ? GEAK_REAL(hipMemsetD32Async)(at, static_cast<int>(set.value), set.width, stream)
        : set.elementSize == 2 ? GEAK_REAL(hipMemsetD16Async)(
                                     at, static_cast<unsigned short>(set.value), set.width, stream)
                               : GEAK_REAL(hipMemsetD8Async)(
                                     at, static_cast<unsigned char>(set.value), set.width, stream);
    if (done != hipSuccess) return done;
  }
  return hipSuccess;
}

// False: nothing was launched, and the graph is to be launched as it is.
bool run_recorded(Recorder& recorder, hipGraphExec_t executable, hipStream_t stream,
                  hipError_t& status) {
  const auto found = graphs().find(executable);
  if (found == graphs().end()) {
    recorder.skip("a graph", "its instantiation was not seen");
    return false;
  }
  auto& graph = *found->second;
  const unsigned launch = graph.count_launch();
  if (!std::has_single_bit(launch) || launch > kMostLaunches) {
    recorder.skip("a graph", "a further launch of a graph that was recorded");
    return false;
  }
  const auto& steps = graph.steps();
  if (steps.empty()) {
    recorder.skip("a graph", graph.problem());
    return false;
  }
  for (const auto& step : steps) {
    status = step.is_kernel ? run_kernel(recorder, step.node, stream) : run_set(step.node, stream);
    if (status != hipSuccess) break;
  }
  return true;
}

hipError_t launch(const char* name, hipGraphExec_t executable, hipStream_t stream) {
  const auto plain = [&] {
    return real<hipError_t(hipGraphExec_t, hipStream_t)>(name)(executable, stream);
  };
  if (HookScope::inside()) return plain();
  auto& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex);
  const HookScope scope;
  hipError_t status = hipSuccess;
  if (!recorder.active() || recorder.captures) return plain();
  return run_recorded(recorder, executable, stream, status) ? status : plain();
}

}  // namespace
}  // namespace geak::replay

using namespace geak::replay;  // the hooks below must be global

GEAK_HOOK hipError_t hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph,
                                         hipGraphNode_t* bad, char* log, size_t log_bytes) {
  using Function = hipError_t(hipGraphExec_t*, hipGraph_t, hipGraphNode_t*, char*, size_t);
  const auto status = real<Function>("hipGraphInstantiate")(executable, graph, bad, log, log_bytes);
  if (status == hipSuccess && !HookScope::inside()) remember(*executable, graph);
  return status;
}

GEAK_HOOK hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph,
                                                  unsigned long long flags) {
  using Function = hipError_t(hipGraphExec_t*, hipGraph_t, unsigned long long);
  const auto status = real<Function>("hipGraphInstantiateWithFlags")(executable, graph, flags);
  if (status == hipSuccess && !HookScope::inside()) remember(*executable, graph);
  return status;
}

GEAK_HOOK hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
  if (!HookScope::inside()) {
    auto& recorder = Recorder::instance();
    const std::lock_guard lock(recorder.mutex);
    const HookScope scope;
    graphs().erase(executable);
  }
  return real<hipError_t(hipGraphExec_t)>("hipGraphExecDestroy")(executable);
}

// The copy gets the new parameters too.
GEAK_HOOK hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                                     const hipKernelNodeParams* parameters) {
  using Function = hipError_t(hipGraphExec_t, hipGraphNode_t, const hipKernelNodeParams*);
  const auto status =
      real<Function>("hipGraphExecKernelNodeSetParams")(executable, node, parameters);
  if (status != hipSuccess || HookScope::inside()) return status;
  auto& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex);
  const HookScope scope;
  const auto found = graphs().find(executable);
  if (found == graphs().end()) return status;
  auto* copy = found->second->in_copy(node);
  if (!copy || GEAK_REAL(hipGraphKernelNodeSetParams)(copy, parameters) != hipSuccess) {
    graphs().erase(found);
  }
  return status;
}

GEAK_HOOK hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  return launch("hipGraphLaunch", executable, stream);
}
