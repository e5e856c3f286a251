// Writes loops in the form in which other transforms see them: `k = a; for (k = 0; k < n; ++k)` and
// `int i = a; while (i < n) { ...; i += s; }` become `for (int k = 0; ...)`, where nothing asks for
// the variable outside of its loops. Nothing is gained by it alone.
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <map>
#include <set>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

/// A loop that sets a variable before anything in it asks for it.
struct Setting {
  const clang::Stmt* loop;
  const clang::VarDecl* variable;
  const clang::Expr* begin;
  const clang::Expr* step = nullptr;         ///< of a `while`: what its body ends with
  const clang::Stmt* declaration = nullptr;  ///< of a `while`: where the variable has its begin
};

/// Local integers alone; not what a lambda may hold.
const clang::VarDecl* as_counter(const clang::Expr& expression) {
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expression.IgnoreParens());
  const auto* variable =
      reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
  const bool fits = variable != nullptr && variable->isLocalVarDecl() &&
                    variable->hasLocalStorage() && variable->getType()->isIntegerType() &&
                    !variable->getType()->isBooleanType() &&
                    !variable->getType().isVolatileQualified();
  return fits ? variable : nullptr;
}

/// `k = a` of a loop's head.
std::optional<Setting> as_setting_for(const clang::Stmt& node) {
  const auto* loop = llvm::dyn_cast<clang::ForStmt>(&node);
  if (loop == nullptr || loop->getCond() == nullptr || loop->getInc() == nullptr)
    return std::nullopt;
  const auto* set = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop->getInit());
  if (set == nullptr || set->getOpcode() != clang::BO_Assign) return std::nullopt;
  const clang::VarDecl* variable = as_counter(*set->getLHS());
  // In the new variable's own begin its name is the new variable.
  if (variable == nullptr || mentions(*set->getRHS(), *variable)) return std::nullopt;
  return Setting{loop, variable, set->getRHS()};
}

/// The expression that changes a variable by a step.
const clang::VarDecl* stepped_variable(const clang::Stmt& statement) {
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&statement))
    return unary->isIncrementDecrementOp() ? as_counter(*unary->getSubExpr()) : nullptr;
  const auto* change = llvm::dyn_cast<clang::CompoundAssignOperator>(&statement);
  return change == nullptr ? nullptr : as_counter(*change->getLHS());
}

bool continues(const clang::Stmt& body) {
  bool found = false;
  walk(body, [&](const clang::Stmt& node, const Ancestors& ancestors) {
    found = found || (llvm::isa<clang::ContinueStmt>(&node) &&
                      std::ranges::none_of(ancestors, [](const clang::Stmt* ancestor) {
                        return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt,
                                         clang::CXXForRangeStmt>(ancestor);
                      }));
    return !found;
  });
  return found;
}

/// Whether the block declares a variable by a name that the expression asks for, the very variable
/// that it means apart where `but_itself`.
bool declares_names_of(const clang::CompoundStmt& block, const clang::Expr& expression,
                       bool but_itself) {
  const auto named = variables_in(expression);
  return std::ranges::any_of(block.body(), [&](const clang::Stmt* statement) {
    const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(statement);
    if (declaration == nullptr) return false;
    return std::ranges::any_of(declaration->decls(), [&](const clang::Decl* declared) {
      const auto* variable = llvm::dyn_cast<clang::NamedDecl>(declared);
      return variable != nullptr && std::ranges::any_of(named, [&](const clang::VarDecl* one) {
               return !(but_itself && one == variable) && one->getName() == variable->getName();
             });
    });
  });
}

/// A `while` whose body ends with a step of a variable that stands before it in its block, with
/// what it begins with, which is there still.
std::optional<Setting> as_setting_while(const KernelView& kernel, const clang::Stmt& node,
                                        const Ancestors& ancestors) {
  const auto* loop = llvm::dyn_cast<clang::WhileStmt>(&node);
  const auto* block =
      ancestors.empty() ? &kernel.body() : llvm::dyn_cast<clang::CompoundStmt>(ancestors.back());
  if (loop == nullptr || block == nullptr || loop->hasVarStorage()) return std::nullopt;
  const auto* body = llvm::dyn_cast<clang::CompoundStmt>(loop->getBody());
  if (body == nullptr || body->body_empty() || continues(*body)) return std::nullopt;
  const clang::VarDecl* variable = stepped_variable(*body->body_back());
  if (variable == nullptr || !variable->hasInit()) return std::nullopt;
  const clang::Expr& begin = *variable->getInit();
  bool still = is_pure(begin, kernel.unit.context());
  walk(begin, [&](const clang::Stmt& part, const Ancestors&) {
    if (const auto* whole = llvm::dyn_cast<clang::Expr>(&part); whole && as_launch_index(*whole))
      return false;
    // Nothing that memory holds: it might have changed since.
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&part);
    const auto* named =
        reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    still =
        still && !llvm::isa<clang::ArraySubscriptExpr, clang::MemberExpr, clang::CallExpr>(&part);
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&part))
      still = still && unary->getOpcode() != clang::UO_Deref;
    if (named != nullptr)
      still = still && named->isLocalVarDeclOrParm() && named->hasLocalStorage() &&
              !may_change(kernel.body(), *named);
    return still;
  });
  // The step goes out of the body to the head, where the body's own names are not known.
  if (!still || declares_names_of(*block, begin, true) ||
      declares_names_of(*body, *llvm::cast<clang::Expr>(body->body_back()), false))
    return std::nullopt;
  for (const clang::Stmt* statement : block->body()) {
    if (statement == loop) break;
    const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(statement);
    if (declaration != nullptr &&
        std::ranges::any_of(declaration->decls(),
                            [&](const clang::Decl* declared) { return declared == variable; }))
      return Setting{loop, variable, &begin, llvm::cast<clang::Expr>(body->body_back()),
                     declaration};
  }
  return std::nullopt;
}

using Settings = std::map<const clang::VarDecl*, std::vector<Setting>>;

/// Loops by the variable that they set.
Settings settings_of(const KernelView& kernel) {
  Settings found;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    auto setting = as_setting_for(node);
    if (!setting) setting = as_setting_while(kernel, node, ancestors);
    if (setting) found[setting->variable].push_back(*setting);
    return true;
  });
  return found;
}

/// Whether each use of the variable stands in one of its loops, and in one alone: a `while` sets
/// nothing again, so that it may be run once only for each time its variable begins.
bool is_used_within(const KernelView& kernel, const clang::VarDecl& variable,
                    const std::vector<Setting>& settings) {
  const bool whiles =
      std::ranges::any_of(settings, [](const Setting& setting) { return setting.step != nullptr; });
  if (whiles && settings.size() > 1) return false;
  bool within = true;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    if (llvm::isa<clang::LambdaExpr, clang::GotoStmt, clang::IndirectGotoStmt, clang::AsmStmt>(
            &node))
      within = false;
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node))
      if (unary->getOpcode() == clang::UO_AddrOf && as_counter(*unary->getSubExpr()) == &variable)
        within = false;
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    if (reference == nullptr || reference->getDecl() != &variable) return within;
    const auto loops = std::ranges::count_if(ancestors, [&](const clang::Stmt* ancestor) {
      return std::ranges::find(settings, ancestor, &Setting::loop) != settings.end();
    });
    within = within && loops == 1;
    return within;
  });
  return within;
}

class ForLoops final : public Transform {
 public:
  std::string name() const override { return "for_loops"; }
  Axis axis() const override { return Axis::compute; }
  std::string summary() const override {
    return "gives loops a variable of their own and a head that says how they count, for other "
           "steps to see";
  }

  std::vector<json> parameters(const KernelView& kernel) const override {
    if (settings_of(kernel).empty()) return {};
    return {json::object()};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json&, Draft& draft) const override {
    const Settings settings = settings_of(kernel);
    if (settings.empty()) return Refusal{"every loop has a variable of its own already"};
    TextEdits edits;
    std::set<const clang::DeclStmt*> left;
    Refusal why{"a loop's variable is used outside of its loops, or its address is"};
    for (const auto& [variable, loops] : settings) {
      if (!is_used_within(kernel, *variable, loops)) continue;
      const clang::DeclStmt* declaration = declaration_of(kernel, *variable);
      const auto at = declaration == nullptr ? std::nullopt : kernel.source.range(*declaration);
      TextEdits more = edits;
      if (!at || !std::ranges::all_of(
                     loops, [&](const Setting& one) { return write(kernel, one, more); })) {
        why = Refusal{"the loop comes out of a macro"};
        continue;
      }
      // The outer variable is left without a use.
      if (left.insert(declaration).second) more.insert(at->begin, "[[gnu::unused]] ");
      edits = more;
    }
    if (edits.empty()) return why;
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }

 private:
  static const clang::DeclStmt* declaration_of(const KernelView& kernel,
                                               const clang::VarDecl& variable) {
    const clang::DeclStmt* found = nullptr;
    walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors&) {
      if (const auto* statement = llvm::dyn_cast<clang::DeclStmt>(&node))
        for (const clang::Decl* declared : statement->decls())
          if (declared == &variable) found = statement;
      return found == nullptr;
    });
    return found;
  }

  static bool write(const KernelView& kernel, const Setting& setting, TextEdits& edits) {
    const std::string begin = kernel.source.text(*setting.begin);
    const std::string head =
        setting.variable->getType().getCanonicalType().getUnqualifiedType().getAsString(
            kernel.unit.context().getPrintingPolicy()) +
        " " + setting.variable->getNameAsString() + " = (" + begin + ")";
    if (begin.empty()) return false;
    if (setting.step == nullptr) {
      const auto set = kernel.source.range(*llvm::cast<clang::ForStmt>(setting.loop)->getInit());
      if (set) edits.replace(*set, head);
      return set.has_value();
    }
    const auto& loop = llvm::cast<clang::WhileStmt>(*setting.loop);
    const std::string condition = kernel.source.text(*loop.getCond());
    const std::string step = kernel.source.text(*setting.step);
    const auto whole = kernel.source.range(loop);
    const auto body = kernel.source.range(*loop.getBody());
    const auto last = kernel.source.statement_range(*setting.step);
    if (condition.empty() || step.empty() || !whole || !body || !last) return false;
    edits.replace({whole->begin, body->begin},
                  "for (" + head + "; " + condition + "; " + step + ") ");
    edits.replace(*last, "");
    return true;
  }
};

}  // namespace

const Transform& for_loops() {
  static const ForLoops transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
