#pragma once

#include <optional>
#include <string>

#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {

/// Pieces of a counted loop for writing it in another form.
class LoopText {
 public:
  LoopText(const KernelView& kernel, const CountedLoop& loop) : kernel_(kernel), loop_(loop) {}

  /// The loop variable's type.
  std::string type() const;
  /// The loop's condition with `variable` in place of its own; nothing where it is in a macro.
  std::optional<std::string> condition(const std::string& variable) const;
  /// Whether the loop has at least `rounds` more rounds from `at`, where it has one. Nothing where
  /// variable and end differ in sign or are narrower than 32 bits.
  std::optional<std::string> room_for(unsigned rounds, const std::string& at = "0") const;
  /// The same for one round: the `number`th from `at`, text of an unsigned value.
  std::optional<std::string> has_round(const std::string& number, const std::string& at) const;
  /// The body with `leave` in place of the breaks that leave this loop.
  std::optional<std::string> body(const std::string& leave) const;
  /// Puts `leave` in place of the breaks that leave this loop; false where one is in a macro.
  bool edit_breaks(const std::string& leave, TextEdits& edits) const;

 private:
  const KernelView& kernel_;
  const CountedLoop& loop_;
};

/// The first number that no name which begins with `prefix` has in the kernel's text.
unsigned unused_number(const KernelView& kernel, const std::string& prefix);

/// Whether a body returns; `nested`: from within a loop or switch of its own.
bool returns_from_within(const clang::Stmt& body, bool& nested);

/// Whether the statement waits for other work-items or works with them: barriers, wave operations.
bool meets_others(const clang::Stmt& statement);

}  // namespace geak::clang_tool::transforms
