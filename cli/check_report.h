// What `geak check` says of the findings of the emulator.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

namespace geak::cli {

// One document of all that the processes of a program wrote to `folder`, as docs/schemas.md
// describes it. Throws std::runtime_error for a file that is none of the emulator's.
nlohmann::json merged_findings(const std::filesystem::path& folder);

// For people.
void print_findings(std::ostream& out, const nlohmann::json& document);

}  // namespace geak::cli
