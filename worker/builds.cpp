#include "worker/builds.h"

#include <algorithm>
#include <thread>

#include "worker/gpu.h"

namespace geak::worker {
namespace {

namespace fs = std::filesystem;

unsigned or_all_cores(unsigned jobs) {
  return jobs ? jobs : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

std::vector<std::string> options_of(const Unit& unit, const fs::path& sources,
                                    const fs::path& header) {
  std::vector<std::string> options;
  if (!header.empty()) options = {"-I", header.string()};
  for (const auto& folder : unit.includes) {
    options.emplace_back("-I");
    options.push_back((folder == "." ? sources : sources / folder).string());
  }
  for (const auto& option : unit.options) options.push_back(option_for_compiler(option));
  return options;
}

Builds::Builds(const Bundle& bundle, const fs::path& work, std::string compiler,
               std::string architecture, unsigned jobs)
    : bundle_(bundle),
      work_(work),
      sources_(work / "sources"),
      pool_(std::move(compiler), std::move(architecture), or_all_cores(jobs)) {
  unpack(bundle.files, sources_);
}

fs::path Builds::folder(const Kernel& kernel) const {
  return work_ / ("kernel" + std::to_string(&kernel - bundle_.kernels.data()));
}

fs::path Builds::original(const Kernel& kernel) const { return folder(kernel) / "original.code"; }

fs::path Builds::candidate(const Kernel& kernel, const Candidate& candidate) const {
  return folder(kernel) / (candidate.digest + ".code");
}

// Copies of the bundle's other files: an include by a relative path finds them.
Files Builds::files_beside(const Unit& unit) const {
  auto files = bundle_.files;
  const auto own = unit.main.substr(0, unit.main.find('/') + 1);
  std::erase_if(files, [&](const auto& file) {
    return !file.first.starts_with(own) ||
           (file.first != unit.main && std::ranges::any_of(bundle_.units, [&](const Unit& other) {
              return other.main == file.first;
            }));
  });
  return files;
}

void Builds::queue(const Kernel& kernel) {
  const auto& unit = bundle_.units[kernel.unit];
  const auto header = header_folder(sources_);
  fs::create_directories(folder(kernel));
  pool_.add({sources_ / unit.main, original(kernel), options_of(unit, sources_, header)});
  const auto beside = files_beside(unit);
  for (const auto& one : kernel.candidates) {
    const auto place = folder(kernel) / one.digest;
    auto files = beside;
    for (const auto& [path, text] : one.files) files[path] = text;
    unpack(files, place);
    pool_.add({place / unit.main, candidate(kernel, one), options_of(unit, place, header)});
  }
}

}  // namespace geak::worker
