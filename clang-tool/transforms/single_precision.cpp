// Double arithmetic of kernels whose data is float: on most GPUs it costs a multiple, and converts
// at every step. Values that only ever hold floats stay as they are; others change by rounding,
// which the trial's tolerance judges, and must not decide anything.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/TypeLoc.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

bool is_double(clang::QualType type) {
  return type->isSpecificBuiltinType(clang::BuiltinType::Double);
}

bool holds_double(clang::QualType type, unsigned depth = 0) {
  const clang::QualType plain = type.getCanonicalType().getNonReferenceType();
  if (is_double(plain)) return true;
  if (depth > 8) return true;
  if (plain->isPointerType()) return holds_double(plain->getPointeeType(), depth + 1);
  if (const auto* array = plain->getAsArrayTypeUnsafe())
    return holds_double(array->getElementType(), depth + 1);
  if (const auto* record = plain->getAsRecordDecl())
    for (const clang::FieldDecl* field : record->fields())
      if (holds_double(field->getType(), depth + 1)) return true;
  return false;
}

const clang::FloatingLiteral* as_literal(const clang::Expr& expression) {
  const clang::Expr* plain = expression.IgnoreParenImpCasts();
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(plain))
    if (unary->getOpcode() == clang::UO_Minus) plain = unary->getSubExpr()->IgnoreParenImpCasts();
  return llvm::dyn_cast<clang::FloatingLiteral>(plain);
}

class Narrowing {
 public:
  explicit Narrowing(const KernelView& kernel) : kernel_(kernel) {}

  std::optional<Refusal> narrow(TextEdits& edits) {
    for (const clang::ParmVarDecl* parameter : kernel_.function.parameters())
      if (holds_double(parameter->getType()))
        return Refusal{parameter->getNameAsString() + " holds doubles"};
    find_variables();
    if (auto refusal = look_at_uses()) return refusal;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
      if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
        return false;
      edit(node, edits);
      return true;
    });
    if (!possible_) return Refusal{"a double comes out of a macro"};
    if (edits.empty()) return Refusal{"the kernel has no double arithmetic"};
    return std::nullopt;
  }

 private:
  void find_variables() {
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
      if (const auto* statement = llvm::dyn_cast<clang::DeclStmt>(&node))
        for (const clang::Decl* declared : statement->decls())
          if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared))
            if (is_double(variable->getType().getCanonicalType())) exact_.insert(variable);
      return true;
    });
    // What is not known to hold floats alone takes others with it.
    for (std::size_t before = exact_.size() + 1; before != exact_.size();) {
      before = exact_.size();
      std::erase_if(exact_,
                    [&](const clang::VarDecl* variable) { return !only_floats(*variable); });
    }
  }

  /// Every value that the variable gets is a float, and nothing but assignments changes it.
  bool only_floats(const clang::VarDecl& variable) const {
    if (variable.hasInit() && !is_exact(*variable.getInit())) return false;
    bool floats = true;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
      const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
      if (reference == nullptr || reference->getDecl() != &variable || ancestors.empty())
        return true;
      if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(ancestors.back()))
        if (cast->getCastKind() == clang::CK_LValueToRValue) return true;
      const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(ancestors.back());
      if (assignment == nullptr || assignment->getOpcode() != clang::BO_Assign ||
          assignment->getLHS() != reference || !is_exact(*assignment->getRHS()))
        floats = false;
      return true;
    });
    return floats;
  }

  /// A double that holds a float: a converted one, a copy, a constant.
  bool is_exact(const clang::Expr& expression) const {
    const clang::Expr* plain = expression.IgnoreParens();
    if (!is_double(plain->getType().getCanonicalType())) return true;
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(plain)) {
      const clang::QualType from = cast->getSubExpr()->getType();
      if (cast->getCastKind() == clang::CK_FloatingCast) return from->isFloatingType();
      if (cast->getCastKind() == clang::CK_IntegralToFloating)
        return kernel_.unit.context().getTypeSize(from) <= 16;
      return is_exact(*cast->getSubExpr());
    }
    if (const clang::VarDecl* variable = as_variable(*plain)) return exact_.contains(variable);
    if (const clang::FloatingLiteral* literal = as_literal(*plain)) {
      const double value = literal->getValueAsApproximateDouble();
      return static_cast<double>(static_cast<float>(value)) == value || std::abs(value) > 3.5e38;
    }
    return false;
  }

  std::optional<Refusal> look_at_uses() const {
    std::optional<Refusal> refusal;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
      const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
      if (expression == nullptr) return true;
      if (as_launch_index(*expression)) return false;
      if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
        if (binary->isComparisonOp() && is_double(binary->getLHS()->getType().getCanonicalType()) &&
            !(is_exact(*binary->getLHS()) && is_exact(*binary->getRHS())))
          refusal = Refusal{"a rounded value would decide a comparison"};
      } else if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) {
        const clang::Expr& inner = *cast->getSubExpr();
        const bool decides = cast->getCastKind() == clang::CK_FloatingToIntegral ||
                             cast->getCastKind() == clang::CK_FloatingToBoolean;
        if (decides && is_double(inner.getType().getCanonicalType()) && !is_exact(inner))
          refusal = Refusal{"a rounded value would become an integer"};
      } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expression)) {
        if (passes_double(*call) && !has_float_form(*call))
          refusal = Refusal{"a function that takes doubles is called"};
      } else if (!llvm::isa<clang::DeclRefExpr>(expression) && expression->isLValue() &&
                 holds_double(expression->getType()) && !is_double_local(*expression)) {
        refusal = Refusal{"the kernel reaches doubles in memory"};
      } else if (llvm::isa<clang::LambdaExpr>(expression)) {
        refusal = Refusal{"the kernel has a lambda"};
      }
      return !refusal;
    });
    return refusal;
  }

  static bool is_double_local(const clang::Expr& lvalue) { return as_variable(lvalue) != nullptr; }

  static bool passes_double(const clang::CallExpr& call) {
    return std::ranges::any_of(call.arguments(), [](const clang::Expr* argument) {
      return holds_double(argument->getType());
    });
  }

  /// Maths functions that are overloaded for float under the same name.
  static bool has_float_form(const clang::CallExpr& call) {
    static const std::set<std::string> names = {
        "sqrt", "exp",  "exp2", "log", "log2", "log10", "pow",   "sin",  "cos",  "tan",
        "tanh", "sinh", "cosh", "abs", "fabs", "floor", "ceil",  "fmin", "fmax", "asin",
        "acos", "atan", "cbrt", "erf", "fma",  "rsqrt", "atan2", "hypot"};
    const clang::FunctionDecl* callee = call.getDirectCallee();
    return callee != nullptr && callee->getIdentifier() != nullptr &&
           names.contains(callee->getName().str());
  }

  void edit(const clang::Stmt& node, TextEdits& edits) {
    if (const auto* statement = llvm::dyn_cast<clang::DeclStmt>(&node)) {
      for (const clang::Decl* declared : statement->decls())
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared))
          if (holds_double(variable->getType())) edit_type(variable->getTypeSourceInfo(), edits);
    } else if (const auto* literal = llvm::dyn_cast<clang::FloatingLiteral>(&node)) {
      if (!is_double(literal->getType())) return;
      const auto at = kernel_.source.range(*literal);
      if (!at) {
        possible_ = false;
        return;
      }
      const std::string text = kernel_.source.text(*at);
      const double value = literal->getValueAsApproximateDouble();
      const float narrow = static_cast<float>(value);
      const bool fits = std::isnormal(narrow) || value == 0;
      edits.replace(*at, fits ? text + "f" : "((float)(" + text + "))");
    } else if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&node)) {
      if (is_double(cast->getTypeAsWritten().getCanonicalType()))
        edit_type(cast->getTypeInfoAsWritten(), edits);
    }
  }

  void edit_type(const clang::TypeSourceInfo* written, TextEdits& edits) {
    clang::TypeLoc type = written->getTypeLoc().getUnqualifiedLoc();
    while (const auto array = type.getAs<clang::ArrayTypeLoc>())
      type = array.getElementLoc().getUnqualifiedLoc();
    const auto at = kernel_.source.offset(type.getBeginLoc());
    const std::string word = "double";
    if (!at || kernel_.source.text().substr(*at, word.size()) != word)
      possible_ = false;
    else
      edits.replace({*at, *at + static_cast<unsigned>(word.size())}, "float");
  }

  const KernelView& kernel_;
  std::set<const clang::VarDecl*> exact_;
  bool possible_ = true;
};

class SinglePrecision final : public Transform {
 public:
  std::string name() const override { return "single_precision"; }
  Axis axis() const override { return Axis::compute; }
  std::string summary() const override {
    return "computes in float what a kernel over floats computes in double";
  }

  std::vector<json> parameters(const KernelView&) const override { return {json::object()}; }

  std::optional<Refusal> apply(const KernelView& kernel, const json&, Draft& draft) const override {
    TextEdits edits;
    if (auto refusal = Narrowing(kernel).narrow(edits)) return refusal;
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& single_precision() {
  static const SinglePrecision transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
