#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "clang-tool/transforms/axis.h"
#include "clang-tool/transforms/draft.h"
#include "clang-tool/transforms/seen_launch.h"
#include "clang-tool/transforms/source_edit.h"
#include "clang-tool/translation_unit.h"

namespace clang {
class CompoundStmt;
class FunctionDecl;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// Why a transform does not apply: one line, without a full stop.
struct Refusal {
  std::string reason;
};

/// The variant as it is so far, parsed within its unit.
struct KernelView {
  const TranslationUnit& unit;
  const SourceText& source;
  /// The definition that stands in the text; for templates the pattern.
  const clang::FunctionDecl& written;
  /// What is analysed: the pattern's instantiation with the subject's template arguments.
  const clang::FunctionDecl& function;
  /// The kernel that the variant is of, as written.
  const clang::FunctionDecl* original;
  TextRange text;                     ///< the variant's text in `source`
  std::vector<SeenLaunch> seen;       ///< as the original was launched
  std::vector<support::Launch> runs;  ///< as the variant so far is launched for each of `seen`

  const clang::CompoundStmt& body() const;
  /// Workgroup size of the variant where all runs have the same.
  std::optional<support::Extent> block() const;
  std::optional<support::Extent> original_block() const;
  std::optional<support::Extent> grid() const;
  /// Value of an argument where all launches seen agree.
  std::optional<std::int64_t> argument(unsigned position) const;
};

/// One source-to-source change of a kernel. Like a clangd tweak it looks at the AST first and says
/// why it does not apply; unlike one it also says how the launch changes.
class Transform {
 public:
  virtual ~Transform() = default;

  virtual std::string name() const = 0;
  virtual Axis axis() const = 0;
  /// One line for people: what it does.
  virtual std::string summary() const = 0;
  /// Parameters worth trying on this kernel, the most promising first; one empty object where it
  /// takes none. They need not apply: `apply` decides.
  virtual std::vector<nlohmann::json> parameters(const KernelView& kernel) const = 0;
  /// Throws nlohmann::json::exception for parameters that are not its own.
  virtual std::optional<Refusal> apply(const KernelView& kernel, const nlohmann::json& parameters,
                                       Draft& draft) const = 0;
};

/// All transforms, in the order in which they are worth trying.
const std::vector<const Transform*>& all_transforms();
/// Null where there is none of this name.
const Transform* find_transform(const std::string& name);

}  // namespace geak::clang_tool::transforms
