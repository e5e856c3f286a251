// Calls of the unit's own device functions become their text, so that later steps see the loops and
// loads in them. The text stands before the statement that has the call, and a variable holds what
// the function returns; so the call must be what its statement does first, or else nothing in it
// may notice.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/system_header.h"
#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/callee_text.h"
#include "clang-tool/transforms/loop_text.h"
#include "clang-tool/transforms/memory_effects.h"
#include "clang-tool/transforms/uniform_values.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

bool calls(const clang::FunctionDecl& function, const clang::FunctionDecl& target,
           std::set<const clang::FunctionDecl*>& seen) {
  bool found = false;
  walk(*function.getBody(), [&](const clang::Stmt& node, const Ancestors&) {
    const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
    const auto* callee = call == nullptr ? nullptr : call->getDirectCallee();
    const auto* definition = callee == nullptr ? nullptr : callee->getDefinition();
    if (definition == nullptr || !definition->hasBody()) return !found;
    found = found || definition == &target ||
            (seen.insert(definition).second && calls(*definition, target, seen));
    return !found;
  });
  return found;
}

/// The function of the unit's own that a call runs, if its text may stand elsewhere.
const clang::FunctionDecl* own_callee(const clang::CallExpr& call, const KernelView& kernel) {
  if (llvm::isa<clang::CXXOperatorCallExpr, clang::CXXMemberCallExpr>(&call)) return nullptr;
  const clang::FunctionDecl* callee = call.getDirectCallee();
  const clang::FunctionDecl* definition = callee == nullptr ? nullptr : callee->getDefinition();
  if (definition == nullptr || !definition->hasBody() || llvm::isa<clang::CXXMethodDecl>(callee) ||
      definition->isVariadic() || definition->isConsteval() ||
      !llvm::isa<clang::CompoundStmt>(definition->getBody()))
    return nullptr;
  if (is_in_system_header(*definition)) return nullptr;
  const clang::QualType type = definition->getReturnType();
  const bool returns_plainly =
      type->isVoidType() || (!type->isReferenceType() && type.isTrivialType(kernel.unit.context()));
  std::set<const clang::FunctionDecl*> seen;
  return returns_plainly && !calls(*definition, *definition, seen) ? definition : nullptr;
}

/// Whether a call does nothing but give a value: nothing else can tell when it is made.
bool only_gives_a_value(const clang::CallExpr& call) {
  for (const clang::ParmVarDecl* parameter : call.getDirectCallee()->parameters()) {
    const clang::QualType type = parameter->getType();
    if ((type->isPointerType() || type->isReferenceType()) &&
        !type->getPointeeType().isConstQualified())
      return false;
  }
  return !may_store_to_global_memory(call);
}

/// A call and the statement before which its text can stand.
struct Site {
  const clang::CallExpr* call;
  const clang::Stmt* statement;
  const clang::Expr* whole;  ///< the full expression that the call is in
  bool declares;             ///< the statement declares what later ones use
};

class Sites {
 public:
  explicit Sites(const KernelView& kernel) : kernel_(kernel) {
    walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
      if (llvm::isa<clang::LambdaExpr>(&node)) return false;
      const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
      if (call == nullptr || own_callee(*call, kernel) == nullptr) return true;
      ++calls_;
      if (const auto site = site_of(*call, ancestors)) found_.push_back(*site);
      return false;  // what its arguments call is seen once its own text stands here
    });
  }

  const std::vector<Site>& found() const { return found_; }
  unsigned calls() const { return calls_; }

 private:
  std::optional<Site> site_of(const clang::CallExpr& call, const Ancestors& ancestors) const {
    const clang::Stmt* below = &call;
    for (auto it = ancestors.rbegin(); it != ancestors.rend(); below = *it++) {
      if (const auto* expression = llvm::dyn_cast<clang::Expr>(*it)) {
        if (!evaluates_always(*expression, *below)) return std::nullopt;
        continue;
      }
      const clang::Stmt* above = it + 1 == ancestors.rend() ? nullptr : *(it + 1);
      return statement_of(call, **it, *below, above);
    }
    return statement_of(call, kernel_.body(), *below, nullptr);
  }

  static bool evaluates_always(const clang::Expr& expression, const clang::Stmt& below) {
    if (llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::StmtExpr>(&expression)) return false;
    if (const auto* choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(&expression))
      return choice->getCond() == &below;
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&expression);
    return binary == nullptr || !binary->isLogicalOp() || binary->getLHS() == &below;
  }

  /// `holder`: the innermost statement that is no expression; `below` is its part with the call.
  std::optional<Site> statement_of(const clang::CallExpr& call, const clang::Stmt& holder,
                                   const clang::Stmt& below, const clang::Stmt* above) const {
    const auto* whole = llvm::dyn_cast<clang::Expr>(&below);
    if (whole == nullptr) return std::nullopt;
    Site site{&call, &below, whole, false};
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&holder)) {
      if (branch->getCond() == &below) {
        if (branch->getInit() != nullptr || branch->hasVarStorage() || branch->isConstexpr())
          return std::nullopt;
        site.statement = branch;
      }
    } else if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&holder)) {
      const auto* variable = declaration->isSingleDecl()
                                 ? llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl())
                                 : nullptr;
      if (variable == nullptr || variable->isStaticLocal() ||
          variable->hasAttr<clang::CUDASharedAttr>() ||
          !llvm::isa_and_nonnull<clang::CompoundStmt>(above))
        return std::nullopt;
      site.statement = declaration;
      site.declares = true;
    } else if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(&holder)) {
      if (loop->getBody() != &below) return std::nullopt;
    } else if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(&holder)) {
      if (loop->getBody() != &below) return std::nullopt;
    } else if (!llvm::isa<clang::CompoundStmt>(&holder)) {
      return std::nullopt;
    }
    if (!may_go_first(site)) return std::nullopt;
    return site;
  }

  /// Nothing else in the expression has an effect, but for an assignment that comes last, or would
  /// see one of the call's.
  bool may_go_first(const Site& site) const {
    const bool gives_a_value = only_gives_a_value(*site.call);
    const clang::Expr* last = site.whole->IgnoreParenImpCasts();
    if (const auto* cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(last))
      last = cleanups->getSubExpr()->IgnoreParenImpCasts();
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(last);
    const auto copying = as_copying(*last);
    const clang::Expr* target = copying ? copying->target : nullptr;
    if (binary != nullptr && binary->isAssignmentOp()) target = binary->getLHS();
    bool fine = true;
    walk(*site.whole, [&](const clang::Stmt& node, const Ancestors&) {
      if (&node == site.call) return false;
      if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
        return false;
      const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node);
      const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node);
      const auto* call = llvm::dyn_cast<clang::CallExpr>(&node);
      if ((unary != nullptr && unary->isIncrementDecrementOp()) ||
          (binary != nullptr && binary->isAssignmentOp() && binary != last) ||
          (call != nullptr && !(copying && call == last) &&
           !(gives_a_value && call->getDirectCallee() != nullptr && only_gives_a_value(*call))) ||
          llvm::isa<clang::CXXConstructExpr, clang::AtomicExpr, clang::LambdaExpr>(&node))
        fine = fine && llvm::isa<clang::CXXConstructExpr>(&node) && gives_a_value;
      if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node))
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
          fine = fine && !may_change(*site.call, *variable);
      return fine;
    });
    if (!fine || gives_a_value) return fine;
    for (const clang::Expr* read : memory_reads(*site.whole))
      if (!lies_in(*read, *site.call) && read != target) return false;
    return true;
  }

  static bool lies_in(const clang::Expr& part, const clang::Stmt& whole) {
    bool found = false;
    walk(whole, [&](const clang::Stmt& node, const Ancestors&) {
      found = found || &node == &part;
      return !found;
    });
    return found;
  }

  const KernelView& kernel_;
  std::vector<Site> found_;
  unsigned calls_ = 0;
};

class InlineCalls final : public Transform {
 public:
  std::string name() const override { return "inline_calls"; }
  Axis axis() const override { return Axis::compute; }
  std::string summary() const override {
    return "puts the text of called functions in place of their calls, for later steps to see";
  }

  std::vector<json> parameters(const KernelView& kernel) const override {
    if (Sites(kernel).found().empty()) return {};
    return {json::object()};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json&, Draft& draft) const override {
    const Sites sites(kernel);
    if (sites.calls() == 0) return Refusal{"the kernel calls no function of the unit's own"};
    std::string why = "no call stands where its function's text could be put before it";
    TextEdits edits;
    unsigned number = unused_number(kernel, "geak_i");
    const clang::Stmt* last = nullptr;
    for (const Site& site : sites.found()) {
      if (site.statement == last) continue;  // the next application takes its next call
      const std::string id = "geak_i" + std::to_string(number);
      CalleeText text(kernel, *site.call, id + "_", id);
      const auto written = text.write();
      const auto at = kernel.source.statement_range(*site.statement);
      const auto call = kernel.source.range(*site.call);
      if (!written || !at || !call) {
        why = site.call->getDirectCallee()->getNameAsString() + ": " +
              (written ? "a macro holds the call" : text.reason());
        continue;
      }
      put(kernel, site, id, *written, *at, *call, edits);
      last = site.statement;
      ++number;
    }
    if (edits.empty()) return Refusal{why};
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }

 private:
  static void put(const KernelView& kernel, const Site& site, const std::string& id,
                  const std::string& text, TextRange at, TextRange call, TextEdits& edits) {
    const clang::QualType type = site.call->getDirectCallee()->getReturnType();
    const bool gives = !type->isVoidType();
    std::string before = site.declares ? "" : "{\n";
    if (gives)
      before += type.getCanonicalType().getUnqualifiedType().getAsString(
                    kernel.unit.context().getPrintingPolicy()) +
                " " + id + ";\n";
    edits.insert(at.begin, before + "{\n" + text + "}\n");
    edits.replace(call, gives ? id : "(void)0");
    if (!site.declares) edits.insert(at.end, "\n}");
  }
};

}  // namespace

const Transform& inline_calls() {
  static const InlineCalls transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
