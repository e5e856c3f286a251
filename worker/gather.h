// Several bundles as one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "worker/bundle.h"

namespace geak::worker {

// Each bundle's files go below a folder of its own; HIP's header is the first one's. Throws
// std::runtime_error.
Bundle read_bundles(const std::vector<std::filesystem::path>& files);
// Of all of them, in order.
std::string digest_of_files(const std::vector<std::filesystem::path>& files);

}  // namespace geak::worker
