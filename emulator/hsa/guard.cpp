#include "emulator/hsa/guard.h"

#include <cstring>

namespace geak::emulator {

hsa_status_t put_text(void* to, const char* text, std::size_t array_bytes) {
  require(to != nullptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  auto* bytes = static_cast<char*>(to);
  std::memset(bytes, 0, array_bytes);
  std::memcpy(bytes, text, std::min(std::strlen(text), array_bytes - 1));
  return HSA_STATUS_SUCCESS;
}

}  // namespace geak::emulator
