// Code object readers and executables.
#include "emulator/hsa/code_reader.h"
#include "emulator/hsa/guard.h"

using namespace geak::emulator;

namespace {

hsa_status_t define(hsa_executable_t handle, Agent* agent, const char* name, void* address) {
  require(name != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  auto& executable = Runtime::instance().executables.checked(handle);
  require(!executable.frozen, HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  const auto value = reinterpret_cast<std::uint64_t>(address);
  require(executable.definitions[agent].emplace(name, value).second,
          HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
  ExecutableSymbol symbol;
  symbol.name = name;
  symbol.agent = agent;
  symbol.address = value;
  executable.symbols[{agent, name}] = symbol;
  return HSA_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

hsa_status_t hsa_code_object_reader_create_from_memory(const void* code_object, size_t size,
                                                       hsa_code_object_reader_t* reader) {
  return guarded([&] {
    require(code_object && size && reader, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    auto made = std::make_unique<CodeReader>();
    made->bytes = {static_cast<const std::byte*>(code_object), size};
    *reader = Runtime::instance().executables.add_reader(std::move(made));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_code_object_reader_create_from_file(hsa_file_t file,
                                                     hsa_code_object_reader_t* reader) {
  return guarded([&] {
    require(reader != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *reader = Runtime::instance().executables.add_reader(read_code_file(file, 0, 0));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t reader) {
  return guarded([&] {
    Runtime::instance().executables.destroy_reader(reader);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_executable_create_alt(hsa_profile_t profile,
                                       hsa_default_float_rounding_mode_t rounding, const char*,
                                       hsa_executable_t* executable) {
  return guarded([&] {
    require(executable != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    auto& made = Runtime::instance().executables.create();
    made.profile = profile;
    made.rounding = rounding;
    return put(executable, made.handle());
  });
}

hsa_status_t hsa_executable_create(hsa_profile_t profile, hsa_executable_state_t state,
                                   const char* options, hsa_executable_t* executable) {
  const auto status =
      hsa_executable_create_alt(profile, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, options, executable);
  if (status != HSA_STATUS_SUCCESS || state != HSA_EXECUTABLE_STATE_FROZEN) return status;
  return hsa_executable_freeze(*executable, options);
}

hsa_status_t hsa_executable_destroy(hsa_executable_t executable) {
  return guarded([&] {
    Runtime::instance().executables.destroy(executable);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                   hsa_code_object_reader_t reader, const char*,
                                                   hsa_loaded_code_object_t* loaded) {
  return guarded([&] {
    auto& runtime = Runtime::instance();
    Agent& target = runtime.checked(agent);
    require(target.gpu, HSA_STATUS_ERROR_INVALID_AGENT);
    auto& into = runtime.executables.checked(executable);
    try {
      auto& object = runtime.executables.load(into, target, runtime.executables.checked(reader));
      if (loaded) loaded->handle = reinterpret_cast<std::uint64_t>(&object);
      return HSA_STATUS_SUCCESS;
    } catch (const CodeObjectError& error) {
      report_error(error.what());
      return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    }
  });
}

hsa_status_t hsa_executable_load_program_code_object(hsa_executable_t, hsa_code_object_reader_t,
                                                     const char*, hsa_loaded_code_object_t*) {
  return HSA_STATUS_ERROR;  // program-scope code objects went with HSAIL
}

hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char*) {
  return guarded([&] {
    auto& found = Runtime::instance().executables.checked(executable);
    require(!found.frozen, HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
    found.frozen = true;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_executable_get_info(hsa_executable_t executable, hsa_executable_info_t attribute,
                                     void* value) {
  return guarded([&] {
    const auto& found = Runtime::instance().executables.checked(executable);
    switch (attribute) {
      case HSA_EXECUTABLE_INFO_PROFILE:
        return put(value, found.profile);
      case HSA_EXECUTABLE_INFO_STATE:
        return put(value,
                   found.frozen ? HSA_EXECUTABLE_STATE_FROZEN : HSA_EXECUTABLE_STATE_UNFROZEN);
      case HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
        return put(value, found.rounding);
    }
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_executable_global_variable_define(hsa_executable_t executable,
                                                   const char* variable_name, void* address) {
  return guarded([&] { return define(executable, nullptr, variable_name, address); });
}

hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t executable,
                                                         hsa_agent_t agent,
                                                         const char* variable_name, void* address) {
  return guarded([&] {
    return define(executable, &Runtime::instance().checked(agent), variable_name, address);
  });
}

hsa_status_t hsa_executable_readonly_variable_define(hsa_executable_t executable, hsa_agent_t agent,
                                                     const char* variable_name, void* address) {
  return hsa_executable_agent_global_variable_define(executable, agent, variable_name, address);
}

// Loading has checked everything already.
hsa_status_t hsa_executable_validate(hsa_executable_t executable, uint32_t* result) {
  return guarded([&] {
    Runtime::instance().executables.checked(executable);
    return put<std::uint32_t>(result, 0);
  });
}

hsa_status_t hsa_executable_validate_alt(hsa_executable_t executable, const char*,
                                         uint32_t* result) {
  return hsa_executable_validate(executable, result);
}
}
