#include "emulator/hsa/dispatch.h"

#include <cstring>

#include "emulator/hsa/limits.h"
#include "emulator/hsa/runtime.h"
#include "emulator/hsa/system_events.h"
#include "emulator/memory/page_map.h"

namespace geak::emulator {
namespace {

// Offsets in the kernel descriptor (AMDGPUUsage, "Kernel Descriptor").
constexpr std::size_t kGroupSizeOffset = 0;
constexpr std::size_t kKernargSizeOffset = 8;
constexpr std::size_t kEntryOffset = 16;

template <typename T>
T field(const std::byte* descriptor, std::size_t offset) {
  T value;
  std::memcpy(&value, descriptor + offset, sizeof value);
  return value;
}

bool in_code(const LoadedCode& code, std::uint64_t address) {
  for (const auto& range : code.executable) {
    const auto* at = reinterpret_cast<const std::byte*>(address);
    if (at >= range.begin && at < range.end) return true;
  }
  return false;
}

// An empty text when the launch is possible.
std::string shape_problem(const KernelDispatch& dispatch) {
  std::uint64_t items = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (dispatch.workgroup[i] == 0 || dispatch.grid[i] == 0) return "an empty grid or workgroup";
    items *= dispatch.workgroup[i];
  }
  if (items > kMaxWorkgroup) {
    return "a workgroup of " + std::to_string(items) + " work-items; the device runs at most " +
           std::to_string(kMaxWorkgroup);
  }
  if (dispatch.group_segment_bytes > dispatch.device->lds_bytes) {
    return std::to_string(dispatch.group_segment_bytes) +
           " bytes of LDS in a workgroup; the device has " +
           std::to_string(dispatch.device->lds_bytes);
  }
  return "";
}

std::string kernarg_problem(const KernelDispatch& dispatch) {
  const auto bytes = field<std::uint32_t>(dispatch.descriptor, kKernargSizeOffset);
  if (bytes == 0) return "";
  const auto& pages = PageMap::instance();
  for (std::uint64_t at = dispatch.kernarg_address; at < dispatch.kernarg_address + bytes;
       at = (at | ((1u << PageMap::kPageBits) - 1)) + 1) {
    if (!pages.covers(at)) return "kernel arguments that the device can't read";
  }
  return "";
}

// What the runtime would have written, had it known the argument (disguise_marks.h).
void fill_dynamic_lds(const KernelDispatch& dispatch) {
  const auto& arguments = dispatch.code->dynamic_lds_arguments;
  const auto found = arguments.find(dispatch.kernel_name);
  if (found == arguments.end()) return;
  const auto kernarg_bytes = field<std::uint32_t>(dispatch.descriptor, kKernargSizeOffset);
  const auto fixed = field<std::uint32_t>(dispatch.descriptor, kGroupSizeOffset);
  const std::uint32_t dynamic =
      dispatch.group_segment_bytes > fixed ? dispatch.group_segment_bytes - fixed : 0;
  if (std::uint64_t{found->second} + sizeof dynamic > kernarg_bytes) return;
  std::memcpy(reinterpret_cast<void*>(dispatch.kernarg_address + found->second), &dynamic,
              sizeof dynamic);
}

void fill(KernelDispatch& dispatch, Queue& queue, const hsa_kernel_dispatch_packet_t& packet,
          std::uint64_t index) {
  dispatch.device = queue.agent().device;
  dispatch.descriptor = reinterpret_cast<const std::byte*>(packet.kernel_object);
  dispatch.entry = packet.kernel_object + static_cast<std::uint64_t>(field<std::int64_t>(
                                              dispatch.descriptor, kEntryOffset));
  dispatch.dimensions = packet.setup & 3;
  dispatch.workgroup = {packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z};
  dispatch.grid = {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z};
  for (unsigned i = dispatch.dimensions; i < 3; ++i) dispatch.workgroup[i] = dispatch.grid[i] = 1;
  dispatch.private_segment_bytes = packet.private_segment_size;
  dispatch.group_segment_bytes = packet.group_segment_size;
  dispatch.kernarg_address = reinterpret_cast<std::uint64_t>(packet.kernarg_address);
  dispatch.packet_address = reinterpret_cast<std::uint64_t>(&packet);
  dispatch.queue_address = reinterpret_cast<std::uint64_t>(&queue.amd());
  dispatch.dispatch_id = index;
  dispatch.cooperative = queue.amd().hsa_queue.type == HSA_QUEUE_TYPE_COOPERATIVE;
  dispatch.monitor = Runtime::instance().checker.get();
  dispatch.host_interrupt = [] { Runtime::instance().changes.notify(); };
}

}  // namespace

std::optional<KernelDispatch> make_dispatch(Queue& queue,
                                            const hsa_kernel_dispatch_packet_t& packet,
                                            std::uint64_t index, PacketError& error) {
  const auto refuse = [&](hsa_status_t status, const std::string& what) {
    error = {status, what};
    return std::nullopt;
  };
  ResolvedKernel kernel;
  if (!Runtime::instance().executables.resolve(packet.kernel_object, kernel)) {
    char text[64];
    std::snprintf(text, sizeof text, "%#llx",
                  static_cast<unsigned long long>(packet.kernel_object));
    return refuse(HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
                  std::string("dispatch of ") + text + ", where no kernel is loaded");
  }
  KernelDispatch dispatch;
  dispatch.code = kernel.code;
  dispatch.kernel_name = kernel.name;
  fill(dispatch, queue, packet, index);
  const std::string launch = "launch of kernel '" + kernel.name + "' with ";
  if (dispatch.dimensions == 0) {
    return refuse(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, launch + "no dimensions");
  }
  if (!in_code(*kernel.code, dispatch.entry)) {
    return refuse(HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
                  launch + "an entry point outside of its code object");
  }
  if (const auto problem = shape_problem(dispatch); !problem.empty()) {
    return refuse(HSA_STATUS_ERROR_OUT_OF_RESOURCES, launch + problem);
  }
  if (const auto problem = kernarg_problem(dispatch); !problem.empty()) {
    return refuse(extended(HSA_STATUS_ERROR_MEMORY_FAULT), launch + problem);
  }
  fill_dynamic_lds(dispatch);
  return dispatch;
}

PacketError packet_error(const KernelDispatch&, const ExecutionError& error) {
  using Kind = ExecutionError::Kind;
  switch (error.kind) {
    case Kind::unknown_instruction:
      return {extended(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION), error.message};
    case Kind::memory_fault:
      return {extended(HSA_STATUS_ERROR_MEMORY_FAULT), error.message};
    case Kind::out_of_resources:
      return {HSA_STATUS_ERROR_OUT_OF_RESOURCES, error.message};
    case Kind::trap:
      return {HSA_STATUS_ERROR_EXCEPTION, error.message};
    case Kind::cancelled:
    case Kind::internal:
      break;
  }
  return {HSA_STATUS_ERROR, error.message};
}

}  // namespace geak::emulator
