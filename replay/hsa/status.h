// HSA's answers as exceptions.
#pragma once

#include <hsa/hsa.h>

#include <stdexcept>
#include <string>

namespace geak::replay {

inline std::string text_of(hsa_status_t status) {
  const char* text = nullptr;
  if (hsa_status_string(status, &text) == HSA_STATUS_SUCCESS && text) return text;
  return "HSA status " + std::to_string(status);
}

// Throws std::runtime_error with HSA's words unless the status is success.
inline void check_hsa(hsa_status_t status, const char* what) {
  if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK) return;
  throw std::runtime_error(std::string(what) + ": " + text_of(status));
}

}  // namespace geak::replay
