#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clang-tool/source_span.h"
#include "clang-tool/translation_unit.h"
#include "clang-tool/variant.h"

namespace geak::clang_tool {

/// A variant for one kernel of a unit: an ordinary kernel, or one instantiation of a template.
struct ChosenVariant {
  std::string kernel;  ///< qualified name, without template arguments
  std::string symbol;  ///< device symbol, without the suffix of internal linkage
  Variant variant;
};

/// Why a kernel or one of its launches stays as it is.
struct Refusal {
  std::string kernel;
  SourceSpan place;
  std::string reason;
};

struct RewrittenFile {
  std::string path;  ///< absolute, as the unit spells it: the main file or a header
  std::string text;
};

/// What a translation unit becomes.
struct Rewriting {
  std::vector<RewrittenFile> files;  ///< empty: nothing was swapped
  std::vector<std::string> swapped;  ///< names of the variants that at least one launch may run
  std::vector<Refusal> refusals;
};

/// Rewrites the files of `host` (a host pass): each variant's text and a function that chooses at
/// run time go right after the kernel's definition, launches call that function. It evaluates
/// arguments once, runs the first variant whose launch change, conditions and guard allow it, and
/// the original else, or always where GEAK_DISABLE is set in the environment (to anything but 0).
/// Line numbers and __FILE__ stay those of the original. Whatever cannot be rewritten stays.
Rewriting rewrite(const TranslationUnit& host, const std::vector<ChosenVariant>& chosen);

/// Writes the files below `folder`, and `folder`/overlay.yaml, which maps each path, as spelled and
/// as its real path, to its generated file. Files of the same content are left alone. Returns the
/// generated files, overlay.yaml first. Throws std::runtime_error where it cannot write.
std::vector<std::filesystem::path> write_overlay(const Rewriting& rewriting,
                                                 const std::filesystem::path& folder);

}  // namespace geak::clang_tool
