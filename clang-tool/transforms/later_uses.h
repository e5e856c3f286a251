#pragma once

#include <optional>
#include <vector>

#include "clang-tool/transforms/workgroup_run.h"

namespace geak::clang_tool::transforms {

/// What the rest of a kernel does with what some statements of it leave.
class LaterUses {
 public:
  /// `run` has run the statements, `range` is their text, `before` stands in their block before
  /// them; `in_loop`: they are run again.
  LaterUses(const KernelView& kernel, WorkgroupRun& run, std::uint32_t work_items,
            std::vector<const clang::Stmt*> before, TextRange range, bool in_loop)
      : kernel_(kernel),
        run_(run),
        work_items_(work_items),
        before_(std::move(before)),
        range_(range),
        in_loop_(in_loop) {}

  /// For each element of an LDS array, whether somebody may look at it afterwards. Nothing where
  /// other names may lead there.
  std::optional<std::vector<char>> looked_at(const clang::VarDecl& array, const RunArray& state);
  bool is_used(const clang::VarDecl& variable) const;

 private:
  bool lies_within(const clang::Stmt& node) const;
  /// Whether the place is reached after the statements, or may be.
  bool is_after(const clang::Stmt& node) const;
  /// Dynamic LDS is the same memory under all of its names.
  bool has_other_dynamic_lds(const clang::VarDecl& array) const;
  /// The declaration of another name, whose uses are looked at as well.
  bool names_pointer(const Ancestors& around) const;
  /// Elements of an index of all work-items that come there; false where it is not known.
  bool add(const clang::Expr& index, std::vector<char>& elements, const Ancestors& around = {});
  /// Whether its variables are there what they are after the statements.
  bool is_known(const clang::Expr& expression) const;
  /// What the branches around a place ask for.
  std::vector<const clang::Expr*> demanded(const Ancestors& around) const;
  /// Whether nothing but the statements changes the variable, and they once.
  bool stays(const clang::VarDecl& variable) const;
  /// In a loop the next run looks at the elements that it begins with, but for those that are
  /// stored anew right before.
  void add_what_is_found_again(const clang::VarDecl& array, const RunArray& state,
                               std::vector<char>& live);

  const KernelView& kernel_;
  WorkgroupRun& run_;
  std::uint32_t work_items_;
  std::vector<const clang::Stmt*> before_;
  TextRange range_;
  bool in_loop_;
};

}  // namespace geak::clang_tool::transforms
