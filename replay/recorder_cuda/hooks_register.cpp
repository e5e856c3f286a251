// Hooks of what nvcc's generated constructors call, and of the end of the process.
#include <cstdint>
#include <cstring>

#include "replay/recorder/recorder.h"
#include "replay/recorder_cuda/runtime_api.h"

namespace geak::replay {
namespace {

// nvcc's struct before each fat binary (fatbinary_section.h), and the header of what it points to.
struct FatBinaryWrapper {
  std::uint32_t magic, version;
  const std::byte* binary;
  const void* unused;
};
struct FatBinaryHeader {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // after the header
};
constexpr std::uint32_t kWrapperMagic = 0x466243b1, kBinaryMagic = 0xba55ed50;

std::shared_ptr<Module> module_of(const void* wrapper) {
  auto module = std::make_shared<Module>();
  FatBinaryWrapper fat{};
  FatBinaryHeader header{};
  std::memcpy(&fat, wrapper, sizeof fat);
  if (fat.magic == kWrapperMagic) std::memcpy(&header, fat.binary, sizeof header);
  if (header.magic != kBinaryMagic) {
    module->problem = "a fat binary of an unknown form";
    return module;
  }
  module->target = "nvidia-cuda";
  module->code.assign(fat.binary, fat.binary + header.header_bytes + header.bytes);
  module->digest = digest_of(module->code);
  return module;
}

}  // namespace
}  // namespace geak::replay

using namespace geak::replay;  // the hooks below must be global
using namespace geak::replay::cuda;

GEAK_HOOK void** __cudaRegisterFatBinary(void* wrapper) {
  void** handle = real<void**(void*)>("__cudaRegisterFatBinary")(wrapper);
  auto& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex);
  recorder.modules.add_prepared(handle, module_of(wrapper));
  return handle;
}

GEAK_HOOK void __cudaUnregisterFatBinary(void** handle) {
  {
    auto& recorder = Recorder::instance();
    const std::lock_guard lock(recorder.mutex);
    recorder.modules.remove_fat_binary(handle);
  }
  real<void(void**)>("__cudaUnregisterFatBinary")(handle);
}

GEAK_HOOK void __cudaRegisterFunction(void** handle, const char* host_function,
                                      char* device_function, const char* device_name, int limit,
                                      void* thread_id, void* block_id, void* block, void* grid,
                                      int* warp) {
  {
    auto& recorder = Recorder::instance();
    const std::lock_guard lock(recorder.mutex);
    recorder.modules.add_function(handle, host_function, device_name);
  }
  real<void(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*)>(
      "__cudaRegisterFunction")(handle, host_function, device_function, device_name, limit,
                                thread_id, block_id, block, grid, warp);
}

GEAK_HOOK void __cudaRegisterVar(void** handle, char* host_variable, char* device_address,
                                 const char* device_name, int external, std::size_t bytes,
                                 int constant, int global) {
  {
    auto& recorder = Recorder::instance();
    const std::lock_guard lock(recorder.mutex);
    recorder.modules.add_variable(handle, host_variable, device_name);
    if (auto* module = recorder.modules.module(handle))
      module->global_names.emplace_back(device_name);
  }
  real<void(void**, char*, char*, const char*, int, std::size_t, int, int)>("__cudaRegisterVar")(
      handle, host_variable, device_address, device_name, external, bytes, constant, global);
}

// Ours runs after the program's own destructors: no launch follows.
__attribute__((destructor)) static void finish_recording() {
  Recorder* recorder = Recorder::existing();
  if (!recorder) return;
  const std::lock_guard lock(recorder->mutex);
  recorder->finish();
}
