#include "optimizer/remake.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include "clang-tool/kernel_finder.h"
#include "clang-tool/transforms/session.h"
#include "optimizer/candidate_source.h"
#include "optimizer/code_object.h"
#include "optimizer/device_compile.h"
#include "optimizer/launch_facts.h"
#include "optimizer/marked_kernels.h"
#include "optimizer/recipe.h"

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;
using clang_tool::Variant;
using clang_tool::transforms::Session;
using nlohmann::json;

// Of one kernel in all results: what was measured, and what it was launched with, by size.
struct Measured {
  std::map<std::string, json> candidates;  // by digest
  std::map<std::string, json> launches;
};

std::vector<json> read(const std::vector<fs::path>& files) {
  std::vector<json> documents;
  for (const auto& file : files) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error("cannot read " + file.string());
    documents.push_back(json::parse(stream));
    if (documents.back().value("schema", 0) != 1 || !documents.back().contains("kernels"))
      throw std::runtime_error(file.string() +
                               " is no result of geak-worker, or of another schema than 1");
  }
  return documents;
}

Measured measured(const std::vector<json>& documents, const std::string& target,
                  const std::string& symbol) {
  Measured found;
  for (const auto& document : documents)
    for (const auto& kernel : document.at("kernels")) {
      if (kernel.at("target") != target || kernel.at("symbol") != symbol) continue;
      if (kernel.contains("original") && kernel.at("original").contains("launches"))
        found.launches[kernel.at("size")] = kernel.at("original").at("launches");
      for (const auto& candidate : kernel.at("candidates")) {
        if (!candidate.contains("gain")) continue;
        auto& known = found.candidates[candidate.at("digest")];
        if (known.is_null() || candidate.contains("variant")) known = candidate;
      }
    }
  return found;
}

// The candidates of one kernel.
class Kernel {
 public:
  Kernel(const RemakeSettings& settings, const MarkedKernel& marked, fs::path folder)
      : settings_(settings), marked_(marked), folder_(std::move(folder)) {}

  void make(const Measured& measured) {
    std::vector<Variant> variants;
    for (const auto& [digest, candidate] : measured.candidates) {
      if (settings_.stop()) return;
      if (auto variant = variant_of(digest, candidate, measured)) variants.push_back(*variant);
    }
    compile(variants.data(), variants.size());
  }

  json to_json() const { return {{"candidates", made_}, {"left_out", left_out_}}; }

 private:
  std::optional<Variant> variant_of(const std::string& digest, const json& candidate,
                                    const Measured& measured) {
    if (candidate.contains("variant")) return candidate.at("variant").get<Variant>();
    const auto recipe = candidate.at("recipe").get<Recipe>();
    std::string reason = "its recipe does not apply";
    for (const auto& session : sessions(measured)) {
      auto applied = session->apply(recipe);
      if (!applied) continue;
      if (clang_tool::variant_digest(*applied.variant) == digest) return *applied.variant;
      reason = "today's transforms make another variant of its recipe";
    }
    leave_out(digest, reason);
    return std::nullopt;
  }

  // One for each size: what its launches have in common decides what a step makes.
  const std::vector<std::unique_ptr<Session>>& sessions(const Measured& measured) {
    if (sessions_.empty())
      for (const auto& [size, launches] : measured.launches)
        sessions_.push_back(std::make_unique<Session>(clang_tool::transforms::Subject{
            marked_.command, marked_.target_id, marked_.kernel.name,
            marked_.instantiation.template_arguments, seen_launches(marked_, launches)}));
    return sessions_;
  }

  // All as one unit, for most of a compiler's time goes into the headers; by halves where that
  // fails.
  void compile(const Variant* variants, std::size_t count) {
    if (count == 0 || settings_.stop()) return;
    const auto digest = clang_tool::variant_digest(*variants);
    const auto object = folder_ / (digest + ".co");
    if (const auto problem = compile_as_one({variants, variants + count}, object); problem.empty())
      take(variants, count, object);
    else if (count == 1)
      leave_out(digest, problem);
    else {
      compile(variants, count / 2);
      compile(variants + count / 2, count - count / 2);
    }
  }

  std::string compile_as_one(const std::vector<Variant>& variants, const fs::path& object) {
    DeviceCompile request;
    request.command = marked_.command;
    request.target_id = marked_.target_id;
    request.output = object;
    if (!host_)
      host_.emplace(clang_tool::TranslationUnit::parse(marked_.command, clang_tool::Pass::host));
    try {
      source_ = write_candidate_overlay(*host_, marked_, variants, folder_);
      request.overlay = source_.overlay;
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    const auto compiled = compile_device(request);
    if (compiled.succeeded) return "";
    return compiled.interrupted ? "interrupted" : "it does not compile: " + compiled.problem;
  }

  void take(const Variant* variants, std::size_t count, const fs::path& object) {
    const auto kernels = read_kernels(object);
    for (const auto* variant = variants; variant != variants + count; ++variant) {
      const auto digest = clang_tool::variant_digest(*variant);
      const auto found = find_kernel(kernels, variant->name, marked_.instantiation.symbol);
      if (!found) {
        leave_out(digest, "the code object has no kernel " + variant->name);
        continue;
      }
      json change;
      try {
        support::to_json(change, source_.launch_of(*variant));
      } catch (const std::runtime_error& error) {
        leave_out(digest, error.what());
        continue;
      }
      made_.push_back({{"digest", digest},
                       {"code_object", object.string()},
                       {"kernel", found->symbol},
                       {"launch_change", std::move(change)}});
    }
  }

  void leave_out(const std::string& digest, const std::string& reason) {
    left_out_.push_back({{"digest", digest}, {"reason", reason}});
  }

  const RemakeSettings& settings_;
  const MarkedKernel& marked_;
  const fs::path folder_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::optional<clang_tool::TranslationUnit> host_;
  CandidateSource source_;  // of what was compiled last
  json made_ = json::array(), left_out_ = json::array();
};

json remade(const RemakeSettings& settings, const support::Manifest& manifest,
            const MarkedKernel& marked, const Measured& measured) {
  const auto name = marked.full_name();
  std::string plain = name;
  std::ranges::replace_if(
      plain, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, '_');
  const auto folder = fs::absolute(settings.output) / (manifest.target + "." + plain);
  fs::create_directories(folder);
  Kernel kernel(settings, marked, folder);
  kernel.make(measured);
  auto entry = kernel.to_json();
  entry["target"] = manifest.target;
  entry["kernel"] = name;
  entry["symbol"] = marked.instantiation.symbol;
  entry["tolerance"] = manifest.tolerance ? json(*manifest.tolerance) : json();
  entry["argument_types"] = json::array();
  for (const auto& parameter : marked.kernel.parameters)
    entry["argument_types"].push_back(parameter.type);
  settings.progress(name + ": " + std::to_string(entry["candidates"].size()) + " made, " +
                    std::to_string(entry["left_out"].size()) + " left out");
  return entry;
}

}  // namespace

json remake(const RemakeSettings& settings) {
  const auto documents = read(settings.results);
  json result = {{"kernels", json::array()}, {"problems", json::array()}};
  for (const auto& manifest : support::manifests_of_build(settings.build)) {
    if (!settings.target.empty() && !clang_tool::matches_glob(settings.target, manifest.target))
      continue;
    const auto found = find_marked_kernels(manifest);
    for (const auto& problem : found.problems) result["problems"].push_back(problem);
    for (const auto& marked : found.kernels) {
      if (settings.stop()) throw std::runtime_error("interrupted");
      const auto of_kernel = measured(documents, manifest.target, marked.instantiation.symbol);
      if (of_kernel.candidates.empty()) continue;
      try {
        result["kernels"].push_back(remade(settings, manifest, marked, of_kernel));
      } catch (const std::runtime_error& error) {
        result["problems"].push_back(marked.full_name() + ": " + error.what());
      }
    }
  }
  return result;
}

}  // namespace geak::optimizer
