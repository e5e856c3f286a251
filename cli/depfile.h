// Dependency files as Make and Ninja read them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace geak::cli {

// `target: file \` and so on, with what Make would misread escaped.
std::string depfile(const std::filesystem::path& target, const std::vector<std::string>& files);

}  // namespace geak::cli
