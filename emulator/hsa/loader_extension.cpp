#include "emulator/hsa/loader_extension.h"

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/hsa/code_reader.h"
#include "emulator/hsa/guard.h"

namespace geak::emulator {
namespace {

void for_each_object(const std::function<void(LoadedObject&)>& visit) {
  Runtime::instance().executables.for_each([&](Executable& executable) {
    for (const auto& object : executable.objects) visit(*object);
  });
}

const LoadedObject* object_at(const void* device_address) {
  const auto address = reinterpret_cast<std::uint64_t>(device_address);
  const LoadedObject* found = nullptr;
  for_each_object([&](LoadedObject& object) {
    if (address - object.base < object.bytes) found = &object;
  });
  return found;
}

hsa_status_t query_host_address(const void* device_address, const void** host_address) {
  return guarded([&] {
    require(device_address && host_address, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    require(object_at(device_address) != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *host_address = device_address;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t query_segment_descriptors(hsa_ven_amd_loader_segment_descriptor_t* descriptors,
                                       size_t* count) {
  return guarded([&] {
    require(count != nullptr && !(descriptors == nullptr && *count != 0),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
    std::vector<hsa_ven_amd_loader_segment_descriptor_t> all;
    for_each_object([&](LoadedObject& object) {
      all.push_back({object.agent->handle(), object.executable,
                     HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY, object.code->image.data(),
                     object.code->image.size(), 0, reinterpret_cast<const void*>(object.base),
                     object.bytes});
    });
    if (!descriptors) {
      *count = all.size();
      return HSA_STATUS_SUCCESS;
    }
    require(*count == all.size(), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    std::copy(all.begin(), all.end(), descriptors);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t query_executable(const void* device_address, hsa_executable_t* executable) {
  return guarded([&] {
    require(device_address && executable, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const auto* object = object_at(device_address);
    require(object != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return put(executable, object->executable);
  });
}

hsa_status_t iterate_objects(hsa_executable_t executable,
                             hsa_status_t (*callback)(hsa_executable_t, hsa_loaded_code_object_t,
                                                      void*),
                             void* data) {
  return guarded([&] {
    require(callback != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return iterate(
        Runtime::instance().executables.checked(executable).objects, [&](const auto& object) {
          return callback(executable, {reinterpret_cast<std::uint64_t>(object.get())}, data);
        });
  });
}

std::string uri_of(const LoadedObject& object) {
  char text[96];
  std::snprintf(text, sizeof text, "memory://%d#offset=%#llx&size=%zu", getpid(),
                static_cast<unsigned long long>(object.storage_address), object.code->image.size());
  return text;
}

hsa_status_t put_object(const LoadedObject& object, int attribute, void* value) {
  switch (attribute) {
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE:
      return put(value, object.executable);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND:
      return put<std::uint32_t>(value, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT:
      return put(value, object.agent->handle());
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE:
      return put<std::uint32_t>(value, HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE:
      return put<std::uint64_t>(value, reinterpret_cast<std::uint64_t>(object.code->image.data()));
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE:
      return put<std::uint64_t>(value, object.code->image.size());
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA:
      return put<std::int64_t>(value, static_cast<std::int64_t>(object.base));
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE:
      return put<std::uint64_t>(value, object.base);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE:
      return put<std::uint64_t>(value, object.bytes);
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH:
      return put<std::uint32_t>(value, static_cast<std::uint32_t>(uri_of(object).size()));
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI: {
      const std::string uri = uri_of(object);  // not terminated, says the extension
      std::copy(uri.begin(), uri.end(), static_cast<char*>(value));
      return HSA_STATUS_SUCCESS;
    }
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t object_info(hsa_loaded_code_object_t handle,
                         hsa_ven_amd_loader_loaded_code_object_info_t attribute, void* value) {
  return guarded([&] {
    require(value != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const LoadedObject* found = nullptr;
    for_each_object([&](LoadedObject& object) {
      if (reinterpret_cast<std::uint64_t>(&object) == handle.handle) found = &object;
    });
    require(found != nullptr, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    return put_object(*found, attribute, value);
  });
}

hsa_status_t reader_from_part(hsa_file_t file, size_t offset, size_t size,
                              hsa_code_object_reader_t* reader) {
  return guarded([&] {
    require(reader != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *reader = Runtime::instance().executables.add_reader(read_code_file(file, offset, size));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t iterate_executables(hsa_status_t (*callback)(hsa_executable_t, void*), void* data) {
  return guarded([&] {
    require(callback != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    std::vector<hsa_executable_t> all;
    Runtime::instance().executables.for_each(
        [&](Executable& executable) { all.push_back(executable.handle()); });
    return iterate(all, [&](hsa_executable_t each) { return callback(each, data); });
  });
}

}  // namespace

hsa_ven_amd_loader_1_03_pfn_t loader_extension_table() {
  return {query_host_address, query_segment_descriptors, query_executable,   iterate_objects,
          object_info,        reader_from_part,          iterate_executables};
}

}  // namespace geak::emulator
