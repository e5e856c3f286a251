// Hooks of what clang's generated constructors call, and of the end of the process.
#include "replay/recorder/real_api.h"
#include "replay/recorder/recorder.h"

using namespace geak::replay;  // the hooks below must be global

GEAK_HOOK void** __hipRegisterFatBinary(const void* wrapper) {
  void** handle = real<void**(const void*)>("__hipRegisterFatBinary")(wrapper);
  auto& recorder = Recorder::instance();
  const std::lock_guard lock(recorder.mutex);
  recorder.modules.add_fat_binary(handle, wrapper);
  return handle;
}

GEAK_HOOK void __hipUnregisterFatBinary(void** handle) {
  {
    auto& recorder = Recorder::instance();
    const std::lock_guard lock(recorder.mutex);
    recorder.modules.remove_fat_binary(handle);
  }
  real<void(void**)>("__hipUnregisterFatBinary")(handle);
}

GEAK_HOOK void __hipRegisterFunction(void** handle, const void* host_function,
                                     char* device_function, const char* device_name,
                                     unsigned int limit, void* thread_id, void* block_id,
                                     void* block, void* grid, int* warp) {
  {
    auto& recorder = Recorder::instance();
    const std::lock_guard lock(recorder.mutex);
    recorder.modules.add_function(handle, host_function, device_name);
  }
  real<void(void**, const void*, char*, const char*, unsigned int, void*, void*, void*, void*,
            int*)>("__hipRegisterFunction")(handle, host_function, device_function, device_name,
                                            limit, thread_id, block_id, block, grid, warp);
}

GEAK_HOOK void __hipRegisterVar(void** handle, void* variable, char* host_name, char* device_name,
                                int external, size_t bytes, int constant, int global) {
  {
    auto& recorder = Recorder::instance();
    const std::lock_guard lock(recorder.mutex);
    recorder.modules.add_variable(handle, variable, device_name);
  }
  real<void(void**, void*, char*, char*, int, size_t, int, int)>("__hipRegisterVar")(
      handle, variable, host_name, device_name, external, bytes, constant, global);
}

// Ours runs after the program's own destructors: no launch follows.
__attribute__((destructor)) static void finish_recording() {
  Recorder* recorder = Recorder::existing();
  if (!recorder) return;  // a program without HIP, a shell for instance
  const std::lock_guard lock(recorder->mutex);
  recorder->finish();
}
