#include "optimizer/make_bundle.h"

#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "clang-tool/guards_of_unit.h"
#include "clang-tool/kernel_finder.h"
#include "clang-tool/swap.h"
#include "optimizer/bundle_candidates.h"
#include "optimizer/bundle_units.h"
#include "optimizer/candidate_source.h"
#include "optimizer/launch_facts.h"
#include "optimizer/workload.h"
#include "replay/archive/writer.h"
#include "support/atomic_file.h"
#include "support/scratch_folder.h"

namespace geak::optimizer {
namespace {

namespace fs = std::filesystem;
using clang_tool::transforms::SeenLaunch;
using nlohmann::json;

std::vector<std::byte> file_bytes(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// The launches of `kernels` alone; without the code objects, which are compiled there.
std::vector<std::byte> trimmed(const replay::ArchiveReader& archive,
                               const std::set<std::string>& kernels) {
  const support::ScratchFolder scratch("geak-bundle");
  const auto file = scratch.path() / "records.geakrec";
  replay::create_archive(file);
  {
    replay::ArchiveWriter writer(file);
    for (auto launch : archive.launches()) {
      if (!kernels.contains(launch.kernel)) continue;
      for (auto& region : launch.regions)
        for (auto content : {&replay::Region::before, &replay::Region::after})
          region.*content = writer.put(archive.bytes_of(region.*content));
      writer.put(launch);
    }
    for (const auto& summary : archive.summaries()) writer.put(summary);
  }
  return file_bytes(file);
}

class Maker {
 public:
  explicit Maker(const BundleSettings& settings)
      : settings_(settings), cache_(cache::Cache::to_write()) {
    for (const auto& file : settings.results) {
      std::ifstream stream(file);
      if (!stream) throw std::runtime_error("cannot read " + file.string());
      results_.push_back(json::parse(stream));
    }
  }

  BundleOutcome make() {
    auto& bundle = outcome_.bundle;
    bundle.geak = settings_.geak;
    add_header();
    bool seen = settings_.target.empty();
    for (const auto& manifest : support::manifests_of_build(settings_.build)) {
      if (!settings_.target.empty() && !clang_tool::matches_glob(settings_.target, manifest.target))
        continue;
      seen = true;
      if (settings_.stop()) break;
      take_target(manifest);
    }
    if (!seen)
      throw std::runtime_error("no target " + settings_.target + " in " + settings_.build.string() +
                               " is marked with geak_optimize()");
    if (prepared_.empty()) throw std::runtime_error("there is no kernel to bundle");
    units_.finish(bundle);
    for (auto& one : prepared_) finish(one);
    add_workloads();
    return std::move(outcome_);
  }

 private:
  struct Prepared {
    worker::Kernel kernel;
    clang_tool::CompileCommand command;
    // What each candidate makes of the unit's files, by absolute path.
    std::vector<std::vector<clang_tool::RewrittenFile>> files;
  };
  struct Program {
    std::string target;
    std::vector<clang_tool::CompileCommand> commands;
    std::vector<worker::Workload::Run> runs;
  };

  void add_header() {
    if (!fs::exists(settings_.header / "hip" / "hip_runtime.h"))
      throw std::runtime_error("geak's header for nvcc is missing: " +
                               (settings_.header / "hip/hip_runtime.h").string());
    for (const auto& entry : fs::recursive_directory_iterator(settings_.header))
      if (entry.is_regular_file())
        outcome_.bundle.files["hip_on_cuda/" +
                              entry.path().lexically_relative(settings_.header).generic_string()] =
            support::read_file(entry.path()).value_or("");
  }

  void take_target(const support::Manifest& manifest) {
    auto found = find_marked_kernels(manifest);
    for (auto& problem : found.problems) outcome_.problems.push_back(std::move(problem));
    std::vector<const MarkedKernel*> chosen;
    for (const auto& kernel : found.kernels)
      if (settings_.kernel.empty() ||
          clang_tool::matches_glob(settings_.kernel, kernel.full_name()) ||
          clang_tool::matches_glob(settings_.kernel, kernel.kernel.name))
        chosen.push_back(&kernel);
    if (chosen.empty()) return;
    take_program(manifest);
    const auto record = recorded(manifest, *chosen.front());
    std::set<std::string> symbols;
    for (const auto* kernel : chosen) {
      if (settings_.stop()) return;
      try {
        take_kernel(manifest, *kernel, record);
        symbols.insert(kernel->instantiation.symbol);
      } catch (const cache::CacheError&) {
        throw;
      } catch (const std::runtime_error& error) {
        outcome_.problems.push_back(kernel->full_name() + ": " + error.what());
      }
    }
    if (record && settings_.with_records && !symbols.empty())
      outcome_.bundle.records.push_back({manifest.target, "recorded", trimmed(*record, symbols)});
  }

  // All units of the target, so that its program can be built there.
  void take_program(const support::Manifest& manifest) {
    Program program{manifest.target, {}, {}};
    for (const auto& target : {manifest.target, std::string()})
      if (const auto own = settings_.runs.find(target);
          own != settings_.runs.end() && program.runs.empty())
        program.runs = own->second;
    if (program.runs.empty() && !manifest.workload.empty())
      program.runs.push_back(
          {"workload", {manifest.workload.begin() + 1, manifest.workload.end()}});
    const auto commands = clang_tool::read_compile_commands(manifest.build);
    for (const auto& source : manifest.sources)
      for (const auto& command : clang_tool::commands_for(commands, source.path)) {
        units_.add(host_of(command));
        program.commands.push_back(command);
        break;
      }
    programs_.push_back(std::move(program));
  }

  const clang_tool::TranslationUnit& host_of(const clang_tool::CompileCommand& command) {
    if (!host_ || host_->command().file != command.file ||
        host_->command().arguments != command.arguments)
      host_.emplace(clang_tool::TranslationUnit::parse(command, clang_tool::Pass::host));
    return *host_;
  }

  std::optional<replay::ArchiveReader> recorded(const support::Manifest& manifest,
                                                const MarkedKernel& kernel) {
    const auto architecture = kernel.target_id.substr(0, kernel.target_id.find(':'));
    try {
      const auto earlier = manifest.build / "geak" / "records" / (manifest.target + ".geakrec");
      if (!settings_.with_records)
        return fs::exists(earlier) ? std::optional(replay::ArchiveReader::open(earlier))
                                   : std::nullopt;
      const auto recording =
          record_workload(manifest, manifest.target, device_for(architecture),
                          [this](const std::string& line) { settings_.progress(line); });
      return replay::ArchiveReader::open(recording.archive);
    } catch (const std::exception& error) {
      outcome_.problems.push_back(manifest.target + ": no record: " + error.what());
      return std::nullopt;
    }
  }

  // What each workload launches: the record's, and each size that a worker recorded.
  std::vector<std::vector<SeenLaunch>> launches_of(
      const KeyedKernel& kernel, const std::optional<replay::ArchiveReader>& record) const {
    std::vector<std::vector<SeenLaunch>> all;
    if (record) all.push_back(seen_launches(kernel.marked, *record));
    for (const auto& result : results_)
      for (const auto& entry : result.at("kernels")) {
        if (entry.at("symbol") != kernel.name.symbol || entry.at("source") != kernel.name.source ||
            !entry.at("original").contains("launches"))
          continue;
        all.push_back(seen_launches(kernel.marked, entry.at("original").at("launches")));
      }
    std::erase_if(all, [](const auto& seen) { return seen.empty(); });
    if (all.empty()) all.emplace_back();
    return all;
  }

  void take_kernel(const support::Manifest& manifest, const MarkedKernel& marked,
                   const std::optional<replay::ArchiveReader>& record) {
    const KeyedKernel keyed = with_key(marked);
    cache_.remember(keyed.name, keyed.key);
    CandidateChoice choice;
    choice.most = settings_.most_candidates;
    choice.extend = settings_.extend;
    choice.stop = settings_.stop;
    const auto candidates = choose_candidates(keyed, launches_of(keyed, record), cache_, choice);
    Prepared prepared;
    prepared.command = marked.command;
    auto& kernel = prepared.kernel;
    kernel.target = manifest.target;
    kernel.kernel = marked.full_name();
    kernel.source = keyed.name.source;
    kernel.symbol = keyed.name.symbol;
    kernel.key = keyed.key.digest;
    kernel.tolerance = manifest.tolerance;
    for (const auto& parameter : marked.kernel.parameters)
      kernel.argument_types.push_back(parameter.type);
    const auto& host = host_of(marked.command);
    for (const auto& candidate : candidates) {
      if (settings_.stop()) return;
      const auto rewriting = clang_tool::rewrite(
          host, {{marked.kernel.name, marked.instantiation.symbol, candidate.variant}});
      if (rewriting.swapped.empty()) continue;
      const auto& variant = candidate.variant;
      support::LaunchChange launch;
      try {
        launch = with_guard(variant, clang_tool::read_guards(marked.command, rewriting, {variant}));
      } catch (const std::runtime_error& error) {
        outcome_.problems.push_back(variant.name + " is left out: " + error.what());
        continue;
      }
      kernel.candidates.push_back({variant.name,
                                   clang_tool::variant_digest(variant),
                                   json(candidate.recipe),
                                   variant.text,
                                   variant.guard,
                                   "rules",
                                   candidate.parent,
                                   std::move(launch),
                                   {}});
      prepared.files.push_back(rewriting.files);
    }
    settings_.progress(manifest.target + ": " + kernel.kernel + ": " +
                       std::to_string(kernel.candidates.size()) + " candidates");
    prepared_.push_back(std::move(prepared));
  }

  void finish(Prepared& one) {
    auto& kernel = one.kernel;
    kernel.unit = units_.index_of(one.command);
    for (std::size_t i = 0; i < kernel.candidates.size(); ++i)
      for (const auto& file : one.files[i])
        if (const auto path = units_.path_of(file.path); !path.empty())
          kernel.candidates[i].files[path] = file.text;
    outcome_.bundle.kernels.push_back(std::move(kernel));
  }

  void add_workloads() {
    for (const auto& program : programs_) {
      worker::Workload workload{program.target, {}, {}, program.runs};
      for (const auto& command : program.commands)
        workload.units.push_back(units_.index_of(command));
      if (!workload.runs.empty()) outcome_.bundle.workloads.push_back(std::move(workload));
    }
  }

  const BundleSettings& settings_;
  cache::Cache cache_;
  BundleOutcome outcome_;
  BundleUnits units_;
  std::optional<clang_tool::TranslationUnit> host_;
  std::vector<Prepared> prepared_;
  std::vector<Program> programs_;
  std::vector<json> results_;
};

}  // namespace

BundleOutcome make_bundle(const BundleSettings& settings) { return Maker(settings).make(); }

}  // namespace geak::optimizer
