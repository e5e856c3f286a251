#include "replay/replayer/kernarg.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace geak::replay {
namespace {

// Axis of "hidden_block_count_y", or -1.
int axis_of(const std::string& kind, const char* prefix) {
  const std::string start = std::string(prefix) + "_";
  if (!kind.starts_with(start) || kind.size() != start.size() + 1) return -1;
  return kind.back() >= 'x' && kind.back() <= 'z' ? kind.back() - 'x' : -1;
}

unsigned dimensions_of(const std::array<std::uint32_t, 3>& grid) {
  if (grid[2] > 1) return 3;
  return grid[1] > 1 ? 2 : 1;
}

std::uint64_t value_of(const std::string& kind, const HiddenValues& values) {
  if (const int axis = axis_of(kind, "hidden_block_count"); axis >= 0) {
    return values.grid[axis] / values.block[axis];
  }
  if (const int axis = axis_of(kind, "hidden_group_size"); axis >= 0) return values.block[axis];
  if (const int axis = axis_of(kind, "hidden_remainder"); axis >= 0) {
    return values.grid[axis] % values.block[axis];
  }
  if (kind == "hidden_grid_dims") return dimensions_of(values.grid);
  if (kind == "hidden_dynamic_lds_size") return values.dynamic_lds;
  if (kind == "hidden_queue_ptr") return values.queue;
  // The runtime gives a non-null handle to cooperative launches; grids of one device only ask
  // whether it is one.
  if (kind == "hidden_multigrid_sync_arg") return values.cooperative ? 1 : 0;
  return 0;
}

}  // namespace

std::vector<std::byte> build_kernarg(const KernelMetadata& kernel,
                                     const std::vector<std::uint8_t>& explicit_arguments,
                                     const HiddenValues& values) {
  std::vector<std::byte> bytes(kernel.kernarg_bytes);
  if (explicit_arguments.size() > bytes.size()) {
    throw std::runtime_error("kernel " + kernel.symbol + " takes fewer arguments than recorded");
  }
  std::memcpy(bytes.data(), explicit_arguments.data(), explicit_arguments.size());
  for (const auto& argument : kernel.arguments) {
    if (!argument.hidden()) continue;
    const std::uint64_t value = value_of(argument.value_kind, values);
    std::memcpy(bytes.data() + argument.offset, &value,
                std::min<std::size_t>(argument.bytes, sizeof value));
  }
  return bytes;
}

std::vector<std::string> unsupported_hidden(const KernelMetadata& kernel) {
  std::vector<std::string> found;
  for (const auto& argument : kernel.arguments) {
    const auto& kind = argument.value_kind;
    if (kind == "hidden_hostcall_buffer" || kind == "hidden_heap_v1" ||
        kind == "hidden_printf_buffer" || kind == "hidden_default_queue") {
      found.push_back(kind);
    }
  }
  return found;
}

}  // namespace geak::replay
