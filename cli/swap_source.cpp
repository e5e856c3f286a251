#include "cli/swap_source.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>

#include "cache/location.h"
#include "clang-tool/kernel_finder.h"
#include "clang-tool/key.h"
#include "clang-tool/swap.h"
#include "optimizer/select.h"
#include "support/atomic_file.h"
#include "support/verifier_version.h"

namespace geak::cli {
namespace fs = std::filesystem;
namespace {

std::string processor(const std::string& target_id) {
  return target_id.substr(0, target_id.find(':'));
}

std::vector<std::string> targets_of(const SwapRequest& request) {
  const auto built = clang_tool::architectures(request.command);
  return built.empty() ? request.manifest.architectures : built;
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

/// What the cache has for the kernels of one source, for each target id that it is built for.
class Choice {
 public:
  explicit Choice(const SwapRequest& request) : request_(request) {}

  void look_up(SwappedSource& result) {
    const auto targets = targets_of(request_);
    if (targets.empty())
      throw std::runtime_error(request_.command.file + " is compiled for no named architecture");
    for (const std::string& target : targets) look_up(target, target == targets.front(), result);
    for (const auto& [kernel, other] : unproven_)
      result.warnings.push_back(kernel + ": its variant is not verified for " + other +
                                ", which this build is for too; building the original");
  }

  std::vector<clang_tool::ChosenVariant> chosen;
  std::vector<SwappedKernel> described;

 private:
  struct Found {
    clang_tool::ChosenVariant chosen;
    SwappedKernel described;
  };

  void look_up(const std::string& target, bool first, SwappedSource& result) {
    clang_tool::ParseOptions parsing;
    parsing.architecture = target;
    const auto unit =
        clang_tool::TranslationUnit::parse(request_.command, clang_tool::Pass::device, parsing);
    for (const std::string& file : unit.files_read()) result.files_read.push_back(file);
    if (!unit.errors().empty())
      throw std::runtime_error("clang 19 cannot parse all of it: " + unit.errors().front());
    clang_tool::KeyOptions options;
    options.target_id = target;
    options.verifier = support::verifier_version;
    options.digest_cache = cache::default_path().parent_path() / "toolchain-digests";
    std::set<std::string> proven;
    for (const auto& kernel : clang_tool::keyed_kernels(unit, request_.manifest.kernels, options)) {
      result.seen.push_back(clang_tool::instantiated_name(kernel.name, kernel.template_arguments));
      const cache::EvidenceType type{cache::EvidenceType::Kind::modelled, processor(target)};
      if (first)
        take(kernel, optimizer::select(request_.cache, kernel.key.digest, type));
      else if (is_proven(kernel, type))
        proven.insert(kernel.symbol);
    }
    if (!first) drop_unproven(proven, target);
  }

  void take(const clang_tool::KeyedKernel& kernel,
            const std::optional<cache::VerifiedVariant>& best) {
    if (!best) return;
    chosen.push_back({kernel.name, kernel.symbol, from_cache(best->variant)});
    described.push_back({clang_tool::instantiated_name(kernel.name, kernel.template_arguments),
                         best->variant.name, proof_of(best->evidence)});
  }

  /// The variant that the first target id selects must be worth it for this one as well.
  bool is_proven(const clang_tool::KeyedKernel& kernel, const cache::EvidenceType& type) const {
    for (const auto& one : chosen) {
      if (one.symbol != kernel.symbol) continue;
      for (const auto& known : request_.cache.verified(kernel.key.digest))
        if (known.variant.name == one.variant.name && known.evidence.type == type &&
            optimizer::worth_keeping(known.evidence.gain, known.evidence.noise))
          return true;
    }
    return false;
  }

  void drop_unproven(const std::set<std::string>& proven, const std::string& target) {
    for (std::size_t i = chosen.size(); i-- > 0;) {
      if (proven.contains(chosen[i].symbol)) continue;
      unproven_.emplace_back(described[i].kernel, target);
      chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
      described.erase(described.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  const SwapRequest& request_;
  std::vector<std::pair<std::string, std::string>> unproven_;  // kernel, target id
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
