// The bundle's document.
#pragma once

#include "worker/bundle.h"

namespace geak::worker {

// Archives are named with their lengths alone.
nlohmann::json to_json(const Bundle& bundle);
nlohmann::json to_json(const Candidate& candidate);
// Without the archives. Throws std::runtime_error or nlohmann::json::exception for what is no
// document, indices out of range, unsafe paths and options that a unit may not have.
Bundle bundle_from_json(const nlohmann::json& json);

// Options that a unit may have: they change what is compiled, and read or run nothing.
bool is_allowed_option(const std::string& option);

}  // namespace geak::worker
