// hsa_amd_memory_async_copy and _rect.
#include <cstring>

#include "emulator/hsa/copy_engine.h"
#include "emulator/hsa/guard.h"
#include "emulator/memory/page_map.h"

using namespace geak::emulator;

namespace {

// Both sides must have been given to the devices, as on a real one.
void check_range(const void* address, std::uint64_t bytes) {
  const auto& pages = PageMap::instance();
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  constexpr std::uint64_t kPage = 1ull << PageMap::kPageBits;
  for (std::uint64_t at = begin; at < begin + bytes; at = (at | (kPage - 1)) + 1) {
    if (pages.covers(at)) continue;
    char text[96];
    std::snprintf(text, sizeof text, "copy: address %#llx is not memory that a device can reach",
                  static_cast<unsigned long long>(at));
    report_error(text);
    throw StatusError{HSA_STATUS_ERROR_INVALID_ALLOCATION};
  }
}

std::vector<hsa_signal_t> signals(std::uint32_t count, const hsa_signal_t* first) {
  require(count == 0 || first, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  return {first, first + count};
}

struct Rectangle {
  std::byte* base;
  std::size_t pitch, slice;

  Rectangle(const hsa_pitched_ptr_t& memory, const hsa_dim3_t& offset)
      : base(static_cast<std::byte*>(host_pointer(memory.base)) + offset.x +
             offset.y * memory.pitch + offset.z * memory.slice),
        pitch(memory.pitch),
        slice(memory.slice) {}
  std::byte* row(std::size_t y, std::size_t z) const { return base + y * pitch + z * slice; }
  void check(const hsa_dim3_t& range) const {
    for (std::size_t z = 0; z < range.z; ++z) {
      for (std::size_t y = 0; y < range.y; ++y) check_range(row(y, z), range.x);
    }
  }
};

}  // namespace

extern "C" {

hsa_status_t hsa_amd_memory_async_copy(void* dst, hsa_agent_t dst_agent, const void* src,
                                       hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals,
                                       const hsa_signal_t* dep_signals,
                                       hsa_signal_t completion_signal) {
  return guarded([&] {
    auto& runtime = Runtime::instance();
    const Agent& to = runtime.checked(dst_agent);
    const Agent& from = runtime.checked(src_agent);
    require(size == 0 || (dst && src), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    check_range(dst, size);
    check_range(src, size);
    CopyJob job;
    job.dependencies = signals(num_dep_signals, dep_signals);
    job.completion = completion_signal;
    job.not_before = runtime.host_clock.now();
    job.work = [to_host = host_pointer(dst), from_host = host_pointer(src), size] {
      copy_bytes(to_host, from_host, size);
    };
    charge_copy(job, &to, &from, size);
    CopyEngine::instance().submit(std::move(job));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_memory_async_copy_rect(
    const hsa_pitched_ptr_t* dst, const hsa_dim3_t* dst_offset, const hsa_pitched_ptr_t* src,
    const hsa_dim3_t* src_offset, const hsa_dim3_t* range, hsa_agent_t copy_agent,
    hsa_amd_copy_direction_t dir, uint32_t num_dep_signals, const hsa_signal_t* dep_signals,
    hsa_signal_t completion_signal) {
  return guarded([&] {
    require(dst && dst_offset && src && src_offset && range, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    auto& runtime = Runtime::instance();
    const Agent& agent = runtime.checked(copy_agent);
    require(agent.gpu, HSA_STATUS_ERROR_INVALID_AGENT);
    const Rectangle to(*dst, *dst_offset), from(*src, *src_offset);
    const hsa_dim3_t size = *range;
    to.check(size);
    from.check(size);
    CopyJob job;
    job.dependencies = signals(num_dep_signals, dep_signals);
    job.completion = completion_signal;
    job.not_before = runtime.host_clock.now();
    job.work = [to, from, size] {
      for (std::size_t z = 0; z < size.z; ++z) {
        for (std::size_t y = 0; y < size.y; ++y) {
          copy_bytes(to.row(y, z), from.row(y, z), size.x);
        }
      }
    };
    const bool into = dir == hsaHostToDevice || dir == hsaDeviceToDevice;
    const bool out_of = dir == hsaDeviceToHost || dir == hsaDeviceToDevice;
    charge_copy(job, into ? &agent : nullptr, out_of ? &agent : nullptr,
                std::uint64_t{size.x} * size.y * size.z);
    CopyEngine::instance().submit(std::move(job));
    return HSA_STATUS_SUCCESS;
  });
}
}
