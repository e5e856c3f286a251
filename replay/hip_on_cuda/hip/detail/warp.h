// Cross-lane functions of HIP without masks, on CUDA's with masks. As on AMD, inactive lanes give
// no value; __activemask() is what HIP's unmasked forms mean.
#pragma once

#define GEAK_SHUFFLE(name, argument)                                  \
  template <typename T>                                               \
  __device__ inline T name(T value, argument, int width = warpSize) { \
    return name##_sync(__activemask(), value, lane, width);           \
  }
GEAK_SHUFFLE(__shfl, int lane)
GEAK_SHUFFLE(__shfl_up, unsigned lane)
GEAK_SHUFFLE(__shfl_down, unsigned lane)
GEAK_SHUFFLE(__shfl_xor, int lane)
#undef GEAK_SHUFFLE

// CUDA still declares these three, with no definition for current GPUs, so macros stand before them.
#define __all(predicate) __all_sync(__activemask(), (predicate))
#define __any(predicate) __any_sync(__activemask(), (predicate))
#define __ballot(predicate) \
  static_cast<unsigned long long>(__ballot_sync(__activemask(), (predicate)))

__device__ inline unsigned __lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// A wave of AMD is in step with itself; the work-items of a warp wait for each other. Fences of
// wider scopes than the wave's are at least as strong as what AMD's do.
#define __builtin_amdgcn_wave_barrier() __syncwarp()
#define __builtin_amdgcn_fence(order, scope) \
  (sizeof(scope) == sizeof("wavefront") ? __syncwarp() : __threadfence_system())
