#include "replay/hsa/loaded_program.h"

#include <algorithm>
#include <utility>

#include "replay/hsa/status.h"

namespace geak::replay {
namespace {

// Scratch of a work-item whose stack no compiler could measure: what code objects of version 4
// assume.
constexpr std::uint32_t kAssumedStackBytes = 16384;

}  // namespace

LoadedProgram::LoadedProgram(hsa_agent_t agent, std::vector<std::byte> code)
    : agent_(agent), code_(std::move(code)) {
  check_hsa(hsa_code_object_reader_create_from_memory(code_.data(), code_.size(), &reader_),
            "hsa_code_object_reader_create_from_memory");
  check_hsa(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                      nullptr, &executable_),
            "hsa_executable_create_alt");
  check_hsa(hsa_executable_load_agent_code_object(executable_, agent_, reader_, nullptr, nullptr),
            "loading the code object");
  check_hsa(hsa_executable_freeze(executable_, nullptr), "hsa_executable_freeze");
}

LoadedProgram::~LoadedProgram() {
  hsa_executable_destroy(executable_);
  hsa_code_object_reader_destroy(reader_);
}

LoadedProgram::Kernel LoadedProgram::kernel(const std::string& symbol) const {
  hsa_executable_symbol_t found{};
  const auto status =
      hsa_executable_get_symbol_by_name(executable_, (symbol + ".kd").c_str(), &agent_, &found);
  if (status != HSA_STATUS_SUCCESS) {
    throw std::runtime_error("the code object has no kernel " + symbol);
  }
  Kernel kernel;
  const auto get = [&](hsa_executable_symbol_info_t what, void* value) {
    check_hsa(hsa_executable_symbol_get_info(found, what, value), "hsa_executable_symbol_get_info");
  };
  get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel.object);
  get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &kernel.group_bytes);
  get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &kernel.private_bytes);
  bool unknown_stack = false;  // recursion, calls through pointers
  get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK, &unknown_stack);
  if (unknown_stack) kernel.private_bytes = std::max(kernel.private_bytes, kAssumedStackBytes);
  get(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernel.kernarg_bytes);
  return kernel;
}

std::uint64_t LoadedProgram::variable(const std::string& name) const {
  hsa_executable_symbol_t found{};
  if (hsa_executable_get_symbol_by_name(executable_, name.c_str(), &agent_, &found) !=
      HSA_STATUS_SUCCESS) {
    return 0;
  }
  std::uint64_t address = 0;
  check_hsa(
      hsa_executable_symbol_get_info(found, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address),
      "hsa_executable_symbol_get_info");
  return address;
}

}  // namespace geak::replay
