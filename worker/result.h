// RESULT.json: what geak-worker found; docs/schemas.md describes it.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "worker/bundle.h"

namespace geak::worker {

inline constexpr int kResultSchema = 1;

// The result as it grows. After each step the file is whole: a killed worker loses one step.
class Result {
 public:
  // Goes on with an earlier result of the same bundle and device where `file` has one; throws
  // std::runtime_error where it holds another's.
  Result(std::filesystem::path file, const std::string& bundle_digest, const std::string& device,
         const std::string& architecture);

  nlohmann::json& head() { return document_; }
  // The entry of a kernel on records of a size; made where it is not there.
  nlohmann::json& kernel(const Kernel& kernel, const std::string& size);
  // The entry of one of its candidates; made where it is not there.
  static nlohmann::json& candidate(nlohmann::json& kernel, const std::string& digest);
  void problem(const std::string& text);
  void write();

  const nlohmann::json& document() const { return document_; }

 private:
  std::filesystem::path file_;
  nlohmann::json document_;
};

}  // namespace geak::worker
