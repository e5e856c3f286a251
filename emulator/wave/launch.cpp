#include "emulator/wave/launch.h"

#include <fmt/format.h>
#include <algorithm>

#include "emulator/isa/interpreter.h"
#include "emulator/memory/page_map.h"
#include "emulator/model/memory_levels.h"
#include "emulator/model/occupancy.h"
#include "emulator/wave/workgroup.h"

namespace geak::emulator {
namespace {

// The entry of a kernel with preloaded arguments lies behind the code that loads them on firmware
// without that feature (AMDGPUUsage, "Preloaded Kernel Arguments").
constexpr std::uint64_t kPreloadProlog = 256;
constexpr std::uint32_t kMostWorkItems = 1024;

}  // namespace

Launch::Launch(const KernelDispatch& packet, const DecodedPrograms& decoded,
               std::chrono::nanoseconds timeout, GlobalWaveSync& device_gws)
    : dispatch(packet),
      descriptor(KernelDescriptor::read(packet.code->arch, packet.descriptor)),
      programs(decoded),
      gws(device_gws),
      timeout_(timeout),
      begin_(std::chrono::steady_clock::now()) {
  entry = programs.find(dispatch.entry + (descriptor.preload_dwords > 0 ? kPreloadProlog : 0));
  std::uint64_t items = 1;
  workgroups_ = 1;
  for (unsigned n = 0; n < 3; ++n) {
    const std::uint32_t size = std::max(dispatch.workgroup[n], 1u);
    groups[n] = static_cast<std::uint32_t>((std::uint64_t{dispatch.grid[n]} + size - 1) / size);
    workgroups_ *= groups[n];
    items *= std::min(size, std::max(dispatch.grid[n], 1u));
  }
  waves_per_workgroup = static_cast<std::uint32_t>((items + kLanes - 1) / kLanes);
  counters_.vgprs = descriptor.vgprs;
  counters_.sgprs = descriptor.sgprs;
  counters_.lds_bytes = dispatch.group_segment_bytes;
  counters_.scratch_bytes = dispatch.private_segment_bytes;
  counters_.occupancy = occupancy(
      *dispatch.device,
      {descriptor.vgprs, descriptor.sgprs, dispatch.group_segment_bytes, waves_per_workgroup});
  const SpillCounts spills = programs.spills(dispatch.kernel_name);
  counters_.vgpr_spills = spills.vgprs;
  counters_.sgpr_spills = spills.sgprs;
  resident_limit_ = std::max<std::uint64_t>(
      std::uint64_t{counters_.occupancy.workgroups_per_cu} * dispatch.device->compute_units, 1);
  if (!dispatch.cooperative && !dispatch.monitor && !schedule)
    sample_ = WorkgroupSample::of_environment(workgroups_);
  to_run_ = sample_ ? sample_->size() : workgroups_;
}

std::optional<ExecutionError> Launch::check() const {
  using Kind = ExecutionError::Kind;
  const auto refuse = [&](Kind kind, const std::string& why) {
    return ExecutionError{kind, fmt::format("kernel '{}': {}", dispatch.kernel_name, why)};
  };
  const auto& size = dispatch.workgroup;
  const std::uint64_t items = std::uint64_t{size[0]} * size[1] * size[2];
  if (items == 0 || items > kMostWorkItems)
    return refuse(Kind::out_of_resources,
                  fmt::format("a workgroup of {} work-items; the device runs 1 to {}", items,
                              kMostWorkItems));
  if (dispatch.group_segment_bytes > dispatch.device->lds_bytes)
    return refuse(Kind::out_of_resources,
                  fmt::format("{} bytes of LDS a workgroup; the device has {}",
                              dispatch.group_segment_bytes, dispatch.device->lds_bytes));
  if (counters_.occupancy.workgroups_per_cu == 0)
    return refuse(Kind::out_of_resources,
                  fmt::format("{} waves with {} VGPRs and {} SGPRs don't fit on a compute unit",
                              waves_per_workgroup, descriptor.vgprs, descriptor.sgprs));
  if (dispatch.cooperative && workgroups_ > resident_limit_)
    return refuse(Kind::out_of_resources,
                  fmt::format("a cooperative launch of {} workgroups; the device holds {} at once",
                              workgroups_, resident_limit_));
  // Kernel arguments that are put into registers before the kernel starts.
  if (const std::uint32_t dwords = descriptor.preload_dwords;
      dwords && !PageMap::instance().covers(
                    dispatch.kernarg_address + 4ull * descriptor.preload_offset, 4 * dwords))
    return refuse(Kind::memory_fault,
                  fmt::format("its arguments at {:#x}, of which {} dwords are preloaded from dword "
                              "{} on, are not in memory of the device",
                              dispatch.kernarg_address, dwords, descriptor.preload_offset));
  if (!entry.instruction)
    return refuse(Kind::unknown_instruction,
                  fmt::format("no instruction starts at its entry {:#x}", dispatch.entry));
  return std::nullopt;
}

bool Launch::take(std::uint32_t (&id)[3], bool& in_half) {
  if (!has_more() || stopped()) return false;
  std::uint64_t linear = next_.fetch_add(1, std::memory_order_relaxed);
  if (linear >= to_run_) return false;
  in_half = sample_ && sample_->in_half(linear);
  if (sample_) linear = sample_->workgroup(linear);
  if (schedule) linear = schedule->workgroup(linear, workgroups_);
  id[0] = static_cast<std::uint32_t>(linear % groups[0]);
  id[1] = static_cast<std::uint32_t>(linear / groups[0] % groups[1]);
  id[2] = static_cast<std::uint32_t>(linear / groups[0] / groups[1]);
  return true;
}

void Launch::fail(ExecutionError error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  stop_.store(true, std::memory_order_relaxed);
}

std::optional<ExecutionError> Launch::take_error() {
  const std::lock_guard lock(mutex_);
  return std::move(error_);
}

void Launch::check_time(const Wave& wave) {
  if (stopped()) return;
  if (dispatch.cancelled && dispatch.cancelled->load(std::memory_order_relaxed))
    return fail({ExecutionError::Kind::cancelled,
                 fmt::format("kernel '{}' was cancelled", dispatch.kernel_name)});
  if (timeout_.count() == 0 || std::chrono::steady_clock::now() - begin_ < timeout_) return;
  fail({ExecutionError::Kind::cancelled,
        fmt::format("{}: still running after GEAK_EMU_TIMEOUT={} s, at {}", place(wave),
                    std::chrono::duration<double>(timeout_).count(), describe(wave, *wave.pc))});
}

void Launch::merge(const Counters& counters, MemoryMeter& meter) {
  const std::lock_guard lock(mutex_);
  counters_ += counters;
  footprint_.merge(meter.footprint);
  if (sample_) half_footprint_.merge(meter.half_footprint);
  for (unsigned die = 0; dispatch.device->dies > 1 && die < dispatch.device->dies; ++die) {
    if (!by_die_[die]) by_die_[die] = std::make_unique<DieLines>();
    by_die_[die]->merge(meter.by_die[die]);
  }
}

void Launch::complete() {
  constexpr double kLineBytes = 128;
  const double touched = footprint_.estimate();
  const double footprint =
      sample_ ? sample_->all_lines(half_footprint_.estimate(), touched) : touched;
  if (sample_) counters_.scale(sample_->weight());
  // The first touches of each die, then what its L2 had lost.
  double fetched = dispatch.device->dies > 1 ? 0 : footprint;
  for (const auto& die : by_die_) {
    if (die) fetched += die->estimate() * (touched > 0 ? footprint / touched : 1);
  }
  fetched += lost_lines(*dispatch.device, counters_.memory, residency(), fetched);
  counters_.footprint_bytes = static_cast<std::uint64_t>(footprint * kLineBytes);
  counters_.memory_bytes = static_cast<std::uint64_t>(fetched * kLineBytes);
}

std::string Launch::place(const Wave& wave) const {
  const auto& id = wave.workgroup->id;
  return fmt::format("kernel '{}', workgroup ({}, {}, {}), wave {}{}", dispatch.kernel_name, id[0],
                     id[1], id[2], wave.index_in_workgroup, function_at(wave));
}

std::string Launch::function_at(const Wave& wave) const {
  if (!wave.program || !wave.pc || !wave.program->contains(wave.pc)) return "";
  const std::uint64_t address = wave.program->address_of(*wave.pc);
  const auto& functions = dispatch.code->functions;
  const auto next = std::upper_bound(
      functions.begin(), functions.end(), address,
      [](std::uint64_t value, const auto& symbol) { return value < symbol.address; });
  if (next == functions.begin()) return "";
  const LoadedCode::Symbol& function = *std::prev(next);
  return fmt::format(", in {}+{:#x}", function.name, address - function.address);
}

const Instruction* Launch::find_code(Wave& wave, std::uint64_t address) {
  const DecodedPrograms::Place place = programs.find(address);
  if (place.instruction) wave.program = place.program;
  return place.instruction;
}

void Launch::send_message(Wave&, unsigned message) {
  constexpr unsigned kInterrupt = 1;
  if ((message & 0xf) == kInterrupt && dispatch.host_interrupt) dispatch.host_interrupt();
}

}  // namespace geak::emulator
