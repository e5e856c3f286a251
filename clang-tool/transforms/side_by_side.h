#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/element_rounds.h"
#include "clang-tool/transforms/memory_accesses.h"

namespace geak::clang_tool::transforms {

/// An element of an array that moves on by one with the round's number: `p[start + number]`.
struct RoundElement {
  clang::QualType type;
  std::uint64_t bytes = 0;
  std::string key;  ///< the same for what is the same element in every round
  /// Parts of the index that are computed in 32 bits: as text for round 0, and the first value at
  /// which they would wrap.
  struct Narrow {
    std::string at_zero;
    std::uint64_t limit;
  };
  std::vector<Narrow> narrow;
};

/// Elements that neighbouring rounds reach side by side.
class SideBySide {
 public:
  SideBySide(const KernelView& kernel, const ElementRounds& rounds)
      : kernel_(kernel), rounds_(rounds) {}

  /// Nothing where the address does not follow from the number so, or its text is in a macro.
  std::optional<RoundElement> element(const MemoryAccess& access) const;
  /// Address of the element in round `number` (text), for where the round's own variables are not.
  std::string address(const MemoryAccess& access, const std::string& number) const;
  std::string type_text(clang::QualType type) const;
  /// Condition, for where the round's own variables are not, under which a loop within the round
  /// runs at least once in every round; nothing where that depends on the round.
  std::optional<std::string> runs_at_all(const clang::ForStmt& loop) const;

 private:
  /// How an expression follows from the round's number: not at all, plus once, or otherwise.
  enum class Slope { none, one, other };
  Slope slope(const clang::Expr& expression, std::vector<RoundElement::Narrow>& narrow,
              unsigned depth) const;
  Slope slope_of_pointer(const clang::Expr& pointer, std::vector<RoundElement::Narrow>& narrow,
                         unsigned depth) const;
  Slope slope_of_sum(const clang::Expr& left, const clang::Expr& right, bool minus,
                     std::vector<RoundElement::Narrow>& narrow, unsigned depth) const;
  bool stays(const clang::Expr& expression, unsigned depth) const;
  void note_wrap(const clang::Expr& expression, std::vector<RoundElement::Narrow>& narrow) const;
  /// The expression in round `number`, with what the round's own variables begin with in their
  /// place.
  std::optional<std::string> text(const clang::Expr& expression, const std::string& number,
                                  unsigned depth) const;
  /// The value that a round's own variable keeps, or null.
  const clang::Expr* own_value(const clang::VarDecl& variable) const;

  const KernelView& kernel_;
  const ElementRounds& rounds_;
};

}  // namespace geak::clang_tool::transforms
