#include "emulator/wave/counters_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "emulator/model/memory_levels.h"

namespace geak::emulator {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kClassNames[kInstructionClasses] = {
    "salu", "branch", "scalar_memory", "valu",   "transcendental",  "matrix", "lds",
    "flat", "global", "scratch",       "buffer", "synchronization", "other"};

Json by_class(const std::array<std::uint64_t, kInstructionClasses>& values) {
  Json json = Json::object();
  for (unsigned n = 0; n < kInstructionClasses; ++n) json[kClassNames[n]] = values[n];
  return json;
}

Json traffic(const TrafficCounters& t) {
  return {{"instructions", t.instructions},
          {"lanes", t.lanes},
          {"bytes", t.bytes},
          {"lines64", t.lines64},
          {"lines128", t.lines128}};
}

Json memory(const MemoryCounters& m) {
  return {{"read", traffic(m.read)},
          {"write", traffic(m.write)},
          {"atomic", traffic(m.atomic)},
          {"scratch_instructions", m.scratch_instructions},
          {"scratch_bytes", m.scratch_bytes},
          {"scalar_bytes", m.scalar_bytes},
          {"scalar_lines64", m.scalar_lines64},
          {"l1_hits", m.l1_hits},
          {"l1_misses", m.l1_misses},
          {"l2_first_lines", m.l2_first_lines},
          {"l2_lost_lines", m.l2_lost.all()},
          {"vector_waits", m.vector_waits},
          {"vector_stall_cycles", m.vector_stall_cycles},
          {"scalar_waits", m.scalar_waits},
          {"scalar_stall_cycles", m.scalar_stall_cycles}};
}

Json lds(const MemoryCounters& m) {
  return {{"instructions", m.lds_instructions},
          {"bytes", m.lds_bytes},
          {"cycles", m.lds_cycles},
          {"conflict_cycles", m.lds_conflict_cycles},
          {"waits", m.lds_waits},
          {"stall_cycles", m.lds_stall_cycles}};
}

Json resources(const Counters& c) {
  return {{"vgprs", c.vgprs},
          {"sgprs", c.sgprs},
          {"lds_bytes", c.lds_bytes},
          {"scratch_bytes", c.scratch_bytes},
          {"vgpr_spills", c.vgpr_spills},
          {"sgpr_spills", c.sgpr_spills},
          {"waves_per_simd", c.occupancy.waves_per_simd},
          {"workgroups_per_cu", c.occupancy.workgroups_per_cu},
          {"limit", to_string(c.occupancy.limit)}};
}

Json levels(const DeviceDescription& device, const Counters& c) {
  const MemoryLevels bytes = memory_levels(device, c);
  return {{"l1_bytes", static_cast<std::uint64_t>(bytes.l1_bytes)},
          {"l2_bytes", static_cast<std::uint64_t>(bytes.l2_bytes)},
          {"memory_bytes", static_cast<std::uint64_t>(bytes.memory_bytes)}};
}

std::string line_of(Launch& launch, const ModelledTime& time) {
  const KernelDispatch& d = launch.dispatch;
  const Counters& c = launch.counters();
  const Json json{{"schema", 1},
                  {"kernel", d.kernel_name},
                  {"device", d.device->name},
                  {"arch", to_string(d.device->arch)},
                  {"grid", d.grid},
                  {"workgroup", d.workgroup},
                  {"workgroups", c.workgroups},
                  {"waves", c.waves},
                  {"instructions", c.instructions()},
                  {"executed", by_class(c.executed)},
                  {"active_lanes", by_class(c.active_lanes)},
                  {"barriers", c.barriers},
                  {"barrier_wait_instructions", c.barrier_wait_instructions},
                  {"barrier_stall_cycles", c.barrier_stall_cycles},
                  {"longest_wave_cycles", c.longest_wave_cycles},
                  {"idle_cycles", c.memory.idle_cycles},
                  {"footprint_bytes", c.footprint_bytes},
                  {"matrix_cycles", c.memory.matrix_cycles},
                  {"memory", memory(c.memory)},
                  {"levels", levels(*d.device, c)},
                  {"lds", lds(c.memory)},
                  {"resources", resources(c)},
                  {"modelled_ns", time.ns},
                  {"bound", time.bound}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

void append_counters(Launch& launch, const ModelledTime& time) {
  const char* path = std::getenv("GEAK_EMU_COUNTERS");
  if (!path || !*path) return;
  const std::string line = line_of(launch, time);
  // One write of a line to a file opened for appending: lines of several processes don't mix.
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  const bool written =
      file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int error = errno;
  if (file >= 0) close(file);
  if (!written)
    throw std::runtime_error(
        fmt::format("GEAK_EMU_COUNTERS: can't append to '{}': {}", path, std::strerror(error)));
}

}  // namespace geak::emulator
