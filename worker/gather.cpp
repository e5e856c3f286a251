#include "worker/gather.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

#include "replay/archive/frame.h"

namespace geak::worker {
namespace {

namespace fs = std::filesystem;

Files below(const std::string& folder, const Files& files) {
  Files moved;
  for (const auto& [path, text] : files) moved[folder + "/" + path] = text;
  return moved;
}

}  // namespace

std::string digest_of_files(const std::vector<fs::path>& files) {
  std::string bytes;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read the bundle " + file.string());
    bytes.append(std::istreambuf_iterator<char>(stream), {});
  }
  return replay::to_hex(replay::digest_of(std::as_bytes(std::span(bytes))));
}

Bundle read_bundles(const std::vector<fs::path>& files) {
  Bundle all;
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto next = read_bundle(files[i]);
    const auto folder = "bundle" + std::to_string(i);
    const auto first_unit = all.units.size();
    for (const auto& [path, text] : next.files)
      all.files.emplace(path.starts_with("hip_on_cuda/") ? path : folder + "/" + path, text);
    for (auto& unit : next.units) {
      unit.main = folder + "/" + unit.main;
      for (auto& include : unit.includes)
        include = include == "." ? folder : folder + "/" + include;
      all.units.push_back(std::move(unit));
    }
    for (auto& kernel : next.kernels) {
      kernel.unit += first_unit;
      for (auto& candidate : kernel.candidates) candidate.files = below(folder, candidate.files);
      all.kernels.push_back(std::move(kernel));
    }
    for (auto& workload : next.workloads) {
      for (auto& unit : workload.units) unit += first_unit;
      all.workloads.push_back(std::move(workload));
    }
    std::ranges::move(next.records, std::back_inserter(all.records));
  }
  return all;
}

}  // namespace geak::worker
