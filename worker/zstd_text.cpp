#include "worker/zstd_text.h"

#include <zstd.h>

#include <stdexcept>

namespace geak::worker {

std::string compressed(std::string_view text) {
  constexpr int kLevel = 6;  // texts repeat themselves: candidates of one unit
  std::string stored(ZSTD_compressBound(text.size()), '\0');
  const std::size_t bytes =
      ZSTD_compress(stored.data(), stored.size(), text.data(), text.size(), kLevel);
  if (ZSTD_isError(bytes)) throw std::runtime_error(ZSTD_getErrorName(bytes));
  stored.resize(bytes);
  return stored;
}

std::string decompressed(std::string_view stored, std::uint64_t raw_bytes) {
  std::string raw(raw_bytes, '\0');
  const std::size_t bytes = ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size());
  if (ZSTD_isError(bytes) || bytes != raw.size())
    throw std::runtime_error("its document cannot be decompressed");
  return raw;
}

}  // namespace geak::worker
