#include "daemon/build_folder.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

namespace geak::daemon {

namespace fs = std::filesystem;

namespace {

llvm::Error bad_manifest(const fs::path& file, const llvm::Twine& what) {
  return llvm::createStringError("manifest " + file.string() + ": " + what +
                                 "; configure the project again to write it anew");
}

llvm::Expected<MarkedTarget> read_manifest(const fs::path& file) {
  auto buffer = llvm::MemoryBuffer::getFile(file.string());
  if (!buffer) return bad_manifest(file, buffer.getError().message());
  auto json = llvm::json::parse((*buffer)->getBuffer());
  if (!json) return bad_manifest(file, llvm::toString(json.takeError()));
  const auto* object = json->getAsObject();
  const auto name = object ? object->getString("target") : std::nullopt;
  const auto* sources = object ? object->getArray("sources") : nullptr;
  if (!name || !sources) return bad_manifest(file, "no \"target\" or no \"sources\"");

  MarkedTarget target{name->str(), {}};
  for (const auto& source : *sources) {
    const auto* entry = source.getAsObject();
    const auto path = entry ? entry->getString("path") : std::nullopt;
    if (!path) return bad_manifest(file, "a source with no \"path\"");
    target.sources.push_back(path->str());
  }
  return target;
}

bool has_manifests(const fs::path& folder) {
  std::error_code ignored;  // An unreadable folder is no build folder of this user's.
  return fs::is_directory(folder / "geak" / "targets", ignored);
}

}  // namespace

llvm::Expected<BuildFolder> BuildFolder::read(const std::string& path) {
  BuildFolder folder{path, {}};
  std::error_code error;
  fs::directory_iterator entries(fs::path(path) / "geak" / "targets", error);
  if (error)
    return llvm::createStringError(path + ": no marked targets there (" + error.message() +
                                   "); is geak_optimize() called in its CMakeLists.txt?");
  for (const auto& entry : entries) {
    if (entry.path().extension() != ".json") continue;
    auto target = read_manifest(entry.path());
    if (!target) return target.takeError();
    folder.targets.push_back(std::move(*target));
  }
  std::sort(folder.targets.begin(), folder.targets.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return folder;
}

std::optional<std::string> BuildFolder::target_of(const std::string& file) const {
  for (const auto& target : targets)
    if (llvm::is_contained(target.sources, file)) return target.name;
  return std::nullopt;
}

std::vector<std::string> find_build_folders(const std::string& workspace) {
  std::set<std::string> found;
  std::error_code error;
  const auto consider = [&](const fs::path& folder) {
    if (has_manifests(folder)) found.insert(fs::weakly_canonical(folder, error).string());
  };
  consider(workspace);
  for (const auto& entry : fs::directory_iterator(workspace, error))
    if (entry.is_directory(error)) consider(entry.path());
  for (const char* parent : {"out", "build"})
    for (const auto& entry : fs::directory_iterator(fs::path(workspace) / parent, error))
      if (entry.is_directory(error)) consider(entry.path());
  const auto link = fs::path(workspace) / "compile_commands.json";
  if (fs::is_symlink(link, error)) consider(fs::weakly_canonical(link, error).parent_path());
  return {found.begin(), found.end()};
}

}  // namespace geak::daemon
