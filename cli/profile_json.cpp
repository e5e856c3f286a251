#include "cli/profile_data.h"

namespace geak::cli {
namespace {

using Json = nlohmann::ordered_json;

Json metrics(const ProfileMetrics& m) {
  return {{"active_lanes", m.active_lanes},
          {"read_lines_per_instruction", m.read_lines},
          {"write_lines_per_instruction", m.write_lines},
          {"atomic_lines_per_instruction", m.atomic_lines},
          {"read_line_use", m.read_use},
          {"write_line_use", m.write_use},
          {"l1_hit_rate", m.l1_hits},
          {"lds_conflict_share", m.lds_conflicts},
          {"barrier_wait_share", m.barrier_wait},
          {"instructions_per_ns", m.instructions_per_ns},
          {"instructions_per_memory_byte", m.instructions_per_byte}};
}

}  // namespace

Json to_json(const Profile& profile, const std::vector<std::string>& command, int exit_code) {
  Json kernels = Json::array();
  for (const KernelProfile& kernel : profile.kernels) {
    Json launches = Json::array();
    for (const LaunchCounters& launch : kernel.launches) {
      launches.push_back(Json{{"grid", launch.value("grid", LaunchCounters())},
                              {"workgroup", launch.value("workgroup", LaunchCounters())},
                              {"modelled_ns", launch["modelled_ns"]},
                              {"bound", launch["bound"]},
                              {"metrics", metrics(metrics_of(launch))},
                              {"counters", launch}});
    }
    kernels.push_back(Json{{"kernel", kernel.kernel},
                           {"name", kernel.name},
                           {"modelled_ns", kernel.modelled_ns},
                           {"share", kernel.share},
                           {"bound", kernel.bound},
                           {"metrics", metrics(kernel.metrics)},
                           {"counters", kernel.sums},
                           {"launches", std::move(launches)}});
  }
  return {{"schema", 1},
          {"program", command},
          {"exit_code", exit_code},
          {"device", profile.device},
          {"evidence", profile.evidence()},
          {"modelled_ns", profile.modelled_ns},
          {"kernels", std::move(kernels)}};
}

}  // namespace geak::cli
