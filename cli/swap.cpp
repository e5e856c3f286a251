// geak swap: run by builds; selects the best verified variants for the sources of a target.
#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include "cache/cache.h"
#include "clang-tool/kernel_finder.h"
#include "cli/depfile.h"
#include "cli/subcommand.h"
#include "cli/swap_source.h"
#include "support/atomic_file.h"
#include "support/manifest.h"

namespace geak::cli {
namespace {
namespace fs = std::filesystem;

struct Options {
  std::string manifest, stamp, depfile;
};

class Swap {
 public:
  explicit Swap(const support::Manifest& manifest)
      : manifest_(manifest), cache_(cache::Cache::to_read()) {}

  void run() {
    if (!cache_.problem().empty()) warn(cache_.problem());
    // Without a cache there is nothing to look into the sources for: the build is as fast as it
    // was.
    const bool has_cache = cache_.problem().empty() && fs::exists(cache_.path());
    if (has_cache) commands_ = clang_tool::read_compile_commands(manifest_.build);
    bool lost_cache = false;
    for (std::size_t i = 0; i < manifest_.sources.size(); ++i) {
      const support::ManifestSource& source = manifest_.sources[i];
      files_.insert(source.path.string());
      std::string selection = original_selection();
      if (has_cache) selection = selection_for(source, std::to_string(i));
      // CMake starts every selection as the original, so a change to it drops a variant.
      const bool changed = support::write_if_changed(source.selection, selection);
      lost_cache = lost_cache || (changed && !has_cache && cache_.problem().empty());
    }
    if (lost_cache)
      warn(manifest_.target + ": there is no cache at " + cache_.path().string() +
           " any more, so the variants chosen from it are dropped; building the original kernels");
    if (has_cache) report();
  }

  std::vector<std::string> files() const { return {files_.begin(), files_.end()}; }

 private:
  std::string selection_for(const support::ManifestSource& source, const std::string& number) {
    try {
      const auto command = command_for(source);
      if (!command) {
        warn(source.path.string() + " is in no compile command; building the original");
        return original_selection();
      }
      if (!clang_tool::is_hip(*command)) return original_selection();
      const SwappedSource swapped =
          swap_source({manifest_, cache_, *command, manifest_.swap_directory / number});
      files_.insert(swapped.files_read.begin(), swapped.files_read.end());
      seen_.insert(swapped.seen.begin(), swapped.seen.end());
      for (const std::string& warning : swapped.warnings) warn(warning);
      for (const SwappedKernel& kernel : swapped.kernels)
        if (reported_.insert(kernel.kernel + kernel.variant).second)
          std::cout << "geak: " << manifest_.target << ": " << kernel.kernel << " -> "
                    << kernel.variant << ", " << kernel.proof << "\n";
      swapped_any_ = swapped_any_ || !swapped.kernels.empty();
      return swapped.selection;
    } catch (const std::exception& error) {
      failed_any_ = true;
      warn(source.path.string() + ": " + error.what() + "; building the original");
      return original_selection();
    }
  }

  /// A source may be compiled for several targets; this one's command names its object folder.
  std::optional<clang_tool::CompileCommand> command_for(const support::ManifestSource& source) {
    const auto all = clang_tool::commands_for(commands_, source.path);
    if (all.empty()) return std::nullopt;
    const std::string folder = "CMakeFiles/" + manifest_.target + ".dir/";
    for (const auto& command : all)
      for (const std::string& argument : command.arguments)
        if (argument.find(folder) != std::string::npos) return command;
    return all.front();
  }

  void report() {
    for (const std::string& glob : manifest_.kernels)
      if (!failed_any_ && std::ranges::none_of(seen_, [&](const std::string& name) {
            return clang_tool::matches_glob(glob, name);
          }))
        warn(manifest_.target + ": KERNELS " + glob + " names no kernel of its sources");
    if (!swapped_any_)
      std::cout << "geak: " << manifest_.target
                << ": no verified variant to swap in; building the original kernels\n";
  }

  static void warn(const std::string& text) {
    // One line a warning, whatever a compiler had to say.
    std::cerr << "geak: warning: " << text.substr(0, text.find('\n')) << "\n";
  }

  const support::Manifest& manifest_;
  cache::Cache cache_;
  std::vector<clang_tool::CompileCommand> commands_;
  std::set<std::string> files_, seen_, reported_;
  bool swapped_any_ = false;
  bool failed_any_ = false;
};

void run(const Options& options) {
  const support::Manifest manifest = support::read_manifest(options.manifest);
  Swap swap(manifest);
  swap.run();
  if (!options.depfile.empty())
    support::write_if_changed(options.depfile, depfile(options.stamp, swap.files()));
}

}  // namespace

void add_swap(CLI::App& app) {
  auto* command = app.add_subcommand(
      "swap", "Select the best verified variants for a target's sources (run by builds)");
  auto options = std::make_shared<Options>();
  command->add_option("--manifest", options->manifest, "<build>/geak/targets/<target>.json")
      ->required();
  command->add_option("--stamp", options->stamp, "The file that the depfile is for");
  command->add_option("--depfile", options->depfile, "Lists the files that the answer depends on")
      ->needs("--stamp");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli
