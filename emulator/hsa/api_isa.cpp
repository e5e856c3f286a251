// Instruction sets and wavefronts.
#include <cstring>

#include "emulator/hsa/guard.h"
#include "emulator/hsa/limits.h"

using namespace geak::emulator;

namespace {

Isa& checked_isa(hsa_isa_t handle) {
  for (const auto& agent : Runtime::instance().agents()) {
    if (agent->isa && reinterpret_cast<std::uint64_t>(agent->isa.get()) == handle.handle) {
      return *agent->isa;
    }
  }
  throw StatusError{HSA_STATUS_ERROR_INVALID_ISA};
}

hsa_status_t put_isa(const Isa& isa, hsa_isa_info_t attribute, void* value) {
  require(value != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  switch (attribute) {
    case HSA_ISA_INFO_NAME_LENGTH:
      return put<std::uint32_t>(value, static_cast<std::uint32_t>(isa.name.size() + 1));
    case HSA_ISA_INFO_NAME:
      return put_text(value, isa.name.c_str(), isa.name.size() + 1);
    case HSA_ISA_INFO_CALL_CONVENTION_COUNT:
      return put<std::uint32_t>(value, 1);
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE:
      return put<std::uint32_t>(value, kWavefrontSize);
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT:
      return put<std::uint32_t>(
          value, isa.agent->device->max_waves_per_simd * isa.agent->device->simds_per_cu);
    case HSA_ISA_INFO_MACHINE_MODELS: {
      const bool models[2] = {false, true};
      std::memcpy(value, models, sizeof models);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_ISA_INFO_PROFILES: {
      const bool profiles[2] = {true, false};
      std::memcpy(value, profiles, sizeof profiles);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
    case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES: {
      const bool modes[3] = {false, false, true};
      std::memcpy(value, modes, sizeof modes);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_ISA_INFO_FAST_F16_OPERATION:
      return put<bool>(value, true);
    case HSA_ISA_INFO_WORKGROUP_MAX_DIM: {
      const std::uint16_t most[3] = {kMaxWorkgroup, kMaxWorkgroup, kMaxWorkgroup};
      std::memcpy(value, most, sizeof most);
      return HSA_STATUS_SUCCESS;
    }
    case HSA_ISA_INFO_WORKGROUP_MAX_SIZE:
      return put<std::uint32_t>(value, kMaxWorkgroup);
    case HSA_ISA_INFO_GRID_MAX_DIM:
      return put<hsa_dim3_t>(value, {kMaxGrid, kMaxGrid, kMaxGrid});
    case HSA_ISA_INFO_GRID_MAX_SIZE:
      return put<std::uint64_t>(value, kMaxGrid);
    case HSA_ISA_INFO_FBARRIER_MAX_SIZE:
      return put<std::uint32_t>(value, 32);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

}  // namespace

extern "C" {

hsa_status_t hsa_isa_from_name(const char* name, hsa_isa_t* isa) {
  return guarded([&] {
    require(name && isa, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (const auto& agent : Runtime::instance().agents()) {
      if (agent->isa && agent->isa->name == name) {
        return put<hsa_isa_t>(isa, {reinterpret_cast<std::uint64_t>(agent->isa.get())});
      }
    }
    return HSA_STATUS_ERROR_INVALID_ISA_NAME;
  });
}

hsa_status_t hsa_agent_iterate_isas(hsa_agent_t agent, hsa_status_t (*callback)(hsa_isa_t, void*),
                                    void* data) {
  return guarded([&] {
    const Agent& found = Runtime::instance().checked(agent);
    require(found.gpu, HSA_STATUS_ERROR_INVALID_AGENT);
    require(callback != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return callback({reinterpret_cast<std::uint64_t>(found.isa.get())}, data);
  });
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, hsa_isa_info_t attribute, void* value) {
  return guarded([&] { return put_isa(checked_isa(isa), attribute, value); });
}

hsa_status_t hsa_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index,
                              void* value) {
  return guarded([&] {
    require(index == 0, HSA_STATUS_ERROR_INVALID_INDEX);
    return put_isa(checked_isa(isa), attribute, value);
  });
}

hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t isa, hsa_profile_t, uint16_t* mask) {
  return guarded([&] {
    checked_isa(isa);
    return put<std::uint16_t>(mask, 0);
  });
}

hsa_status_t hsa_isa_get_round_method(hsa_isa_t isa, hsa_fp_type_t, hsa_flush_mode_t,
                                      hsa_round_method_t* method) {
  return guarded([&] {
    checked_isa(isa);
    return put<hsa_round_method_t>(method, HSA_ROUND_METHOD_SINGLE);
  });
}

hsa_status_t hsa_isa_iterate_wavefronts(hsa_isa_t isa,
                                        hsa_status_t (*callback)(hsa_wavefront_t, void*),
                                        void* data) {
  return guarded([&] {
    checked_isa(isa);
    require(callback != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return callback({isa.handle}, data);  // one kind of wavefront: the instruction set names it
  });
}

hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t wavefront, hsa_wavefront_info_t attribute,
                                    void* value) {
  return guarded([&] {
    checked_isa({wavefront.handle});
    require(attribute == HSA_WAVEFRONT_INFO_SIZE, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return put<std::uint32_t>(value, kWavefrontSize);
  });
}

hsa_status_t hsa_isa_compatible(hsa_isa_t code_object_isa, hsa_isa_t agent_isa, bool* result) {
  return guarded([&] {
    return put<bool>(result, checked_isa(code_object_isa).name == checked_isa(agent_isa).name);
  });
}
}
