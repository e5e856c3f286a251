// hsa_init, hsa_shut_down, hsa_system_*: the runtime as a whole.
#include <limits>

#include "emulator/hsa/extension_tables.h"
#include "emulator/hsa/guard.h"

using namespace geak::emulator;

extern "C" {

hsa_status_t hsa_init() {
  try {
    Runtime::open();
    return HSA_STATUS_SUCCESS;
  } catch (const std::bad_alloc&) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  } catch (const std::exception& error) {
    report_error(error.what());
    return HSA_STATUS_ERROR;
  }
}

hsa_status_t hsa_shut_down() {
  return Runtime::close() ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_NOT_INITIALIZED;
}

hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void* value) {
  return guarded([&] {
    switch (static_cast<int>(attribute)) {
      case HSA_SYSTEM_INFO_VERSION_MAJOR:
      case HSA_SYSTEM_INFO_VERSION_MINOR:
        return put<std::uint16_t>(value, 1);
      case HSA_SYSTEM_INFO_TIMESTAMP:
        return put<std::uint64_t>(value, host_timestamp());
      case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY:
        return put<std::uint64_t>(value, 1000000000);
      case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT:
        return put<std::uint64_t>(value, std::numeric_limits<std::uint64_t>::max());
      case HSA_SYSTEM_INFO_ENDIANNESS:
        return put<hsa_endianness_t>(value, HSA_ENDIANNESS_LITTLE);
      case HSA_SYSTEM_INFO_MACHINE_MODEL:
        return put<hsa_machine_model_t>(value, HSA_MACHINE_MODEL_LARGE);
      case HSA_SYSTEM_INFO_EXTENSIONS:
        return put_extension_bits(value);
      case HSA_AMD_SYSTEM_INFO_BUILD_VERSION:
        return put<const char*>(value, "geak emulator");
      case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED:
        return put<bool>(value, true);
      case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT:
        return put<bool>(value, false);
    }
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_system_extension_supported(uint16_t extension, uint16_t version_major, uint16_t,
                                            bool* result) {
  return guarded([&] { return put(result, has_extension(extension, version_major)); });
}

hsa_status_t hsa_system_major_extension_supported(uint16_t extension, uint16_t version_major,
                                                  uint16_t* version_minor, bool* result) {
  return guarded([&] {
    put(result, has_extension(extension, version_major));
    return put<std::uint16_t>(version_minor, extension_minor(extension));
  });
}

hsa_status_t hsa_system_get_extension_table(uint16_t extension, uint16_t version_major,
                                            uint16_t version_minor, void* table) {
  return guarded([&] {
    require(version_minor <= extension_minor(extension), HSA_STATUS_ERROR);
    return put_extension_table(extension, version_major, std::numeric_limits<std::size_t>::max(),
                               table);
  });
}

hsa_status_t hsa_system_get_major_extension_table(uint16_t extension, uint16_t version_major,
                                                  size_t table_length, void* table) {
  return guarded(
      [&] { return put_extension_table(extension, version_major, table_length, table); });
}

hsa_status_t hsa_extension_get_name(uint16_t extension, const char** name) {
  return guarded([&] {
    const char* known = extension_name(extension);
    require(known != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return put(name, known);
  });
}
}
