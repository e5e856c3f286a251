#include "cli/profile_data.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>

namespace geak::cli {
namespace {

constexpr double kLanes = 64, kLineBytes = 64;
// Classes whose instructions work on lanes.
constexpr std::array kVectorClasses{"valu", "transcendental", "matrix",  "lds",
                                    "flat", "global",         "scratch", "buffer"};

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : symbol;
}

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

double number(const LaunchCounters& counters, const char* pointer) {
  return counters.value(nlohmann::json::json_pointer(pointer), 0.0);
}

struct Traffic {
  double instructions, bytes, lines;
  Traffic(const LaunchCounters& c, const std::string& direction)
      : instructions(number(c, ("/memory/" + direction + "/instructions").c_str())),
        bytes(number(c, ("/memory/" + direction + "/bytes").c_str())),
        lines(number(c, ("/memory/" + direction + "/lines64").c_str())) {}
  double per_instruction() const { return ratio(lines, instructions); }
  double use() const { return ratio(bytes, lines * kLineBytes); }
};

bool is_identity(const std::string& field) {
  return field == "schema" || field == "grid" || field == "workgroup" || field == "resources";
}

// Adds the counts; what names the kernel or its resources stays the first launch's.
void add(LaunchCounters& sum, const LaunchCounters& counters) {
  for (const auto& [field, value] : counters.items()) {
    if (is_identity(field) && sum.contains(field)) continue;
    LaunchCounters& to = sum[field];
    if (value.is_object() && field != "resources") {
      if (to.is_null()) to = nlohmann::json::object();
      add(to, value);
    } else if (value.is_number_unsigned() && !to.is_null() && !is_identity(field)) {
      to = to.get<std::uint64_t>() + value.get<std::uint64_t>();
    } else if (value.is_number_float() && !to.is_null()) {
      to = to.get<double>() + value.get<double>();
    } else if (to.is_null()) {
      to = value;
    }
  }
}

void finish(KernelProfile& kernel, double all_ns) {
  std::map<std::string, double> by_bound;
  for (const auto& launch : kernel.launches) {
    add(kernel.sums, launch);
    by_bound[launch.at("bound").get<std::string>()] += launch.at("modelled_ns").get<double>();
  }
  kernel.bound = std::max_element(by_bound.begin(), by_bound.end(), [](auto& a, auto& b) {
                   return a.second < b.second;
                 })->first;
  kernel.share = ratio(kernel.modelled_ns, all_ns);
  kernel.metrics = metrics_of(kernel.sums);
}

LaunchCounters parse(const std::string& line, std::size_t number, const std::string& file) {
  auto counters = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!counters.is_object() || counters.value("schema", 0) != 1 || !counters.contains("kernel") ||
      !counters.contains("modelled_ns") || !counters.contains("bound"))
    throw std::runtime_error(file + ":" + std::to_string(number) +
                             ": not the counters of a dispatch");
  return counters;
}

}  // namespace

ProfileMetrics metrics_of(const LaunchCounters& c) {
  ProfileMetrics m;
  double lanes = 0, vector = 0;
  for (const char* name : kVectorClasses) {
    vector += number(c, (std::string("/executed/") + name).c_str());
    lanes += number(c, (std::string("/active_lanes/") + name).c_str());
  }
  m.active_lanes = ratio(lanes, vector * kLanes);
  const Traffic read(c, "read"), write(c, "write"), atomic(c, "atomic");
  m.read_lines = read.per_instruction();
  m.write_lines = write.per_instruction();
  m.atomic_lines = atomic.per_instruction();
  m.read_use = read.use();
  m.write_use = write.use();
  const double hits = number(c, "/memory/l1_hits");
  m.l1_hits = ratio(hits, hits + number(c, "/memory/l1_misses"));
  m.lds_conflicts = ratio(number(c, "/lds/conflict_cycles"), number(c, "/lds/cycles"));
  const double instructions = number(c, "/instructions");
  m.barrier_wait = ratio(number(c, "/barrier_wait_instructions"), instructions);
  m.instructions_per_ns = ratio(instructions, number(c, "/modelled_ns"));
  m.instructions_per_byte = ratio(instructions, number(c, "/levels/memory_bytes"));
  return m;
}

Profile read_profile(const std::filesystem::path& counters, bool with_runtime) {
  Profile profile;
  std::map<std::string, std::size_t> places;
  std::ifstream file(counters);
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    auto launch = parse(line, number, counters.string());
    const auto kernel = launch.at("kernel").get<std::string>();
    if (kernel.starts_with("__amd_rocclr_") && !with_runtime) continue;
    profile.device = launch.value("device", "");
    profile.arch = launch.value("arch", "");
    const auto [entry, is_new] = places.try_emplace(kernel, profile.kernels.size());
    if (is_new) {
      profile.kernels.emplace_back();
      profile.kernels.back().kernel = kernel;
      profile.kernels.back().name = demangled(kernel);
    }
    KernelProfile& to = profile.kernels[entry->second];
    const double ns = launch.at("modelled_ns").get<double>();
    to.modelled_ns += ns;
    profile.modelled_ns += ns;
    to.launches.push_back(std::move(launch));
  }
  for (auto& kernel : profile.kernels) finish(kernel, profile.modelled_ns);
  std::sort(profile.kernels.begin(), profile.kernels.end(), [](const auto& a, const auto& b) {
    return std::tie(b.modelled_ns, a.kernel) < std::tie(a.modelled_ns, b.kernel);
  });
  return profile;
}

}  // namespace geak::cli
