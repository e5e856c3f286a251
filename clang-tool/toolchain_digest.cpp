#include "clang-tool/toolchain_digest.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SHA256.h>

#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <stdexcept>

#include "support/atomic_file.h"
#include "support/json_text.h"

namespace geak::clang_tool {
namespace fs = std::filesystem;
namespace {

std::string hashed(const fs::path& file) {
  auto buffer = llvm::MemoryBuffer::getFile(file.string(), false, false);
  if (!buffer)
    throw std::runtime_error(file.string() +
                             ": cannot read the toolchain: " + buffer.getError().message());
  llvm::SHA256 hash;
  hash.update((*buffer)->getBuffer());
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

/// What changes when a file does, without reading it.
nlohmann::json identity_of(const fs::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return nullptr;
  return {status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

nlohmann::json remembered(const fs::path& cache) {
  try {
    if (cache.empty()) return nlohmann::json::object();
    const auto text = support::read_file(cache);
    auto known = text ? nlohmann::json::parse(*text) : nlohmann::json::object();
    if (known.is_object()) return known;
  } catch (const std::exception&) {
    // A damaged cache of digests is one that is made anew.
  }
  return nlohmann::json::object();
}

}  // namespace

std::string digest_of_files(const std::vector<fs::path>& files, const fs::path& cache) {
  nlohmann::json known = remembered(cache);
  bool learned = false;
  llvm::SHA256 hash;
  for (const fs::path& file : files) {
    const nlohmann::json identity = identity_of(file);
    nlohmann::json& entry = known[file.string()];
    if (!entry.is_object() || entry.value("identity", nlohmann::json()) != identity ||
        !entry.contains("sha256")) {
      entry = {{"identity", identity}, {"sha256", hashed(file)}};
      learned = true;
    }
    hash.update(file.filename().string() + "\n" + entry["sha256"].get<std::string>() + "\n");
  }
  if (learned && !cache.empty()) {
    try {
      support::write_atomically(cache, support::json_text(known));
    } catch (const std::exception&) {
      // Only time is lost: the next key reads the toolchain again.
    }
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

}  // namespace geak::clang_tool
