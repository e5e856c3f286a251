#include "daemon/kernel_index.h"

#include <algorithm>

namespace geak::daemon {

std::string KernelState::short_name() const {
  const llvm::StringRef name = llvm::StringRef(kernel).split('<').first;
  const auto separator = name.rfind("::");
  return (separator == llvm::StringRef::npos ? name : name.drop_front(separator + 2)).str();
}

// Found by llvm::json through the argument's namespace, so not in an unnamed one.
static bool fromJSON(const llvm::json::Value& value, KernelState& out, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  int line = 0;  // 1-based on the wire, as compilers print it
  const bool read = map && map.map("target", out.target) && map.map("kernel", out.kernel) &&
                    map.map("file", out.file) && map.map("line", line) &&
                    map.map("state", out.state) && map.mapOptional("reason", out.reason) &&
                    map.mapOptional("ratio", out.ratio) &&
                    map.mapOptional("evidence", out.evidence) &&
                    map.mapOptional("verification", out.verification);
  out.line = std::max(0, line - 1);
  return read;
}

llvm::Expected<std::vector<KernelState>> parse_status(const std::string& build_folder,
                                                      llvm::StringRef json) {
  auto value = llvm::json::parse(json);
  if (!value) return value.takeError();
  llvm::json::Path::Root root("geak status");
  std::vector<KernelState> kernels;
  llvm::json::ObjectMapper map(*value, root);
  if (!map || !map.map("kernels", kernels)) return root.getError();
  for (auto& kernel : kernels) kernel.build_folder = build_folder;
  return kernels;
}

void KernelIndex::replace(const std::string& build_folder, std::vector<KernelState> kernels) {
  std::lock_guard lock(mutex_);
  by_build_folder_[build_folder] = std::move(kernels);
}

std::vector<KernelState> KernelIndex::in_file(const std::string& file) const {
  auto kernels = all();
  std::erase_if(kernels, [&](const KernelState& kernel) { return kernel.file != file; });
  return kernels;
}

std::vector<KernelState> KernelIndex::all() const {
  std::lock_guard lock(mutex_);
  std::vector<KernelState> kernels;
  for (const auto& [folder, entries] : by_build_folder_)
    kernels.insert(kernels.end(), entries.begin(), entries.end());
  return kernels;
}

}  // namespace geak::daemon
