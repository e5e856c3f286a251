// geak explain: which part of a kernel's key changed against what the cache knows.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/kernel_choice.h"
#include "cli/subcommand.h"
#include "optimizer/select.h"
#include "support/json_text.h"

namespace geak::cli {
namespace {

struct Options {
  std::string build = ".";
  std::string kernel;
  bool json = false;
};

struct Change {
  std::string part, before, now;  // details for people, "" where there is none
};

std::vector<Change> changes_between(const cache::Key& before, const cache::Key& now) {
  std::map<std::string, const cache::KeyPart*> old_parts;
  for (const auto& part : before.parts) old_parts[part.name] = &part;
  std::vector<Change> changes;
  for (const auto& part : now.parts) {
    const auto found = old_parts.find(part.name);
    if (found == old_parts.end())
      changes.push_back({part.name, "", part.detail});
    else if (found->second->digest != part.digest)
      changes.push_back({part.name, found->second->detail, part.detail});
    if (found != old_parts.end()) old_parts.erase(found);
  }
  for (const auto& [name, part] : old_parts) changes.push_back({name, part->detail, ""});
  return changes;
}

// The last other state of the kernel: one that a search was made for, if there is any.
const cache::KnownKey* last_other(const std::vector<cache::KnownKey>& known,
                                  const optimizer::KeyedKernel& kernel, const cache::Cache& cache) {
  const cache::KnownKey* other = nullptr;
  for (const auto& one : known) {
    if (one.key.digest == kernel.key.digest) continue;
    if (cache.search(one.key.digest, optimizer::evidence_for(kernel))) return &one;
    if (!other) other = &one;
  }
  return other;
}

nlohmann::json explain(const optimizer::KeyedKernel& kernel, const cache::Cache& cache) {
  const auto known = cache.known_keys(kernel.name);
  const bool cached = std::any_of(known.begin(), known.end(), [&](const auto& one) {
    return one.key.digest == kernel.key.digest;
  });
  nlohmann::json parts = nlohmann::json::array(), changes = nlohmann::json::array();
  for (const auto& part : kernel.key.parts)
    parts.push_back({{"name", part.name}, {"digest", part.digest}, {"detail", part.detail}});
  nlohmann::json document = {{"kernel", kernel.marked.full_name()},
                             {"file", kernel.name.source},
                             {"key", kernel.key.digest},
                             {"cached", cached},
                             {"parts", std::move(parts)}};
  if (const auto* other = last_other(known, kernel, cache)) {
    document["compared_with"] = other->key.digest;
    for (const auto& change : changes_between(other->key, kernel.key))
      changes.push_back({{"part", change.part}, {"before", change.before}, {"now", change.now}});
  }
  document["changes"] = std::move(changes);
  return document;
}

void print(const nlohmann::json& kernel) {
  std::cout << kernel["kernel"].get<std::string>() << "  " << kernel["file"].get<std::string>()
            << "\n";
  if (kernel["cached"]) {
    std::cout << "  the cache knows it as it is now\n";
  } else if (!kernel.contains("compared_with")) {
    std::cout << "  the cache has never seen it; geak optimize searches for faster versions\n";
  } else {
    std::cout << "  changed since it was optimized:\n";
    for (const auto& change : kernel["changes"]) {
      std::cout << "    " << change["part"].get<std::string>();
      const std::string before = change["before"], now = change["now"];
      if (before != now) std::cout << "\n      before: " << before << "\n      now:    " << now;
      std::cout << "\n";
    }
  }
  std::cout << "  key " << kernel["key"].get<std::string>().substr(0, 16) << "\n";
}

void run(const Options& options) {
  const auto cache = cache::Cache::to_read();
  if (!cache.problem().empty()) std::cerr << "geak explain: warning: " << cache.problem() << "\n";
  nlohmann::json kernels = nlohmann::json::array();
  for (const auto& choice : choose_kernels(options.build, options.kernel))
    kernels.push_back(explain(choice.kernel, cache));
  if (options.json) {
    std::cout << support::json_text(nlohmann::json({{"schema", 1}, {"kernels", kernels}}), 2)
              << "\n";
    return;
  }
  for (const auto& kernel : kernels) print(kernel);
}

}  // namespace

void add_explain(CLI::App& app) {
  auto* command = app.add_subcommand(
      "explain", "Show which part of a kernel's key changed against what is cached");
  auto options = std::make_shared<Options>();
  command->add_option("-p,--build", options->build, "Build folder (default: here)");
  command->add_option("kernel", options->kernel, "Kernel's name, or a glob")->required();
  command->add_flag("--json", options->json, "Print the document that docs/schemas.md describes");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli
