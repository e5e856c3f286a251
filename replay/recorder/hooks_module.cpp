// Hooks of the module API, and of stream capture.
#include <fstream>
#include <iterator>

#include "replay/recorder/real_api.h"
#include "replay/recorder/recorder.h"

namespace geak::replay {
namespace {

// What the HIP runtime read is read again: the file is there, it has just been loaded.
void remember_file(hipModule_t module, const char* file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  if (bytes.size() < 64) return;
  auto& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex);
  recorder.modules.add_loaded(module, reinterpret_cast<const std::byte*>(bytes.data()));
}

void remember_image(hipModule_t module, const void* image) {
  auto& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex);
  recorder.modules.add_loaded(module, static_cast<const std::byte*>(image));
}

void count_capture(int change) {
  auto& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex);
  recorder.captures += static_cast<unsigned>(change);
}

}  // namespace
}  // namespace geak::replay

using namespace geak::replay;  // the hooks below must be global

GEAK_HOOK hipError_t hipModuleLoad(hipModule_t* module, const char* file) {
  const auto status = real<hipError_t(hipModule_t*, const char*)>("hipModuleLoad")(module, file);
  if (status == hipSuccess) remember_file(*module, file);
  return status;
}

GEAK_HOOK hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  const auto status =
      real<hipError_t(hipModule_t*, const void*)>("hipModuleLoadData")(module, image);
  if (status == hipSuccess) remember_image(*module, image);
  return status;
}

GEAK_HOOK hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned int count,
                                         hipJitOption* options, void** values) {
  const auto status =
      real<hipError_t(hipModule_t*, const void*, unsigned int, hipJitOption*, void**)>(
          "hipModuleLoadDataEx")(module, image, count, options, values);
  if (status == hipSuccess) remember_image(*module, image);
  return status;
}

GEAK_HOOK hipError_t hipModuleUnload(hipModule_t module) {
  {
    auto& recorder = Recorder::instance();
    const std::lock_guard lock(recorder.mutex);
    recorder.modules.remove_loaded(module);
  }
  return real<hipError_t(hipModule_t)>("hipModuleUnload")(module);
}

GEAK_HOOK hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module,
                                          const char* name) {
  const auto status = real<hipError_t(hipFunction_t*, hipModule_t, const char*)>(
      "hipModuleGetFunction")(function, module, name);
  if (status == hipSuccess) {
    auto& recorder = Recorder::instance();
    const std::lock_guard lock(recorder.mutex);
    recorder.modules.add_module_function(module, *function, name);
  }
  return status;
}

GEAK_HOOK hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  const auto status =
      real<hipError_t(hipStream_t, hipStreamCaptureMode)>("hipStreamBeginCapture")(stream, mode);
  if (status == hipSuccess) count_capture(1);
  return status;
}

GEAK_HOOK hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  const auto status =
      real<hipError_t(hipStream_t, hipGraph_t*)>("hipStreamEndCapture")(stream, graph);
  if (status == hipSuccess) count_capture(-1);
  return status;
}
