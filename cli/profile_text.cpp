// The table of `geak profile` on a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/profile_data.h"

namespace geak::cli {
namespace {

std::uint64_t count(const LaunchCounters& counters, const char* pointer) {
  return counters.value(nlohmann::json::json_pointer(pointer), std::uint64_t{0});
}

std::string percent(double share) { return fmt::format("{:.1f}%", share * 100); }

// "valu 45.0%, salu 20.1%": by class, the most frequent first.
std::string classes(const LaunchCounters& counters, double all) {
  std::vector<std::pair<std::uint64_t, std::string>> found;
  for (const auto& [name, value] : counters.at("executed").items()) {
    if (value.get<std::uint64_t>() > 0) found.emplace_back(value.get<std::uint64_t>(), name);
  }
  std::sort(found.rbegin(), found.rend());
  std::string text;
  for (const auto& [executed, name] : found) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                        percent(static_cast<double>(executed) / all));
  }
  return text;
}

std::string traffic(const KernelProfile& kernel) {
  std::string text;
  const auto part = [&](const char* name, double lines, const std::string& rest) {
    const auto instructions =
        count(kernel.sums, fmt::format("/memory/{}/instructions", name).c_str());
    if (instructions == 0) return;
    text += fmt::format("{}{} {} instructions of {:.1f} lines{}", text.empty() ? "" : "; ", name,
                        instructions, lines, rest);
  };
  const ProfileMetrics& m = kernel.metrics;
  part("read", m.read_lines, fmt::format(" ({} of their bytes used)", percent(m.read_use)));
  part("write", m.write_lines, fmt::format(" ({})", percent(m.write_use)));
  part("atomic", m.atomic_lines, "");
  return text.empty() ? "no vector memory instruction" : text + " (a line: 64 bytes)";
}

std::string levels(const KernelProfile& kernel) {
  const auto bytes = [&](const char* level) {
    return bytes_text(
        static_cast<double>(count(kernel.sums, fmt::format("/levels/{}_bytes", level).c_str())));
  };
  return fmt::format("L1 {}, L2 {}, memory {}; L1 hits {}", bytes("l1"), bytes("l2"),
                     bytes("memory"), percent(kernel.metrics.l1_hits));
}

std::string lds(const KernelProfile& kernel) {
  const auto cycles = count(kernel.sums, "/lds/cycles");
  if (cycles == 0) return "not used";
  return fmt::format("{} instructions, {} cycles, {} of them by bank conflicts",
                     count(kernel.sums, "/lds/instructions"), cycles,
                     percent(kernel.metrics.lds_conflicts));
}

std::string barriers(const KernelProfile& kernel) {
  const auto passed = count(kernel.sums, "/barriers");
  if (passed == 0) return "none";
  return fmt::format("{}, where waves were {} instructions ahead of their last one ({} of all)",
                     passed, count(kernel.sums, "/barrier_wait_instructions"),
                     percent(kernel.metrics.barrier_wait));
}

std::string occupancy(const KernelProfile& kernel) {
  const auto resource = [&](const char* name) {
    return count(kernel.sums, fmt::format("/resources/{}", name).c_str());
  };
  return fmt::format(
      "{} waves a SIMD, {} workgroups a compute unit, limited by {} ({} VGPRs, {} SGPRs, {} bytes "
      "of LDS)",
      resource("waves_per_simd"), resource("workgroups_per_cu"),
      kernel.sums.value(nlohmann::json::json_pointer("/resources/limit"), "?"), resource("vgprs"),
      resource("sgprs"), resource("lds_bytes"));
}

std::string spills(const KernelProfile& kernel) {
  const auto vgprs = count(kernel.sums, "/resources/vgpr_spills"),
             sgprs = count(kernel.sums, "/resources/sgpr_spills"),
             scratch = count(kernel.sums, "/resources/scratch_bytes"),
             instructions = count(kernel.sums, "/memory/scratch_instructions");
  if (vgprs + sgprs + scratch + instructions == 0) return "none";
  return fmt::format("{} VGPRs, {} SGPRs; {} bytes of scratch a lane, {} instructions", vgprs,
                     sgprs, scratch, instructions);
}

std::string sizes(const LaunchCounters& launch, const char* field) {
  std::string text;
  for (const auto& size : launch.at(field)) text += (text.empty() ? "" : "x") + size.dump();
  return text;
}

std::string launch_lines(const KernelProfile& kernel) {
  std::string text;
  for (const LaunchCounters& launch : kernel.launches) {
    const ProfileMetrics m = metrics_of(launch);
    text += fmt::format("    grid {} of {}: {}, {}; {} instructions, {} lanes active\n",
                        sizes(launch, "grid"), sizes(launch, "workgroup"),
                        time_text(launch.at("modelled_ns").get<double>()),
                        launch.at("bound").get<std::string>(), count(launch, "/instructions"),
                        percent(m.active_lanes));
  }
  return text;
}

std::string kernel_text(const KernelProfile& kernel) {
  const auto instructions = count(kernel.sums, "/instructions");
  std::string text = fmt::format("\n{}\n  {} in {} {} ({}), limited by {}\n", kernel.name,
                                 time_text(kernel.modelled_ns), kernel.launches.size(),
                                 kernel.launches.size() == 1 ? "launch" : "launches",
                                 percent(kernel.share), kernel.bound);
  const std::array<std::pair<const char*, std::string>, 8> lines{{
      {"instructions", fmt::format("{} in {} waves: {}", instructions, count(kernel.sums, "/waves"),
                                   classes(kernel.sums, static_cast<double>(instructions)))},
      {"active lanes", percent(kernel.metrics.active_lanes) + " of vector instructions' lanes"},
      {"memory", traffic(kernel)},
      {"bytes", levels(kernel)},
      {"LDS", lds(kernel)},
      {"barriers", barriers(kernel)},
      {"occupancy", occupancy(kernel)},
      {"spills", spills(kernel)},
  }};
  for (const auto& [name, value] : lines) text += fmt::format("  {:14}{}\n", name, value);
  return text;
}

}  // namespace

std::string time_text(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.1f} us", ns / 1e3);
  return fmt::format("{:.2f} ms", ns / 1e6);
}

std::string bytes_text(double bytes) {
  constexpr std::array kUnits{"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} {}", bytes, kUnits[unit])
                   : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string to_text(const Profile& profile, bool each_launch) {
  std::string text = fmt::format("{}, times {} on {}\n", time_text(profile.modelled_ns),
                                 profile.evidence(), profile.device);
  for (const KernelProfile& kernel : profile.kernels) {
    text += kernel_text(kernel);
    if (each_launch) text += launch_lines(kernel);
  }
  return text;
}

}  // namespace geak::cli
