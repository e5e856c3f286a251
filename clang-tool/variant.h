#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/launch_change.h"

namespace geak::clang_tool {

/// One transform that a variant went through, with the parameters that it was given.
struct RecipeStep {
  std::string transform;      ///< e.g. "launch_bounds"
  nlohmann::json parameters;  ///< an object; empty where the transform takes none

  bool operator==(const RecipeStep&) const = default;
};

/// A faster form of one kernel (docs/ARCHITECTURE.md, "Variant"): a new kernel of the same template
/// header and parameters and of internal linkage, which stands right after the original.
struct Variant {
  /// `<kernel>__geak_<8 hex>`, unqualified. `finish_variant` makes it.
  std::string name;
  /// Source inserted right after the original's definition, in the same scope. May hold helper
  /// functions and types of its own; their names must start with `name`.
  std::string text;
  support::LaunchChange launch;
  /// C++ condition on the host under which the variant may run; empty: always. It may name the
  /// kernel's parameters (and template parameters) and the original launch's `geak_grid`,
  /// `geak_block` (both dim3), `geak_lds` (bytes). Prefer `launch.conditions`, which replay can
  /// evaluate too; this is for what they cannot say.
  std::string guard;
  std::vector<RecipeStep> recipe;

  bool operator==(const Variant&) const = default;
};

/// What stands for the variant's name in `text` and `guard` until the digest is known.
inline constexpr const char* variant_name_placeholder = "__geak_variant_name__";

/// Gives a variant its name: 8 hex digits of SHA-256 over text, launch and guard after `kernel`
/// (unqualified), put in place of every `variant_name_placeholder`. Same content, same name.
Variant finish_variant(std::string kernel, Variant variant);

/// The 8 hex digits of a finished variant's name; empty where the name has not that form.
std::string variant_digest(const Variant& variant);

void to_json(nlohmann::json& json, const RecipeStep& step);
void from_json(const nlohmann::json& json, RecipeStep& step);
void to_json(nlohmann::json& json, const Variant& variant);
/// Throws nlohmann::json::exception or std::invalid_argument for what is no variant.
void from_json(const nlohmann::json& json, Variant& variant);

}  // namespace geak::clang_tool
