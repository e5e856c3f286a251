// Files that are there whole or not at all, whoever reads them and whenever the writer is killed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace geak::support {

// Writes a temporary file in the same folder (made where missing), flushes it to disk and renames
// it over `path`. Throws std::runtime_error naming the path.
void write_atomically(const std::filesystem::path& path, std::string_view content);

// The same, but leaves a file that already holds `content` alone, time stamp included. Returns
// whether it wrote.
bool write_if_changed(const std::filesystem::path& path, std::string_view content);

// A file's content; nothing where it does not exist. Throws std::runtime_error where it exists but
// can't be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

// The bytes of a file that must be there. Throws std::runtime_error naming the path.
std::vector<std::byte> read_bytes(const std::filesystem::path& path);

}  // namespace geak::support
