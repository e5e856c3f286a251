// Candidates of earlier results of geak-worker (docs/schemas.md) made again as code objects for
// this machine's architecture: what was measured elsewhere can be timed by the model here.
//
// A variant's digest covers its text, launch and guard, so the same digest is the same variant,
// whoever made it. Candidates come from their text where the result has it, else from their recipe,
// and those that today's transforms make otherwise are left out. Not done through `geak bundle` and
// a worker on the emulated GPU: a bundle's candidates are chosen anew, and a worker compiles each
// by itself.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace geak::optimizer {

struct RemakeSettings {
  std::filesystem::path build;   // of the project whose kernels they are
  std::filesystem::path output;  // folder for the code objects
  std::vector<std::filesystem::path> results;
  std::string target;  // glob; empty: all
  std::function<bool()> stop = [] { return false; };
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// {"kernels": [{"target", "kernel", "symbol", "argument_types", "tolerance", "candidates":
// [{"digest", "code_object", "kernel", "launch_change"}], "left_out": [{"digest", "reason"}]}],
// "problems": []}: candidates as geak-replay's first look takes them. Throws std::runtime_error
// where a result or the build cannot be read.
nlohmann::json remake(const RemakeSettings& settings);

}  // namespace geak::optimizer
