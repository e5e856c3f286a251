#include "emulator/wave/wave_setup.h"

#include <algorithm>
#include <cstring>

#include "emulator/isa/instruction.h"
#include "emulator/wave/launch.h"

namespace geak::emulator {
namespace {

constexpr unsigned kFlatScratch = 102;

// The buffer descriptor of a private segment on GFX9: unstructured, swizzled by dword with an index
// stride of 64 lanes, the lane's number added to the index.
void put_private_segment_buffer(const WaveSlot& wave, std::uint32_t* sgpr) {
  const auto base = reinterpret_cast<std::uint64_t>(wave.scratch);
  constexpr std::uint32_t kSwizzle = 1u << 31, kIndexStride64 = 3u << 21, kAddLane = 1u << 23;
  sgpr[0] = static_cast<std::uint32_t>(base);
  sgpr[1] = (static_cast<std::uint32_t>(base >> 32) & 0xffff) | kSwizzle;
  sgpr[2] = 0xffffffff;  // records: no limit; the wave's scratch is checked by address
  sgpr[3] = kIndexStride64 | kAddLane;
}

// Writes SGPRs one after the other.
class SgprWriter {
 public:
  explicit SgprWriter(WaveSlot& wave) : wave_(wave) {}
  void put(std::uint32_t value) {
    if (next_ < 102) wave_.sgpr[next_++] = value;
  }
  void put64(std::uint64_t value) {
    put(static_cast<std::uint32_t>(value));
    put(static_cast<std::uint32_t>(value >> 32));
  }
  void go_to(unsigned sgpr) { next_ = sgpr; }

 private:
  WaveSlot& wave_;
  unsigned next_ = 0;
};

void put_user_sgprs(const Launch& launch, const WaveSlot& wave, SgprWriter& sgprs) {
  const KernelDispatch& dispatch = launch.dispatch;
  const KernelDescriptor& d = launch.descriptor;
  if (d.private_segment_buffer) {
    std::uint32_t buffer[4];
    put_private_segment_buffer(wave, buffer);
    for (const std::uint32_t word : buffer) sgprs.put(word);
  }
  if (d.dispatch_ptr) sgprs.put64(dispatch.packet_address);
  if (d.queue_ptr) sgprs.put64(dispatch.queue_address);
  if (d.kernarg_ptr) sgprs.put64(dispatch.kernarg_address);
  if (d.dispatch_id) sgprs.put64(dispatch.dispatch_id);
  if (d.flat_scratch_init) sgprs.put64(reinterpret_cast<std::uint64_t>(wave.scratch));
  for (unsigned n = 0; n < d.preload_dwords; ++n) {
    std::uint32_t word;
    std::memcpy(&word,
                reinterpret_cast<const std::byte*>(dispatch.kernarg_address) +
                    4 * std::size_t{d.preload_offset + n},
                4);
    sgprs.put(word);
  }
  if (d.private_segment_size) sgprs.put(dispatch.private_segment_bytes);
}

void put_system_sgprs(const Workgroup& group, unsigned index, SgprWriter& sgprs) {
  const Launch& launch = *group.launch;
  const KernelDescriptor& d = launch.descriptor;
  sgprs.go_to(d.user_sgprs);
  for (unsigned n = 0; n < 3; ++n) {
    if (d.workgroup_id[n]) sgprs.put(group.id[n]);
  }
  // First wave of its group, ordered append term and number of waves: see AMDGPUUsage.
  if (d.workgroup_info) sgprs.put((index == 0 ? 1u << 31 : 0) | group.waves);
  // The bases above are the wave's own, so its offset from them is 0.
  if (d.private_segment && launch.dispatch.code->arch == Arch::gfx90a) sgprs.put(0);
}

// The next work-item's coordinates.
void advance(const std::uint32_t (&size)[3], std::uint32_t (&at)[3]) {
  for (unsigned n = 0; n < 2; ++n) {
    if (++at[n] < size[n]) return;
    at[n] = 0;
  }
  ++at[2];
}

// v0 holds X | Y << 10 | Z << 20 of each lane; returns EXEC.
std::uint64_t put_work_items(const Launch& launch, const std::uint32_t (&size)[3], unsigned index,
                             Lanes& v0) {
  const std::uint32_t items = size[0] * size[1] * size[2];
  const std::uint32_t first = index * kLanes;
  std::uint32_t at[3] = {first % size[0], first / size[0] % size[1], first / (size[0] * size[1])};
  const bool has_y = launch.descriptor.work_item_id >= 1,
             has_z = launch.descriptor.work_item_id >= 2;
  const auto packed = [&] { return at[0] | (has_y ? at[1] << 10 : 0) | (has_z ? at[2] << 20 : 0); };
  if (at[0] + kLanes <= size[0]) {  // all of them in one row
    const std::uint32_t start = packed();
    for (unsigned lane = 0; lane < kLanes; ++lane) v0[lane] = start + lane;
  } else {
    for (unsigned lane = 0; lane < kLanes; ++lane, advance(size, at)) v0[lane] = packed();
  }
  const std::uint32_t active = std::min(items - first, kLanes);
  return active == kLanes ? ~std::uint64_t{0} : (std::uint64_t{1} << active) - 1;
}

void set_up_scratch(const Launch& launch, WaveSlot& wave) {
  wave.scratch_bytes = std::uint64_t{launch.dispatch.private_segment_bytes + 3} / 4 * 4 * kLanes;
  wave.scratch = wave.scratch_bytes ? wave.scratch_memory.ensure(wave.scratch_bytes) : nullptr;
  if (wave.scratch && launch.dispatch.code->arch == Arch::gfx942)
    wave.set_scalar64(kFlatScratch, reinterpret_cast<std::uint64_t>(wave.scratch));
}

void set_up_wave(Workgroup& group, unsigned index, const std::uint32_t (&size)[3]) {
  Launch& launch = *group.launch;
  WaveSlot& wave = *group.slots[index];
  wave.reset(launch.descriptor.mode);
  wave.accum_offset = launch.descriptor.accum_offset;
  wave.pc = launch.entry.instruction;
  wave.program = launch.entry.program;
  wave.host = &launch;
  wave.workgroup = &group;
  wave.lds = group.lds.data();
  wave.lds_bytes = launch.dispatch.group_segment_bytes;
  wave.index_in_workgroup = index;
  wave.gws_waiting = false;
  wave.executed_at_barrier = 0;
  wave.clock.clear();
  wave.outstanding_vector = wave.waited_vector = wave.outstanding_lds = wave.outstanding_scalar = 0;
  set_up_scratch(launch, wave);
  SgprWriter sgprs(wave);
  put_user_sgprs(launch, wave, sgprs);
  put_system_sgprs(group, index, sgprs);
  wave.set_scalar64(kExec, put_work_items(launch, size, index, wave.v[0]));
}

}  // namespace

void set_up_workgroup(Workgroup& group) {
  const KernelDispatch& dispatch = group.launch->dispatch;
  std::uint32_t size[3];
  for (unsigned n = 0; n < 3; ++n) {
    // The last workgroup of a dimension holds what is left of the grid.
    size[n] =
        std::min(dispatch.workgroup[n], dispatch.grid[n] - group.id[n] * dispatch.workgroup[n]);
  }
  const std::uint32_t items = size[0] * size[1] * size[2];
  group.waves = (items + kLanes - 1) / kLanes;
  group.ended = 0;
  while (group.slots.size() < group.waves) group.slots.push_back(std::make_unique<WaveSlot>());
  if (dispatch.group_segment_bytes > 0) group.lds.ensure(dispatch.group_segment_bytes);
  for (unsigned index = 0; index < group.waves; ++index) set_up_wave(group, index, size);
}

}  // namespace geak::emulator
