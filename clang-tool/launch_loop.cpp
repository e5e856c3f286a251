#include "clang-tool/launch_loop.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <optional>
#include <set>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/memory_effects.h"
#include "support/pass_rule.h"

namespace geak::clang_tool {
namespace {

using namespace support::pass_rule;
using transforms::Ancestors;
using transforms::as_variable;
using transforms::constant_value;
using transforms::stripped;
using transforms::walk;

struct Advance {
  int kind;
  std::int64_t step;
};

std::optional<Advance> advance_by(clang::BinaryOperatorKind operation, std::int64_t value) {
  switch (operation) {
    case clang::BO_AddAssign:
    case clang::BO_Add:
      return Advance{advance_add, value};
    case clang::BO_SubAssign:
    case clang::BO_Sub:
      return Advance{advance_add, -value};
    case clang::BO_MulAssign:
    case clang::BO_Mul:
      return value > 1 ? std::optional(Advance{advance_multiply, value}) : std::nullopt;
    case clang::BO_DivAssign:
    case clang::BO_Div:
      return value > 1 ? std::optional(Advance{advance_divide, value}) : std::nullopt;
    case clang::BO_ShlAssign:
    case clang::BO_Shl:
      return advance_by(clang::BO_Mul, value > 0 && value < 16 ? 1ll << value : 0);
    case clang::BO_ShrAssign:
    case clang::BO_Shr:
      return advance_by(clang::BO_Div, value > 0 && value < 16 ? 1ll << value : 0);
    default:
      return std::nullopt;
  }
}

/// `++v`, `v += 2`, `v /= 2`, `v = v >> 1`, ...
std::optional<Advance> advance_of(const clang::Expr& increment, const clang::VarDecl& variable,
                                  const clang::ASTContext& context) {
  const clang::Expr& plain = stripped(increment);
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&plain)) {
    if (!unary->isIncrementDecrementOp() || as_variable(*unary->getSubExpr()) != &variable)
      return std::nullopt;
    return Advance{advance_add, unary->isIncrementOp() ? 1 : -1};
  }
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&plain);
  if (binary == nullptr || as_variable(*binary->getLHS()) != &variable) return std::nullopt;
  if (binary->isCompoundAssignmentOp()) {
    const auto value = constant_value(*binary->getRHS(), context);
    return value ? advance_by(binary->getOpcode(), *value) : std::nullopt;
  }
  const auto* next = binary->getOpcode() == clang::BO_Assign
                         ? llvm::dyn_cast<clang::BinaryOperator>(&stripped(*binary->getRHS()))
                         : nullptr;
  if (next == nullptr || as_variable(*next->getLHS()) != &variable) return std::nullopt;
  const auto value = constant_value(*next->getRHS(), context);
  return value ? advance_by(next->getOpcode(), *value) : std::nullopt;
}

/// Calls that leave no trace but waiting and the runtime's own error state.
bool only_asks_the_runtime(const clang::CallExpr& call) {
  static const std::set<llvm::StringRef> names = {
      "hipGetLastError",       "hipPeekAtLastError",   "hipGetErrorString", "hipGetErrorName",
      "hipDeviceSynchronize",  "hipStreamSynchronize", "cudaGetLastError",  "cudaPeekAtLastError",
      "cudaDeviceSynchronize", "cudaGetErrorString"};
  const clang::FunctionDecl* callee = call.getDirectCallee();
  return callee != nullptr && callee->getIdentifier() != nullptr &&
         names.contains(callee->getName());
}

bool tests_for_an_error(const clang::Stmt& condition) {
  bool tests = false;
  walk(condition, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node))
      if (const auto* value = llvm::dyn_cast<clang::EnumConstantDecl>(reference->getDecl()))
        tests = tests || value->getName() == "hipSuccess" || value->getName() == "cudaSuccess";
    return !tests;
  });
  return tests;
}

class Examiner {
 public:
  Examiner(const LaunchNode& launch, const clang::ASTContext& context)
      : launch_(launch), context_(context) {}

  std::variant<LaunchLoop, std::string> examine() {
    if (launch_.function == nullptr || launch_.function->isDependentContext() ||
        !launch_.function->doesThisDeclarationHaveABody())
      return std::string("it stands in a template or in no function");
    if (launch_.function->isTemplateInstantiation())
      return std::string("it stands in a function template");
    if (!find_loop()) return std::string("it is no statement of its own in a for loop");
    if (auto problem = examine_header()) return *problem;
    if (auto problem = examine_launch()) return *problem;
    if (auto problem = examine_rest()) return *problem;
    return loop_;
  }

 private:
  bool find_loop() {
    bool found = false;
    walk(*launch_.function->getBody(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
      if (&node == launch_.expression) found = take_loop(ancestors);
      return !found && !llvm::isa<clang::LambdaExpr>(&node);
    });
    return found;
  }

  bool take_loop(const Ancestors& ancestors) {
    auto at = ancestors.rbegin();
    const clang::Stmt* inner = launch_.expression;
    const auto up = [&] { inner = *at++; };
    while (at != ancestors.rend() && llvm::isa<clang::FullExpr, clang::ParenExpr>(*at)) up();
    // hipLaunchKernelGGL is `do { kernel<<<...>>>(...); } while (0)`.
    if (launch_.form == LaunchForm::launch_macro)
      while (at != ancestors.rend() && inner->getBeginLoc().isMacroID() &&
             (*at)->getBeginLoc().isMacroID() && llvm::isa<clang::CompoundStmt, clang::DoStmt>(*at))
        up();
    statement_ = inner;
    if (at != ancestors.rend() && llvm::isa<clang::CompoundStmt>(*at)) up();
    if (at == ancestors.rend()) return false;
    loop_.statement = llvm::dyn_cast<clang::ForStmt>(*at);
    return loop_.statement != nullptr && loop_.statement->getBody() == inner;
  }

  std::optional<std::string> examine_header() {
    const clang::ForStmt& loop = *loop_.statement;
    if (loop.getCond() == nullptr || loop.getInc() == nullptr ||
        loop.getConditionVariable() != nullptr)
      return "the loop has no condition or no increment";
    const clang::Expr& increment = stripped(*loop.getInc());
    const clang::Expr* target = nullptr;
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&increment))
      target = unary->getSubExpr();
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&increment))
      target = binary->getLHS();
    loop_.variable = target == nullptr ? nullptr : as_variable(*target);
    if (loop_.variable == nullptr || !loop_.variable->hasLocalStorage() ||
        loop_.variable->getType()->isReferenceType() || !loop_.variable->getType()->isIntegerType())
      return "the loop does not step an integer of its own";
    const auto advance = advance_of(increment, *loop_.variable, context_);
    if (!advance) return "the loop's step is no constant";
    loop_.advance = advance->kind;
    loop_.step = advance->step;
    if (!is_stable(*loop.getCond())) return "the loop's condition may change in the loop";
    if (transforms::may_change(*loop.getBody(), *loop_.variable))
      return "the loop's body may change " + loop_.variable->getNameAsString();
    return std::nullopt;
  }

  std::optional<std::string> examine_launch() {
    std::vector<const clang::Expr*> fixed = launch_.grid;
    fixed.insert(fixed.end(), launch_.block.begin(), launch_.block.end());
    fixed.push_back(launch_.dynamic_lds);
    fixed.push_back(launch_.stream);
    std::optional<unsigned> argument;
    for (unsigned i = 0; i < launch_.arguments.size(); ++i) {
      const clang::Expr* given = launch_.arguments[i];
      if (given != nullptr && as_variable(*given) == loop_.variable && !argument)
        argument = i;
      else
        fixed.push_back(given);
    }
    if (!argument) return "no argument is the loop's variable";
    if (context_.getTypeSize(launch_.arguments[*argument]->getType()) <
        context_.getTypeSize(loop_.variable->getType()))
      return "the argument is narrower than the loop's variable";
    loop_.argument = *argument;
    for (const clang::Expr* expression : fixed) {
      if (expression == nullptr) continue;
      if (!is_stable(*expression)) return "the launch's shape or arguments may change in the loop";
      for (const clang::VarDecl* variable : transforms::variables_in(*expression))
        if (variable == loop_.variable)
          return "more than one part of the launch depends on the loop's variable";
    }
    return std::nullopt;
  }

  std::optional<std::string> examine_rest() {
    std::vector<const clang::Stmt*> statements = {loop_.statement->getBody()};
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(statements.front()))
      statements = {block->body_begin(), block->body_end()};
    for (const clang::Stmt* statement : statements)
      if (statement != statement_ && has_effect(*statement))
        return "the loop does more than launch the kernel";
    return std::nullopt;
  }

  bool is_declared_in_loop(const clang::VarDecl& variable) const {
    const clang::SourceManager& sources = context_.getSourceManager();
    const clang::SourceRange body = loop_.statement->getBody()->getSourceRange();
    const clang::SourceLocation at = sources.getExpansionLoc(variable.getLocation());
    return !sources.isBeforeInTranslationUnit(at, sources.getExpansionLoc(body.getBegin())) &&
           !sources.isBeforeInTranslationUnit(sources.getExpansionLoc(body.getEnd()), at);
  }

  /// Without effects, and of variables that the loop does not change (its own variable apart).
  bool is_stable(const clang::Expr& expression) const {
    bool stable = true;
    walk(expression, [&](const clang::Stmt& node, const Ancestors&) {
      const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
      const auto* conversion = llvm::dyn_cast<clang::CXXMemberCallExpr>(&node);
      if (call != nullptr &&
          !(conversion != nullptr &&
            llvm::isa_and_nonnull<clang::CXXConversionDecl>(conversion->getMethodDecl())))
        stable = false;
      if (llvm::isa<clang::LambdaExpr, clang::CXXNewExpr, clang::ArraySubscriptExpr>(&node))
        stable = false;
      if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node))
        stable =
            stable && !unary->isIncrementDecrementOp() && unary->getOpcode() != clang::UO_Deref;
      if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node))
        stable = stable && !binary->isAssignmentOp();
      if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node))
        stable = stable && !member->isArrow();
      return stable;
    });
    for (const clang::VarDecl* variable : transforms::variables_in(expression))
      stable = stable && !variable->getType().isVolatileQualified() &&
               (variable == loop_.variable || !is_declared_in_loop(*variable)) &&
               (variable->hasLocalStorage() || variable->getType().isConstQualified()) &&
               (variable == loop_.variable || !may_change_by_statements(*variable));
    return stable;
  }

  /// Arguments of a launch are copies: to be in its list is no change.
  bool may_change_by_statements(const clang::VarDecl& variable) const {
    bool changes = false;
    walk(*loop_.statement->getBody(), [&](const clang::Stmt& node, const Ancestors&) {
      if (&node == launch_.expression) return false;
      const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node);
      const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node);
      const clang::Expr* target = nullptr;
      if (binary != nullptr && binary->isAssignmentOp()) target = binary->getLHS();
      if (unary != nullptr &&
          (unary->isIncrementDecrementOp() || unary->getOpcode() == clang::UO_AddrOf))
        target = unary->getSubExpr();
      if (target != nullptr && transforms::root_variable(*target) == &variable) changes = true;
      return !changes;
    });
    return changes;
  }

  /// Whether running the statement once for several rounds could be told from once for each.
  bool has_effect(const clang::Stmt& statement) const {
    bool effect = false;
    walk(statement, [&](const clang::Stmt& node, const Ancestors& ancestors) {
      if (effect) return false;
      // What happens on an error ends or reports; a launch that stands for several fails alike.
      if (!ancestors.empty())
        if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(ancestors.back()))
          if (&node == branch->getThen() && branch->getElse() == nullptr &&
              tests_for_an_error(*branch->getCond()))
            return false;
      if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
        effect = !only_asks_the_runtime(*call);
      } else if (const auto* construction = llvm::dyn_cast<clang::CXXConstructExpr>(&node)) {
        effect = !construction->getConstructor()->isTrivial();
      } else if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node)) {
        if (binary->isAssignmentOp()) effect = !is_own(*binary->getLHS());
      } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
        if (unary->isIncrementDecrementOp()) effect = !is_own(*unary->getSubExpr());
      } else if (llvm::isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt,
                           clang::GotoStmt, clang::LambdaExpr, clang::CXXThrowExpr,
                           clang::CXXNewExpr, clang::CXXDeleteExpr, clang::AsmStmt,
                           clang::LabelStmt>(&node)) {
        effect = true;
      }
      return !effect;
    });
    return effect;
  }

  bool is_own(const clang::Expr& target) const {
    const clang::VarDecl* variable = transforms::root_variable(target);
    return variable != nullptr && variable->hasLocalStorage() && is_declared_in_loop(*variable);
  }

  const LaunchNode& launch_;
  const clang::ASTContext& context_;
  const clang::Stmt* statement_ = nullptr;  ///< the launch as a statement of the loop
  LaunchLoop loop_;
};

}  // namespace

std::variant<LaunchLoop, std::string> launch_loop(const LaunchNode& launch,
                                                  const clang::ASTContext& context) {
  return Examiner(launch, context).examine();
}

}  // namespace geak::clang_tool
