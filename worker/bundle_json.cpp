#include "worker/bundle_json.h"

#include <algorithm>
#include <stdexcept>

namespace geak::worker {
namespace {

using nlohmann::json;

void check_path(const std::string& path) {
  if (!is_safe_path(path)) throw std::runtime_error("the path \"" + path + "\" leaves the folder");
}

Files files_from(const json& object) {
  Files files;
  for (const auto& [path, text] : object.items()) {
    check_path(path);
    files[path] = text.get<std::string>();
  }
  return files;
}

Unit unit_from(const json& object, const Files& files) {
  Unit unit{object.at("main"), object.at("includes"), object.at("options")};
  if (!files.contains(unit.main)) throw std::runtime_error("it lacks the source " + unit.main);
  for (const auto& folder : unit.includes)
    if (folder != ".") check_path(folder);
  for (const auto& option : unit.options)
    if (!is_allowed_option(option))
      throw std::runtime_error("a unit has the option " + option + ", which is not allowed");
  return unit;
}

Candidate candidate_from(const json& object) {
  Candidate candidate;
  object.at("name").get_to(candidate.name);
  object.at("digest").get_to(candidate.digest);
  candidate.recipe = object.at("recipe");
  object.at("text").get_to(candidate.text);
  object.at("guard").get_to(candidate.guard);
  object.at("generator").get_to(candidate.generator);
  object.at("parent").get_to(candidate.parent);
  object.at("launch").get_to(candidate.launch);
  candidate.files = files_from(object.at("files"));
  // It names files in the folder of its work.
  const bool plain = std::ranges::all_of(
      candidate.digest, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (candidate.digest.empty() || !plain)
    throw std::runtime_error("\"" + candidate.digest + "\" is no digest of a candidate");
  return candidate;
}

json to_json(const Kernel& kernel) {
  json candidates = json::array();
  for (const auto& candidate : kernel.candidates) candidates.push_back(to_json(candidate));
  return {{"target", kernel.target},
          {"kernel", kernel.kernel},
          {"source", kernel.source},
          {"symbol", kernel.symbol},
          {"key", kernel.key},
          {"unit", kernel.unit},
          {"tolerance", kernel.tolerance ? json(*kernel.tolerance) : json()},
          {"argument_types", kernel.argument_types},
          {"candidates", std::move(candidates)}};
}

Kernel kernel_from(const json& object, std::size_t units) {
  Kernel kernel;
  object.at("target").get_to(kernel.target);
  object.at("kernel").get_to(kernel.kernel);
  object.at("source").get_to(kernel.source);
  object.at("symbol").get_to(kernel.symbol);
  object.at("key").get_to(kernel.key);
  object.at("unit").get_to(kernel.unit);
  if (!object.at("tolerance").is_null()) kernel.tolerance = object.at("tolerance").get<double>();
  object.at("argument_types").get_to(kernel.argument_types);
  for (const auto& entry : object.at("candidates"))
    kernel.candidates.push_back(candidate_from(entry));
  if (kernel.unit >= units) throw std::runtime_error("a kernel is of a unit that is not there");
  return kernel;
}

Workload workload_from(const json& object, std::size_t units) {
  Workload workload{object.at("target"), object.at("units"), object.at("libraries"), {}};
  for (const auto& run : object.at("runs"))
    workload.runs.push_back({run.at("size"), run.at("arguments")});
  for (const auto unit : workload.units)
    if (unit >= units) throw std::runtime_error("a workload is of a unit that is not there");
  for (const auto& library : workload.libraries)
    if (!library.starts_with("-l") || library.find('/') != std::string::npos)
      throw std::runtime_error("a workload links " + library + ", which is not allowed");
  return workload;
}

}  // namespace

bool is_allowed_option(const std::string& option) {
  const auto starts = [&](const char* with) { return option.starts_with(with); };
  return starts("-D") || starts("-U") || starts("-std=") || option == "-O0" || option == "-O1" ||
         option == "-O2" || option == "-O3" || option == "--use_fast_math" ||
         option == "--fmad=false" || option == "--expt-relaxed-constexpr" ||
         option == "--extended-lambda";
}

nlohmann::json to_json(const Candidate& candidate) {
  return {{"name", candidate.name},     {"digest", candidate.digest},
          {"recipe", candidate.recipe}, {"text", candidate.text},
          {"guard", candidate.guard},   {"generator", candidate.generator},
          {"parent", candidate.parent}, {"launch", candidate.launch},
          {"files", candidate.files}};
}

nlohmann::json to_json(const Bundle& bundle) {
  json document = {{"geak", bundle.geak},        {"files", bundle.files},
                   {"units", json::array()},     {"kernels", json::array()},
                   {"workloads", json::array()}, {"records", json::array()}};
  for (const auto& unit : bundle.units)
    document["units"].push_back(
        {{"main", unit.main}, {"includes", unit.includes}, {"options", unit.options}});
  for (const auto& kernel : bundle.kernels) document["kernels"].push_back(to_json(kernel));
  for (const auto& workload : bundle.workloads) {
    json runs = json::array();
    for (const auto& run : workload.runs)
      runs.push_back({{"size", run.size}, {"arguments", run.arguments}});
    document["workloads"].push_back({{"target", workload.target},
                                     {"units", workload.units},
                                     {"libraries", workload.libraries},
                                     {"runs", std::move(runs)}});
  }
  for (const auto& record : bundle.records)
    document["records"].push_back(
        {{"target", record.target}, {"size", record.size}, {"bytes", record.archive.size()}});
  return document;
}

Bundle bundle_from_json(const nlohmann::json& document) {
  Bundle bundle;
  document.at("geak").get_to(bundle.geak);
  bundle.files = files_from(document.at("files"));
  for (const auto& unit : document.at("units"))
    bundle.units.push_back(unit_from(unit, bundle.files));
  for (const auto& kernel : document.at("kernels"))
    bundle.kernels.push_back(kernel_from(kernel, bundle.units.size()));
  for (const auto& workload : document.at("workloads"))
    bundle.workloads.push_back(workload_from(workload, bundle.units.size()));
  return bundle;
}

}  // namespace geak::worker
