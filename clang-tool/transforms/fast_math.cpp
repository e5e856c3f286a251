// Device intrinsics in place of float functions and divisions: a few last places less exact, which
// the trial's tolerance judges, and often a multiple cheaper. What they change must decide nothing.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <algorithm>
#include <map>

#include "clang-tool/system_header.h"
#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/rounded_values.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

bool is_float(clang::QualType type) {
  return type->isSpecificBuiltinType(clang::BuiltinType::Float);
}

/// What stands for a call's name and, where more is needed, after its last parenthesis. HIP and
/// CUDA both have these.
struct Intrinsic {
  std::string name, after;
};

const Intrinsic* intrinsic_for(const clang::CallExpr& call) {
  static const Intrinsic tanh{"(1.0f - __fdividef(2.0f, __expf(2.0f * ", ") + 1.0f))"};
  static const std::map<std::string, Intrinsic> known = {{"exp", {"__expf", ""}},
                                                         {"expf", {"__expf", ""}},
                                                         {"log", {"__logf", ""}},
                                                         {"logf", {"__logf", ""}},
                                                         {"log2", {"__log2f", ""}},
                                                         {"log2f", {"__log2f", ""}},
                                                         {"log10", {"__log10f", ""}},
                                                         {"log10f", {"__log10f", ""}},
                                                         {"sin", {"__sinf", ""}},
                                                         {"sinf", {"__sinf", ""}},
                                                         {"cos", {"__cosf", ""}},
                                                         {"cosf", {"__cosf", ""}},
                                                         {"pow", {"__powf", ""}},
                                                         {"powf", {"__powf", ""}},
                                                         {"tanh", tanh},
                                                         {"tanhf", tanh}};
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || callee->getIdentifier() == nullptr || !is_float(call.getType()))
    return nullptr;
  // A project's own function may do anything under such a name.
  if (!is_in_system_header(*callee)) return nullptr;
  const auto found = known.find(callee->getName().str());
  const bool floats =
      std::ranges::all_of(callee->parameters(), [](const clang::ParmVarDecl* parameter) {
        return is_float(parameter->getType().getCanonicalType());
      });
  return found == known.end() || !floats ? nullptr : &found->second;
}

/// CUDA's __fdividef is zero for divisors above 2^126 (CUDA C++ Programming Guide, "Intrinsic
/// Functions"), which 1 + exp(x) reaches: scaled, the largest divisors are below that.
enum class Divisions { exact, plain, scaled };

std::optional<Divisions> divisions_of(const json& parameters) {
  const json value = parameters.value("divisions", json());
  if (value == false) return Divisions::exact;
  if (value == true) return Divisions::plain;
  if (value == "scaled") return Divisions::scaled;
  return std::nullopt;
}

class Replacing {
 public:
  Replacing(const KernelView& kernel, Divisions divisions)
      : kernel_(kernel), divisions_(divisions) {}

  std::optional<Refusal> write(TextEdits& edits) {
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
      const auto* expression = llvm::dyn_cast<clang::Expr>(&node);
      if (expression == nullptr) return true;
      if (as_launch_index(*expression)) return false;
      const auto* call = llvm::dyn_cast<clang::CallExpr>(expression);
      const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expression);
      const bool replaced =
          (call != nullptr && replace(*call, edits)) ||
          (divisions_ != Divisions::exact && binary != nullptr && replace(*binary, edits));
      if (replaced) rounded_.push_back(expression);
      return true;
    });
    if (rounded_.empty()) return Refusal{"the kernel has no float function or division to replace"};
    return decided_by(kernel_, rounded_);
  }

 private:
  bool replace(const clang::CallExpr& call, TextEdits& edits) const {
    const Intrinsic* intrinsic = intrinsic_for(call);
    const auto name = kernel_.source.range(*call.getCallee());
    const auto whole = kernel_.source.range(call);
    if (intrinsic == nullptr || !name || !whole) return false;
    edits.replace(*name, intrinsic->name);
    if (!intrinsic->after.empty()) edits.insert(whole->end, intrinsic->after);
    return true;
  }

  bool replace(const clang::BinaryOperator& division, TextEdits& edits) const {
    const clang::ASTContext& context = kernel_.unit.context();
    const bool assigns = division.getOpcode() == clang::BO_DivAssign;
    if ((division.getOpcode() != clang::BO_Div && !assigns) ||
        !is_float(division.getLHS()->getType().getCanonicalType()) ||
        !is_float(division.getRHS()->getType().getCanonicalType()) ||
        division.getRHS()->isEvaluatable(context))
      return false;
    if (assigns && (as_variable(*division.getLHS()) == nullptr ||
                    !is_float(llvm::cast<clang::CompoundAssignOperator>(division)
                                  .getComputationResultType()
                                  .getCanonicalType())))
      return false;
    const auto left = kernel_.source.range(*division.getLHS());
    const auto right = kernel_.source.range(*division.getRHS());
    const auto at = kernel_.source.offset(division.getOperatorLoc());
    if (!left || !right || !at) return false;
    const bool scaled = divisions_ == Divisions::scaled;
    const std::string begin = scaled ? "__fdividef(0.25f * (" : "__fdividef(";
    const std::string comma = scaled ? "), 0.25f * (" : ",";
    if (assigns) {
      edits.replace({*at, *at + 2}, "= " + begin + kernel_.source.text(*left) + comma);
    } else {
      edits.insert(left->begin, begin);
      edits.replace({*at, *at + 1}, comma);
    }
    edits.insert(right->end, scaled ? "))" : ")");
    return true;
  }

  const KernelView& kernel_;
  Divisions divisions_;
  std::vector<const clang::Expr*> rounded_;
};

class FastMath final : public Transform {
 public:
  std::string name() const override { return "fast_math"; }
  Axis axis() const override { return Axis::compute; }
  std::string summary() const override {
    return "computes float functions and divisions by less exact device intrinsics";
  }

  /// {"divisions": true, false or "scaled"}
  std::vector<json> parameters(const KernelView& kernel) const override {
    std::vector<json> choices;
    for (const json& divisions : {json(true), json("scaled"), json(false)}) {
      const json choice = {{"divisions", divisions}};
      TextEdits scratch;
      if (!Replacing(kernel, *divisions_of(choice)).write(scratch)) choices.push_back(choice);
    }
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto divisions = divisions_of(parameters);
    if (!divisions) return Refusal{"\"divisions\" must be true, false or \"scaled\""};
    TextEdits edits;
    if (auto refusal = Replacing(kernel, *divisions).write(edits)) return refusal;
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& fast_math() {
  static const FastMath transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
