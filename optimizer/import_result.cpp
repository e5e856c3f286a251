#include "optimizer/import_result.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "clang-tool/variant.h"
#include "optimizer/select.h"
#include "support/json_text.h"

namespace geak::optimizer {
namespace {

using nlohmann::json;

// One candidate over all sizes.
struct Sum {
  json variant;  // of an accepted entry
  std::string name, recipe, rejected;
  double timed_original_ns = 0, timed_candidate_ns = 0;  // where it was timed and not verified
  double original_ns = 0, candidate_ns = 0, noise = 0;
  int inputs = 0;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Its name is a digest of its content: a text that was changed on the way has another one.
bool is_as_bundled(const json& object) {
  const auto name = object.at("name").get<std::string>();
  const auto mark = name.rfind("__geak_");
  if (mark == std::string::npos) return false;
  clang_tool::Variant variant;
  variant.text = replaced(object.at("text"), name, clang_tool::variant_name_placeholder);
  variant.guard = replaced(object.at("guard"), name, clang_tool::variant_name_placeholder);
  object.at("launch").get_to(variant.launch);
  variant.launch.guard.reset();  // the text says it
  return clang_tool::finish_variant(name.substr(0, mark), std::move(variant)).name == name;
}

cache::Variant variant_of(const json& object) {
  auto launch = object.at("launch").get<support::LaunchChange>();
  launch.guard.reset();
  return {object.at("name"),      object.at("digest"),
          object.at("text"),      support::json_text(json(launch)),
          object.at("guard"),     support::json_text(object.at("recipe")),
          object.at("generator"), object.at("parent")};
}

class Import {
 public:
  Import(const json& result, cache::Cache& cache) : result_(result), cache_(cache) {
    if (!result.is_object() || result.value("schema", 0) != 1 || !result.contains("kernels"))
      throw std::runtime_error("it is no result of geak-worker, or of another schema than 1");
    done_.device = result.at("device").get<std::string>();
    if (done_.device.empty()) throw std::runtime_error("it names no device");
    if (done_.device.find("emulated by geak") != std::string::npos)
      throw std::runtime_error(
          "it was made on the emulated GPU, whose times are modelled: geak optimize finds those");
    type_ = {cache::EvidenceType::Kind::measured, done_.device};
  }

  Imported run() {
    std::map<std::string, std::map<std::string, Sum>> by_key;
    std::map<std::string, std::string> names;
    for (const auto& kernel : result_.at("kernels")) {
      const auto key = kernel.at("key").get<std::string>();
      names[key] = kernel.at("kernel").get<std::string>();
      for (const auto& candidate : kernel.at("candidates")) add(by_key[key], candidate);
    }
    for (const auto& [key, candidates] : by_key) {
      if (!cache_.key(key)) {
        done_.problems.push_back(names[key] +
                                 ": the cache does not know this state of it; import where it was "
                                 "bundled, or bundle it again");
        continue;
      }
      for (const auto& [digest, sum] : candidates) keep(key, digest, sum);
    }
    return std::move(done_);
  }

 private:
  void add(std::map<std::string, Sum>& sums, const json& candidate) {
    const auto outcome = candidate.at("outcome").get<std::string>();
    // A candidate that never runs on a size is neither right nor wrong there.
    const bool never = candidate.value("attack", "").starts_with("23");
    const bool timed = outcome == "timed";
    if (never || (outcome != "accepted" && !timed && outcome != "rejected" && outcome != "refused"))
      return;
    auto& sum = sums[candidate.at("digest").get<std::string>()];
    sum.recipe = support::json_text(candidate.value("recipe", json::array()));
    if (timed) {
      sum.timed_original_ns += candidate.at("original_ns").get<double>();
      sum.timed_candidate_ns += candidate.at("candidate_ns").get<double>();
      return;
    }
    if (outcome != "accepted") {
      sum.rejected = candidate.value("reason", "");
      if (sum.rejected.empty()) sum.rejected = outcome;
      return;
    }
    sum.variant = candidate.at("variant");
    sum.original_ns += candidate.at("original_ns").get<double>();
    sum.candidate_ns += candidate.at("candidate_ns").get<double>();
    sum.noise = std::max(sum.noise, candidate.at("noise").get<double>());
    sum.inputs += candidate.value("inputs_tried", 0);
  }

  void keep(const std::string& key, const std::string& digest, const Sum& sum) {
    if (!sum.rejected.empty()) {
      cache_.add_trial(key, type_, {digest, sum.recipe, "rejected", sum.rejected, 0, 0});
      ++done_.lost;
      return;
    }
    if (sum.variant.is_null()) {
      // It steers what is tried next, and is no variant.
      if (sum.timed_candidate_ns > 0)
        cache_.add_trial(
            key, type_,
            {digest, sum.recipe, "timed", "", sum.timed_original_ns / sum.timed_candidate_ns, 0});
      return;
    }
    if (!is_as_bundled(sum.variant) || sum.variant.at("digest") != digest) {
      done_.problems.push_back("candidate " + digest + " is not as it was bundled: passed over");
      return;
    }
    const double gain = sum.candidate_ns > 0 ? sum.original_ns / sum.candidate_ns : 0;
    if (worth_keeping(gain, sum.noise)) {
      cache_.add_verified(key, variant_of(sum.variant),
                          {type_,
                           {false, done_.device},
                           sum.original_ns,
                           sum.candidate_ns,
                           gain,
                           sum.noise,
                           sum.inputs,
                           "",
                           "{}",
                           ""});
      ++done_.verified;
    } else {
      cache_.add_trial(key, type_, {digest, sum.recipe, "accepted", "", gain, 0});
      ++done_.lost;
    }
  }

  const json& result_;
  cache::Cache& cache_;
  cache::EvidenceType type_;
  Imported done_;
};

}  // namespace

Imported import_result(const nlohmann::json& result, cache::Cache& cache) {
  try {
    return Import(result, cache).run();
  } catch (const json::exception& error) {
    throw std::runtime_error(std::string("it is no result of geak-worker: ") + error.what());
  }
}

}  // namespace geak::optimizer
