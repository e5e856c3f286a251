// geak import: takes a worker's result into the cache.
#include <fstream>
#include <iostream>
#include <memory>

#include "cli/subcommand.h"
#include "optimizer/import_result.h"

namespace geak::cli {
namespace {

void run(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file);
  const auto result = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  auto cache = cache::Cache::to_write();
  if (!cache.notice().empty()) std::cerr << "geak import: warning: " << cache.notice() << "\n";
  optimizer::Imported done;
  try {
    done = optimizer::import_result(result, cache);
  } catch (const cache::CacheError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(file + ": " + error.what());
  }
  for (const auto& problem : done.problems)
    std::cerr << "geak import: warning: " << problem << "\n";
  std::cout << "measured(" << done.device << "): " << done.verified << " faster variants, "
            << done.lost << " others\n";
  if (done.verified + done.lost == 0 && !done.problems.empty()) throw CLI::RuntimeError(1);
}

}  // namespace

void add_import(CLI::App& app) {
  auto* command =
      app.add_subcommand("import", "Take what geak-worker measured elsewhere into the cache");
  auto file = std::make_shared<std::string>();
  command->add_option("result", *file, "RESULT.json of geak-worker")
      ->required()
      ->check(CLI::ExistingFile);
  command->callback([file] { run(*file); });
}

}  // namespace geak::cli
