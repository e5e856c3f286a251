#include "optimizer/verify_build.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>

#include "clang-tool/compile_command.h"
#include "optimizer/shipped_code.h"
#include "support/atomic_file.h"
#include "support/manifest.h"

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> object_of(const clang_tool::CompileCommand& command) {
  for (std::size_t i = 0; i + 1 < command.arguments.size(); ++i) {
    if (command.arguments[i] == "-o") {
      return (fs::path(command.directory) / command.arguments[i + 1]).lexically_normal();
    }
  }
  return std::nullopt;
}

// The digest that a source's selection file names; empty: the original.
std::string selected(const support::ManifestSource& source) {
  const std::string text = support::read_file(source.selection).value_or("");
  constexpr std::string_view kKey = "variant=";
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (std::string_view(text).substr(at, kKey.size()) == kKey) {
      return text.substr(at + kKey.size(), end - at - kKey.size());
    }
    at = end + 1;
  }
  return "";
}

class Verifier {
 public:
  Verifier(const VerifyRequest& request, const cache::Cache& cache)
      : request_(request), cache_(cache) {}

  void verify(const support::Manifest& manifest) {
    if (!request_.files.empty()) {
      for (const auto& file : request_.files) look_into(manifest.target, file);
      return;
    }
    const auto commands = clang_tool::read_compile_commands(manifest.build);
    const std::string folder = "CMakeFiles/" + manifest.target + ".dir/";
    for (const auto& source : manifest.sources) {
      for (const auto& command : clang_tool::commands_for(commands, source.path)) {
        const auto object = object_of(command);
        if (!object || object->string().find(folder) == std::string::npos) continue;
        look_into_object(manifest.target, source, *object);
      }
    }
  }

  BuildVerification result;

 private:
  void look_into_object(const std::string& target, const support::ManifestSource& source,
                        const fs::path& object) {
    if (!fs::exists(object)) {
      result.problems.push_back(object.string() + " is missing: build the target first");
      return;
    }
    const auto before = result.kernels.size();
    look_into(target, object);
    if (result.kernels.size() == before && !selected(source).empty()) {
      result.notes.push_back(source.path.string() +
                             ": a variant is chosen, but the object holds the original alone");
    }
  }

  void look_into(const std::string& target, const fs::path& file) {
    try {
      for (const auto& code : read_shipped(file)) {
        for (const auto& symbol : code.kernels) {
          const auto variant = variant_in_symbol(symbol);
          if (!variant.empty()) judge(target, file, code, symbol, variant);
        }
      }
    } catch (const std::exception& error) {
      result.problems.emplace_back(error.what());
    }
  }

  void judge(const std::string& target, const fs::path& file, const ShippedCode& code,
             const std::string& symbol, const std::string& variant) {
    VerifiedKernel kernel{target, file.string(), symbol, variant, code.architecture, false, ""};
    const auto hash = code_hash(code.elf, symbol);
    bool known = false, known_here = false;
    for (const auto& candidate : cache_.verified_of_name(variant)) {
      known = true;
      if (candidate.evidence.type.where != code.architecture) continue;
      known_here = true;
      if (candidate.evidence.code_hash != hash) continue;
      kernel.verified = true;
      kernel.reason = candidate.evidence.verification.text();
      break;
    }
    if (!kernel.verified) {
      if (!known) {
        kernel.reason = "the cache knows no verified variant of this name";
      } else if (!known_here) {
        kernel.reason = "it is not verified for " + code.architecture;
      } else {
        kernel.reason =
            "its machine code is not what was verified: it was compiled with other flags or "
            "another compiler, or changed afterwards (sha256 " +
            hash.substr(0, 16) + ")";
      }
    }
    result.kernels.push_back(std::move(kernel));
  }

  const VerifyRequest& request_;
  const cache::Cache& cache_;
};

}  // namespace

bool BuildVerification::holds() const {
  return problems.empty() && std::ranges::all_of(kernels, &VerifiedKernel::verified);
}

BuildVerification verify_build(const VerifyRequest& request, const cache::Cache& cache) {
  Verifier verifier(request, cache);
  bool seen = request.target.empty();
  for (const auto& manifest : support::manifests_of_build(request.build)) {
    if (!request.target.empty() && manifest.target != request.target) continue;
    seen = true;
    verifier.verify(manifest);
  }
  if (!seen) {
    throw std::runtime_error("no target " + request.target + " in " + request.build.string() +
                             " is marked with geak_optimize()");
  }
  if (!cache.problem().empty() && !verifier.result.kernels.empty()) {
    verifier.result.problems.push_back(cache.problem());
  }
  return std::move(verifier.result);
}

nlohmann::json to_document(const BuildVerification& verification) {
  auto kernels = nlohmann::json::array();
  for (const auto& kernel : verification.kernels) {
    kernels.push_back({{"target", kernel.target},
                       {"file", kernel.file},
                       {"kernel", kernel.kernel},
                       {"variant", kernel.variant},
                       {"architecture", kernel.architecture},
                       {"verified", kernel.verified},
                       {"reason", kernel.reason}});
  }
  return {{"schema", 1},
          {"verified", verification.holds()},
          {"kernels", std::move(kernels)},
          {"problems", verification.problems},
          {"notes", verification.notes}};
}

}  // namespace geak::optimizer
