// Symbols of executables: kernels and variables.
#include <algorithm>
#include <cstring>

#include "emulator/hsa/disguise_marks.h"
#include "emulator/hsa/guard.h"

using namespace geak::emulator;

namespace {

using Kind = CodeObject::Symbol::Kind;

// Offsets in the kernel descriptor (AMDGPUUsage, "Kernel Descriptor").
constexpr std::size_t kGroupSizeOffset = 0, kPrivateSizeOffset = 4, kKernargSizeOffset = 8,
                      kPropertiesOffset = 56;
constexpr std::uint16_t kUsesDynamicStack = 1u << 11;
// The ABI asks for 16 at least, and compilers for no more.
constexpr std::uint32_t kKernargAlignment = 16;

template <typename T>
T descriptor_field(const ExecutableSymbol& symbol, std::size_t offset) {
  require(symbol.kind == Kind::kernel_descriptor, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  T value;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(symbol.address) + offset, sizeof value);
  return value;
}

bool uses_dynamic_stack(const ExecutableSymbol& symbol) {
  return descriptor_field<std::uint16_t>(symbol, kPropertiesOffset) & kUsesDynamicStack;
}

// A HIP runtime that was presented an older code object would cut a stack of unknown size down to a
// few bytes. It is told of a fixed one, as the object's changed metadata tells it.
bool fixes_stack(const ExecutableSymbol& symbol) {
  return symbol.object && marked_abi_version(symbol.object->code->image) &&
         uses_dynamic_stack(symbol);
}

std::uint32_t private_bytes(const ExecutableSymbol& symbol) {
  const auto bytes = descriptor_field<std::uint32_t>(symbol, kPrivateSizeOffset);
  return fixes_stack(symbol) ? std::max(bytes, kAssumedStackBytes) : bytes;
}

hsa_status_t put_kernel(const ExecutableSymbol& symbol, int attribute, void* value) {
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
      require(symbol.kind == Kind::kernel_descriptor, HSA_STATUS_ERROR_INVALID_ARGUMENT);
      return put<std::uint64_t>(value, symbol.address);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
      return put(value, descriptor_field<std::uint32_t>(symbol, kKernargSizeOffset));
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
      return put(value, kKernargAlignment);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
      return put(value, descriptor_field<std::uint32_t>(symbol, kGroupSizeOffset));
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
      return put(value, private_bytes(symbol));
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
      return put<bool>(value, uses_dynamic_stack(symbol) && !fixes_stack(symbol));
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION:
      return put<std::uint32_t>(value, 0);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t put_variable(const ExecutableSymbol& symbol, int attribute, void* value) {
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS:
      require(symbol.kind == Kind::variable, HSA_STATUS_ERROR_INVALID_ARGUMENT);
      return put<std::uint64_t>(value, symbol.address);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
      return put<hsa_variable_allocation_t>(
          value, symbol.agent ? HSA_VARIABLE_ALLOCATION_AGENT : HSA_VARIABLE_ALLOCATION_PROGRAM);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT:
      return put<hsa_variable_segment_t>(
          value, symbol.constant ? HSA_VARIABLE_SEGMENT_READONLY : HSA_VARIABLE_SEGMENT_GLOBAL);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT:
      // The largest power of two that the address has, as far as variables ask for any.
      return put<std::uint32_t>(
          value, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                     symbol.address ? symbol.address & (~symbol.address + 1) : 1, 4096)));
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
      return put<std::uint32_t>(value, static_cast<std::uint32_t>(symbol.bytes));
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST:
      return put<bool>(value, symbol.constant);
  }
  return put_kernel(symbol, attribute, value);
}

hsa_status_t put_symbol(const ExecutableSymbol& symbol, int attribute, void* value) {
  require(value != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
      return put<hsa_symbol_kind_t>(value, symbol.kind == Kind::kernel_descriptor
                                               ? HSA_SYMBOL_KIND_KERNEL
                                               : HSA_SYMBOL_KIND_VARIABLE);
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
      return put<std::uint32_t>(value, static_cast<std::uint32_t>(symbol.name.size()));
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
      std::memcpy(value, symbol.name.data(), symbol.name.size());  // not terminated
      return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH:
      return put<std::uint32_t>(value, 0);
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME:
      return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_AGENT:
      require(symbol.agent != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
      return put(value, symbol.agent->handle());
    case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE:
      return put<hsa_symbol_linkage_t>(
          value, symbol.local ? HSA_SYMBOL_LINKAGE_MODULE : HSA_SYMBOL_LINKAGE_PROGRAM);
    case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION:
      return put<bool>(value, true);
  }
  return put_variable(symbol, attribute, value);
}

hsa_executable_symbol_t handle_of(const ExecutableSymbol& symbol) {
  return {reinterpret_cast<std::uint64_t>(&symbol)};
}

}  // namespace

extern "C" {

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char* symbol_name,
                                               const hsa_agent_t* agent,
                                               hsa_executable_symbol_t* symbol) {
  return guarded([&] {
    require(symbol_name && symbol, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    auto& runtime = Runtime::instance();
    const auto& found = runtime.executables.checked(executable);
    Agent* of_agent = agent ? &runtime.checked(*agent) : nullptr;
    auto place = found.symbols.find({of_agent, symbol_name});
    if (place == found.symbols.end()) place = found.symbols.find({nullptr, symbol_name});
    require(place != found.symbols.end(), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
    return put(symbol, handle_of(place->second));
  });
}

hsa_status_t hsa_executable_get_symbol(hsa_executable_t executable, const char*,
                                       const char* symbol_name, hsa_agent_t agent, int32_t,
                                       hsa_executable_symbol_t* symbol) {
  return hsa_executable_get_symbol_by_name(executable, symbol_name, &agent, symbol);
}

hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t executable_symbol,
                                            hsa_executable_symbol_info_t attribute, void* value) {
  return guarded([&] {
    return put_symbol(Runtime::instance().executables.checked(executable_symbol), attribute, value);
  });
}

hsa_status_t hsa_executable_iterate_symbols(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void*), void* data) {
  return guarded([&] {
    require(callback != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return iterate(Runtime::instance().executables.checked(executable).symbols, [&](auto& entry) {
      return callback(executable, handle_of(entry.second), data);
    });
  });
}

hsa_status_t hsa_executable_iterate_agent_symbols(
    hsa_executable_t executable, hsa_agent_t agent,
    hsa_status_t (*callback)(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void*),
    void* data) {
  return guarded([&] {
    require(callback != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const Agent* wanted = &Runtime::instance().checked(agent);
    return iterate(Runtime::instance().executables.checked(executable).symbols, [&](auto& entry) {
      if (entry.first.first != wanted) return HSA_STATUS_SUCCESS;
      return callback(executable, agent, handle_of(entry.second), data);
    });
  });
}

hsa_status_t hsa_executable_iterate_program_symbols(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void*), void* data) {
  return guarded([&] {
    require(callback != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return iterate(Runtime::instance().executables.checked(executable).symbols, [&](auto& entry) {
      if (entry.first.first) return HSA_STATUS_SUCCESS;
      return callback(executable, handle_of(entry.second), data);
    });
  });
}
}
