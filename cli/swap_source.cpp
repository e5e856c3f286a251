#include "cli/swap_source.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>

#include "cache/location.h"
#include "clang-tool/kernel_finder.h"
#include "clang-tool/key.h"
#include "clang-tool/swap.h"
#include "optimizer/marked_kernels.h"
#include "optimizer/select.h"
#include "support/atomic_file.h"
#include "support/verifier_version.h"

namespace geak::cli {
namespace fs = std::filesystem;
namespace {

std::string processor(const std::string& target_id) {
  return target_id.substr(0, target_id.find(':'));
}

clang_tool::Variant from_cache(const cache::Variant& stored) {
  clang_tool::Variant variant;
  variant.name = stored.name;
  variant.text = stored.text;
  variant.guard = stored.guard;
  if (!stored.launch.empty())
    variant.launch = nlohmann::json::parse(stored.launch).get<support::LaunchChange>();
  return variant;
}

std::string proof_of(const cache::Evidence& evidence) {
  char gain[32];
  std::snprintf(gain, sizeof gain, "%.2fx ", evidence.gain);
  return gain + evidence.type.text() + ", " + evidence.verification.text();
}

/// What proves the variant on each target, one after the other.
std::string proof_on(const cache::Cache& cache, const std::vector<optimizer::KeyedTarget>& targets,
                     const std::string& variant_digest, std::optional<double> tolerance) {
  std::string text;
  for (const auto& target : targets)
    for (const auto& one : optimizer::worth_keeping_on(cache, target))
      if (one.variant.digest == variant_digest)
        text += (text.empty() ? "" : "; ") + proof_of(one.evidence);
  return text + support::tolerance_note(tolerance);
}

/// What the cache has for the kernels of one source, for each target id that it is built for.
class Choice {
 public:
  explicit Choice(const SwapRequest& request) : request_(request) {}

  void look_up(SwappedSource& result) {
    const auto targets = optimizer::targets_of(request_.manifest, request_.command);
    if (targets.empty())
      throw std::runtime_error(request_.command.file + " is compiled for no named architecture");
    for (const std::string& target : targets) look_into(target, target == targets.front(), result);
    for (const auto& kernel : kernels_) choose(kernel, targets, result);
  }

  std::vector<clang_tool::ChosenVariant> chosen;
  std::vector<SwappedKernel> described;

 private:
  /// A kernel of the first target's device pass, and where evidence for it would stand.
  struct Marked {
    std::string name, full_name, symbol;
    std::vector<optimizer::KeyedTarget> targets;
  };

  void look_into(const std::string& target, bool is_first, SwappedSource& result) {
    clang_tool::ParseOptions parsing;
    parsing.architecture = target;
    const auto unit =
        clang_tool::TranslationUnit::parse(request_.command, clang_tool::Pass::device, parsing);
    for (const std::string& file : unit.files_read()) result.files_read.push_back(file);
    if (!unit.errors().empty())
      throw std::runtime_error("clang 19 cannot parse all of it: " + unit.errors().front());
    clang_tool::KeyOptions options;
    options.target_id = target;
    options.verifier = support::verifier_with(request_.manifest.tolerance);
    options.digest_cache = cache::default_path().parent_path() / "toolchain-digests";
    for (const auto& kernel : clang_tool::keyed_kernels(unit, request_.manifest.kernels, options)) {
      result.seen.push_back(clang_tool::instantiated_name(kernel.name, kernel.template_arguments));
      const cache::EvidenceType type{cache::EvidenceType::Kind::modelled, processor(target)};
      if (is_first) kernels_.push_back({kernel.name, result.seen.back(), kernel.symbol, {}});
      for (auto& known : kernels_)
        if (known.symbol == kernel.symbol)
          known.targets.push_back({target, kernel.key.digest, type});
    }
  }

  void choose(const Marked& kernel, const std::vector<std::string>& targets,
              SwappedSource& result) {
    std::optional<cache::VerifiedVariant> best;
    if (kernel.targets.size() == targets.size())
      best = optimizer::select_for_all(request_.cache, kernel.targets);
    if (best) {
      chosen.push_back({kernel.name, kernel.symbol, from_cache(best->variant)});
      described.push_back({kernel.full_name, best->variant.name,
                           proof_on(request_.cache, kernel.targets, best->variant.digest,
                                    request_.manifest.tolerance)});
      return;
    }
    const auto why_not = optimizer::unproven(request_.cache, targets, kernel.targets);
    if (!why_not.empty())
      result.warnings.push_back(kernel.full_name + ": " + why_not + "; building the original");
  }

  const SwapRequest& request_;
  std::vector<Marked> kernels_;
};

/// Selection of the written files; its digest stands for everything that they bring in.
std::string selection_of(const std::vector<fs::path>& files) {
  llvm::SHA256 hash;
  for (const fs::path& file : files)
    hash.update(file.filename().string() + "\n" + support::read_file(file).value_or(""));
  std::string text =
      "version=1\nvariant=" + llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 16) +
      "\noverlay=" + files.front().string() + "\n";
  for (auto file = files.begin() + 1; file != files.end(); ++file)
    text += "file=" + file->string() + "\n";
  return text;
}

std::string described(const clang_tool::Refusal& refusal) {
  const std::string place =
      refusal.place.valid()
          ? refusal.place.file + ":" + std::to_string(refusal.place.begin_line) + ": "
          : "";
  return place + refusal.kernel + ": " + refusal.reason;
}

}  // namespace

std::string original_selection() { return "version=1\nvariant=\noverlay=\n"; }

SwappedSource swap_source(const SwapRequest& request) {
  SwappedSource result;
  result.selection = original_selection();
  Choice choice(request);
  choice.look_up(result);
  if (choice.chosen.empty()) return result;

  const auto host = clang_tool::TranslationUnit::parse(request.command, clang_tool::Pass::host);
  if (!host.errors().empty())
    throw std::runtime_error("clang 19 cannot parse all of it: " + host.errors().front());
  for (const std::string& file : host.files_read()) result.files_read.push_back(file);
  const auto rewriting = clang_tool::rewrite(host, choice.chosen);
  for (const auto& refusal : rewriting.refusals) result.warnings.push_back(described(refusal));
  for (const auto& kernel : choice.described)
    if (std::ranges::find(rewriting.swapped, kernel.variant) != rewriting.swapped.end())
      result.kernels.push_back(kernel);
  if (!rewriting.files.empty())
    result.selection = selection_of(clang_tool::write_overlay(rewriting, request.folder));
  return result;
}

}  // namespace geak::cli
