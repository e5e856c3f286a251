#include "replay/replayer/side.h"

#include <cstring>

#include "replay/code_object/elf.h"
#include "replay/replayer/kernarg.h"

namespace geak::replay {
namespace {

KernelMetadata metadata_of(const std::vector<std::byte>& code, const std::string& kernel) {
  const auto kernels = read_kernel_metadata(read_elf(code).metadata);
  const auto* found = find_kernel_metadata(kernels, kernel);
  if (!found) throw std::runtime_error("the code object has no kernel " + kernel);
  return *found;
}

}  // namespace

support::Launch launch_of(const LaunchRecord& record) {
  support::Launch launch;
  for (int axis = 0; axis < 3; ++axis) {
    launch.block[axis] = record.block[axis];
    launch.grid[axis] = (record.grid[axis] + record.block[axis] - 1) / record.block[axis];
  }
  launch.dynamic_lds = record.dynamic_lds;
  return launch;
}

bool has_partial_groups(const LaunchRecord& record) {
  for (int axis = 0; axis < 3; ++axis) {
    if (record.grid[axis] % record.block[axis]) return true;
  }
  return false;
}

Side::Side(HsaDevice& device, std::vector<std::byte> code, const std::string& kernel,
           CountersFile& counters)
    : device_(device),
      code_(std::move(code)),
      program_(device, code_),
      kernel_(program_.kernel(kernel)),
      metadata_(metadata_of(code_, kernel)),
      counters_(counters) {}

Outcome Side::run(const LaunchRecord& record, const support::Launch& launch, bool partial_groups,
                  const Image& input, std::chrono::milliseconds limit, const Passes& passes) {
  const auto recorded = recorded_bases(record);
  auto arena = std::make_shared<Arena>(device_, program_, record);
  arena->restore(input, recorded);
  DispatchShape shape;
  shape.block = launch.block;
  for (int axis = 0; axis < 3; ++axis) {
    shape.grid[axis] = partial_groups ? record.grid[axis] : launch.grid[axis] * launch.block[axis];
  }
  shape.group_bytes = kernel_.group_bytes + launch.dynamic_lds;
  shape.private_bytes = kernel_.private_bytes;
  shape.cooperative = record.cooperative;
  HiddenValues hidden{shape.grid, shape.block, launch.dynamic_lds, record.cooperative,
                      device_.queue_address(record.cooperative)};
  auto arguments = relocated_kernarg(record, arena->bases());
  Outcome outcome;
  const auto once = [&] {
    outcome.ns +=
        device_.run(kernel_.object, shape, build_kernarg(metadata_, arguments, hidden), limit);
    auto counted = counters_.next();
    if (outcome.counters.is_null())
      outcome.counters = std::move(counted);
    else
      replay::accumulate(outcome.counters, counted, 1);
  };
  if (passes.values.empty()) once();
  for (const std::int64_t value : passes.values) {
    std::memcpy(arguments.data() + passes.offset, &value, passes.bytes);
    once();
  }
  outcome.after = arena->read(recorded);
  outcome.zone_damage = arena->zone_damage();
  arena->wipe();
  previous_ = std::move(arena);
  return outcome;
}

}  // namespace geak::replay
