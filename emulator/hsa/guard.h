// No exception may leave a C function.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <exception>
#include <new>

#include "emulator/hsa/diagnostics.h"
#include "emulator/hsa/runtime.h"

namespace geak::emulator {

// Thrown below the API to end it with this status.
struct StatusError {
  hsa_status_t status;
};

inline void require(bool condition, hsa_status_t otherwise) {
  if (!condition) throw StatusError{otherwise};
}

// Runs the body of an API function; whatever it throws becomes a status.
template <typename Body>
hsa_status_t guarded(Body&& body) {
  try {
    require(Runtime::is_open(), HSA_STATUS_ERROR_NOT_INITIALIZED);
    return body();
  } catch (const StatusError& error) {
    return error.status;
  } catch (const std::bad_alloc&) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  } catch (const std::exception& error) {
    report_error(error.what());
    return HSA_STATUS_ERROR;
  }
}

// Writes an attribute of type T to where the caller wants it.
template <typename T>
hsa_status_t put(void* to, T value) {
  require(to != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  *static_cast<T*>(to) = value;
  return HSA_STATUS_SUCCESS;
}

// Copies text into a fixed array of the caller's, zero filled and terminated.
hsa_status_t put_text(void* to, const char* text, std::size_t array_bytes);

// Calls back for each element until one call doesn't answer success; returns its answer.
template <typename Range, typename Call>
hsa_status_t iterate(Range&& range, Call&& call) {
  for (auto& element : range) {
    const hsa_status_t status = call(element);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

}  // namespace geak::emulator
