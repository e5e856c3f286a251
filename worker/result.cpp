#include "worker/result.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <stdexcept>

#include "support/atomic_file.h"
#include "support/json_text.h"

namespace geak::worker {
namespace {

using nlohmann::json;

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

}  // namespace

Result::Result(std::filesystem::path file, const std::string& bundle_digest,
               const std::string& device, const std::string& architecture)
    : file_(std::move(file)) {
  if (std::ifstream stream(file_); stream) {
    document_ = json::parse(stream, nullptr, /*allow_exceptions=*/false);
    if (document_.is_object() && document_.value("bundle", "") == bundle_digest &&
        document_.value("device", "") == device)
      return;
    throw std::runtime_error(file_.string() +
                             " holds another bundle's or another device's result; name another "
                             "file with -o or remove it");
  }
  document_ = {{"schema", kResultSchema},      {"bundle", bundle_digest},  {"device", device},
               {"architecture", architecture}, {"date", today()},          {"finished", false},
               {"kernels", json::array()},     {"problems", json::array()}};
}

nlohmann::json& Result::kernel(const Kernel& kernel, const std::string& size) {
  for (auto& entry : document_["kernels"])
    if (entry["target"] == kernel.target && entry["symbol"] == kernel.symbol &&
        entry["size"] == size)
      return entry;
  document_["kernels"].push_back({{"target", kernel.target},
                                  {"kernel", kernel.kernel},
                                  {"source", kernel.source},
                                  {"symbol", kernel.symbol},
                                  {"key", kernel.key},
                                  {"argument_types", kernel.argument_types},
                                  {"size", size},
                                  {"state", "begun"},
                                  {"reason", ""},
                                  {"original", json::object()},
                                  {"candidates", json::array()}});
  return document_["kernels"].back();
}

nlohmann::json& Result::candidate(nlohmann::json& kernel, const std::string& digest) {
  for (auto& entry : kernel["candidates"])
    if (entry["digest"] == digest) return entry;
  kernel["candidates"].push_back({{"digest", digest}, {"outcome", "not tried"}});
  return kernel["candidates"].back();
}

void Result::problem(const std::string& text) {
  auto& problems = document_["problems"];
  if (std::ranges::find(problems, json(text)) == problems.end()) problems.push_back(text);
}

void Result::write() { support::write_if_changed(file_, support::json_text(document_, 1) + "\n"); }

}  // namespace geak::worker
