#include "support/manifest.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace geak::support {
namespace {

namespace fs = std::filesystem;

std::string text_or_empty(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? "" : found->get<std::string>();
}

Manifest manifest_from(const nlohmann::json& json) {
  if (const int schema = json.at("schema"); schema != 1)
    throw std::runtime_error("its schema is " + std::to_string(schema) +
                             ", this geak reads 1; configure the project again");
  Manifest manifest;
  manifest.target = json.at("target");
  manifest.build = text_or_empty(json, "build");
  manifest.source_dir = text_or_empty(json, "source_dir");
  manifest.kernels = json.at("kernels").get<std::vector<std::string>>();
  if (const auto workload = json.find("workload"); workload != json.end() && !workload->is_null()) {
    manifest.workload = workload->at("command").get<std::vector<std::string>>();
    manifest.workload_directory = text_or_empty(*workload, "working_directory");
  }
  manifest.architectures = json.value("architectures", std::vector<std::string>{});
  if (const auto found = json.find("tolerance"); found != json.end() && !found->is_null())
    manifest.tolerance = found->get<double>();
  for (const auto& source : json.at("sources"))
    manifest.sources.push_back({source.at("path").get<std::string>(),
                                text_or_empty(source, "language"),
                                text_or_empty(source, "selection")});
  manifest.swap_directory = text_or_empty(json, "swap_directory");
  manifest.cache_stamp = text_or_empty(json, "cache_stamp");
  manifest.original = text_or_empty(json, "original");
  return manifest;
}

}  // namespace

Manifest read_manifest(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read the manifest " + file.string());
  try {
    Manifest manifest = manifest_from(nlohmann::json::parse(stream));
    manifest.file = file;
    return manifest;
  } catch (const std::exception& error) {
    throw std::runtime_error("the manifest " + file.string() + " is not valid: " + error.what());
  }
}

std::vector<Manifest> manifests_of_build(const fs::path& build) {
  if (!fs::is_directory(build))
    throw std::runtime_error(build.string() + " is no build folder: give it with -p");
  const fs::path folder = build / "geak" / "targets";
  std::vector<Manifest> manifests;
  if (!fs::is_directory(folder)) return manifests;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".json") manifests.push_back(read_manifest(entry.path()));
  std::sort(manifests.begin(), manifests.end(),
            [](const Manifest& a, const Manifest& b) { return a.target < b.target; });
  return manifests;
}

}  // namespace geak::support
