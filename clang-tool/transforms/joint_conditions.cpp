// Neighbouring statements that each ask for a condition of their own: where all hold, which is the
// usual case, one form without conditions does. Its loads and stores then stand side by side, and
// the compiler makes wide ones of neighbouring addresses.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/memory_effects.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

/// A statement whose whole work hangs on one condition: `if (c) ...;` or `x = c ? a : b;`.
struct Conditional {
  const clang::Stmt* statement = nullptr;
  const clang::Expr* condition = nullptr;
  const clang::IfStmt* branch = nullptr;  ///< one of these two
  const clang::ConditionalOperator* choice = nullptr;
};

bool reads_memory_or_leaves(const clang::Stmt& root, bool leaving) {
  bool found = false;
  walk(root, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
      return false;
    if (leaving) {
      found = found || llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt,
                                 clang::GotoStmt, clang::LabelStmt>(&node);
    } else {
      const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node);
      const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node);
      found = found || llvm::isa<clang::ArraySubscriptExpr, clang::CallExpr>(&node) ||
              (unary != nullptr && unary->getOpcode() == clang::UO_Deref) ||
              (member != nullptr && member->isArrow());
    }
    return !found;
  });
  return found;
}

std::optional<Conditional> as_conditional(const clang::Stmt& statement,
                                          const clang::ASTContext& context) {
  Conditional found{&statement, nullptr, nullptr, nullptr};
  if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement)) {
    if (branch->getElse() != nullptr || branch->getInit() != nullptr || branch->hasVarStorage() ||
        branch->isConstexpr() || reads_memory_or_leaves(*branch->getThen(), true))
      return std::nullopt;
    found.branch = branch;
    found.condition = branch->getCond();
  } else if (const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(&statement)) {
    if (!assignment->isAssignmentOp()) return std::nullopt;
    found.choice =
        llvm::dyn_cast<clang::ConditionalOperator>(assignment->getRHS()->IgnoreParenImpCasts());
    if (found.choice == nullptr) return std::nullopt;
    found.condition = found.choice->getCond();
  } else {
    return std::nullopt;
  }
  if (!is_pure(*found.condition, context) || reads_memory_or_leaves(*found.condition, false))
    return std::nullopt;
  return found;
}

using Run = std::vector<Conditional>;

/// No statement of the run changes what a condition of it asks for.
bool conditions_stay(const Run& run) {
  for (const Conditional& asking : run)
    for (const clang::VarDecl* variable : variables_in(*asking.condition))
      for (const Conditional& other : run)
        if (may_change(*other.statement, *variable)) return false;
  return true;
}

std::vector<Run> runs_of(const KernelView& kernel) {
  std::vector<Run> runs;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors&) {
    const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node);
    if (block == nullptr) return true;
    Run run;
    const auto close = [&] {
      if (run.size() > 1 && conditions_stay(run)) runs.push_back(run);
      run.clear();
    };
    for (const clang::Stmt* statement : block->body()) {
      if (const auto conditional = as_conditional(*statement, kernel.unit.context()))
        run.push_back(*conditional);
      else
        close();
    }
    close();
    return true;
  });
  return runs;
}

/// Whether all values of the run's assignments may be read before any of them is stored: they go to
/// local variables or LDS that no value names, and what pointers reach is neither.
bool values_may_come_first(const Run& run) {
  std::vector<const clang::VarDecl*> stored;
  for (const Conditional& conditional : run) {
    const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(conditional.statement);
    if (assignment == nullptr || assignment->getOpcode() != clang::BO_Assign) return false;
    const clang::VarDecl* variable = root_variable(*assignment->getLHS());
    if (variable == nullptr ||
        !(variable->hasAttr<clang::CUDASharedAttr>() || variable->isLocalVarDeclOrParm()))
      return false;
    stored.push_back(variable);
  }
  for (const Conditional& conditional : run)
    for (const clang::VarDecl* named : variables_in(*conditional.statement)) {
      const auto* assignment = llvm::cast<clang::BinaryOperator>(conditional.statement);
      const bool target = root_variable(*assignment->getLHS()) == named;
      const auto in_value = variables_in(*conditional.choice);
      if (std::ranges::find(stored, named) != stored.end() &&
          (!target || std::ranges::find(in_value, named) != in_value.end()))
        return false;
    }
  return true;
}

/// The run without its conditions: values first, so that their loads stand together, then stores.
std::optional<std::string> values_first(const KernelView& kernel, const Run& run) {
  std::string values, stores;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const auto* assignment = llvm::cast<clang::BinaryOperator>(run[i].statement);
    const std::string target = kernel.source.text(*assignment->getLHS());
    const std::string value = kernel.source.text(*run[i].choice->getTrueExpr());
    if (target.empty() || value.empty()) return std::nullopt;
    const std::string type =
        run[i].choice->getType().getCanonicalType().getUnqualifiedType().getAsString(
            kernel.unit.context().getPrintingPolicy());
    const std::string name = "geak_value" + std::to_string(i);
    values += "const " + type + " " + name + " = " + value + ";\n";
    stores += target + " = " + name + ";\n";
  }
  return values + stores;
}

/// The run in both forms; nothing where it asks one condition alone, or stands in a macro.
std::optional<std::string> joined(const KernelView& kernel, const Run& run, TextRange range) {
  std::vector<std::string> conditions;
  TextEdits edits;
  for (const Conditional& conditional : run) {
    const std::string condition = kernel.source.text(*conditional.condition);
    if (condition.empty()) return std::nullopt;
    if (std::ranges::find(conditions, condition) == conditions.end())
      conditions.push_back(condition);
    if (conditional.branch != nullptr) {
      const auto whole = kernel.source.range(*conditional.branch);
      const auto then = kernel.source.range(*conditional.branch->getThen());
      if (!whole || !then) return std::nullopt;
      edits.replace({whole->begin, then->begin}, "");
    } else {
      const auto whole = kernel.source.range(*conditional.choice);
      const std::string value = kernel.source.text(*conditional.choice->getTrueExpr());
      if (!whole || value.empty()) return std::nullopt;
      const std::string type =
          conditional.choice->getType().getCanonicalType().getUnqualifiedType().getAsString(
              kernel.unit.context().getPrintingPolicy());
      edits.replace(*whole, "((" + type + ")(" + value + "))");
    }
  }
  if (conditions.size() < 2) return std::nullopt;
  // `&`, not `&&`: with one branch for each condition the compiler would take the two forms apart
  // and share their loads again. All conditions are evaluated in the original too.
  std::string all;
  for (const std::string& condition : conditions)
    all += (all.empty() ? "bool(" : " & bool(") + condition + ")";
  std::string together = edits.apply(kernel.source.text(), range);
  if (values_may_come_first(run))
    if (const auto ordered = values_first(kernel, run)) together = *ordered;
  return "if (" + all + ") {\n" + together + "\n} else {\n" + kernel.source.text(range) + "\n}\n";
}

class JointConditions final : public Transform {
 public:
  std::string name() const override { return "joint_conditions"; }
  Axis axis() const override { return Axis::memory; }
  std::string summary() const override {
    return "tests the conditions of neighbouring statements together";
  }

  std::vector<json> parameters(const KernelView& kernel) const override {
    if (runs_of(kernel).empty()) return {};
    return {json::object()};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json&, Draft& draft) const override {
    TextEdits edits;
    for (const Run& run : runs_of(kernel)) {
      const auto first = kernel.source.statement_range(*run.front().statement);
      const auto last = kernel.source.statement_range(*run.back().statement);
      if (!first || !last) continue;
      const TextRange range{first->begin, last->end};
      if (const auto text = joined(kernel, run, range)) edits.replace(range, *text);
    }
    if (edits.empty())
      return Refusal{"no neighbouring statements ask for different conditions that stay the same"};
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& joint_conditions() {
  static const JointConditions transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
