#include "emulator/hsa/code_reader.h"

#include <sys/stat.h>
#include <unistd.h>

#include "emulator/hsa/guard.h"

namespace geak::emulator {

std::unique_ptr<CodeReader> read_code_file(hsa_file_t file, std::size_t offset, std::size_t size) {
  struct stat status{};
  require(fstat(file, &status) == 0 && S_ISREG(status.st_mode), HSA_STATUS_ERROR_INVALID_FILE);
  const auto file_bytes = static_cast<std::size_t>(status.st_size);
  require(offset < file_bytes, HSA_STATUS_ERROR_INVALID_FILE);
  if (size == 0) size = file_bytes - offset;
  require(size <= file_bytes - offset, HSA_STATUS_ERROR_INVALID_FILE);
  auto reader = std::make_unique<CodeReader>();
  reader->owned.resize(size);
  std::size_t done = 0;
  while (done < size) {
    const auto got =
        pread(file, reader->owned.data() + done, size - done, static_cast<off_t>(offset + done));
    require(got > 0, HSA_STATUS_ERROR_INVALID_FILE);
    done += static_cast<std::size_t>(got);
  }
  reader->bytes = reader->owned;
  return reader;
}

}  // namespace geak::emulator
