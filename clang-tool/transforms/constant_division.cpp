// Divisions by what stays the same for a launch (a parameter, the workgroup's size). GPUs have no
// instruction for them: each costs a dozen or two. Here the divisor's reciprocal is worked out once
// where the kernel begins, and a quotient is a conversion, a product and a conversion:
//
//   q = trunc(n * r), with r = (1 + 2^-40) / d as doubles,
//
// which is exact for every n of 32 bits, signed or not, and every d but 0: errors of the division
// and the product are below 2^-50 of the value, so n * r lies between n / d and n / d * (1 + 2^-39)
// in magnitude; the former is never below a whole quotient, and the latter never reaches the next
// one, which is at least 1 / d away, more than n / d * 2^-39 for n up to 2^32. Divisions that are
// less than exact (-ffast-math) stay within the same bounds. Where the divisor was always a power
// of two, shifts and masks do, under a guard that it is one.
//
// A multiplier for the upper half of an integer product (Granlund and Montgomery) was not taken: it
// costs a division of 64 bits where the kernel begins, a sum more for numerators of 32 bits, and
// three more for signed ones; and the GPUs that this is for work on doubles at full rate.
//
// Sizes of 64 bits are divided like those of 32 where the numerator is known to fit.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/launch_constants.h"
#include "clang-tool/transforms/value_limits.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

constexpr std::uint32_t numerator_limit = 0xffffffff;
constexpr std::size_t longest_numerator = 2000;

bool is_quotient(clang::BinaryOperatorKind operation) {
  return operation == clang::BO_Div || operation == clang::BO_DivAssign;
}

bool divides(clang::BinaryOperatorKind operation) {
  return is_quotient(operation) || operation == clang::BO_Rem || operation == clang::BO_RemAssign;
}

/// `n / d`, `n % d`, `n /= d` or `n %= d`.
struct Division {
  const clang::BinaryOperator* node;
  const clang::CompoundAssignOperator* assignment;  ///< or null
  clang::QualType type;                             ///< in which it is worked out
  LaunchConstant divisor;

  bool is_signed() const { return type->isSignedIntegerType(); }
};

bool was_power_of_two(const LaunchConstant& divisor) {
  return !divisor.host.empty() && !divisor.seen.empty() &&
         std::ranges::all_of(divisor.seen, [](std::int64_t value) {
           return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
         });
}

/// Divisions whose divisor is known where the kernel begins, outermost first.
std::vector<Division> divisions_of(const KernelView& kernel) {
  const clang::ASTContext& context = kernel.unit.context();
  std::vector<Division> found;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors&) {
    if (llvm::isa<clang::LambdaExpr>(&node)) return false;
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node);
    if (binary == nullptr || !divides(binary->getOpcode())) return true;
    const auto* assignment = llvm::dyn_cast<clang::CompoundAssignOperator>(binary);
    const clang::QualType type =
        assignment == nullptr ? binary->getType() : assignment->getComputationResultType();
    const clang::Expr& divisor = *binary->getRHS();
    const bool integers = type->isIntegerType() && divisor.getType()->isIntegerType() &&
                          binary->getLHS()->getType()->isIntegerType();
    if (!integers || context.getTypeSize(type) < 32 || context.getTypeSize(type) > 64 ||
        constant_value(divisor, context))
      return true;
    if (auto constant = launch_constant(kernel, divisor))
      found.push_back(
          {binary, assignment, type.getCanonicalType().getUnqualifiedType(), std::move(*constant)});
    return true;
  });
  return found;
}

class Divider {
 public:
  Divider(const KernelView& kernel, Draft& draft)
      : kernel_(kernel), draft_(draft), limits_(kernel, draft) {
    while (draft.text.find("geak_divisor" + std::to_string(first_)) != std::string::npos) ++first_;
  }

  std::optional<Refusal> apply(bool by_shifts, bool by_reciprocals) {
    auto divisions = divisions_of(kernel_);
    if (divisions.empty()) return Refusal{"nothing is divided by a value of the launch"};
    // What stands within a numerator comes first, so that the numerator's text has it.
    std::ranges::reverse(divisions);
    for (const Division& division : divisions) {
      const bool shifts = by_shifts && was_power_of_two(division.divisor);
      if (shifts || by_reciprocals) rewrite(division, shifts);
    }
    if (edits_.empty())
      return Refusal{problem_.empty() ? "no divisor was always a power of two" : problem_};
    const auto body = kernel_.source.range(kernel_.body());
    if (!body) return Refusal{"the kernel's body comes out of a macro"};
    edits_.insert(body->begin + 1, "\n" + definitions_);
    draft_.text = edits_.apply(kernel_.source.text(), kernel_.text);
    limits_.require(draft_);
    for (const std::string& guard : guards_) draft_.require(guard);
    return std::nullopt;
  }

 private:
  std::string name_of(clang::QualType type) const {
    return type.getAsString(kernel_.unit.context().getPrintingPolicy());
  }

  unsigned bits(clang::QualType type) const {
    return static_cast<unsigned>(kernel_.unit.context().getTypeSize(type));
  }

  void rewrite(const Division& division, bool shifts) {
    const auto range = kernel_.source.range(*division.node);
    const auto numerator = kernel_.source.range(*division.node->getLHS());
    if (!range || !numerator) {
      problem_ = "the division stands within a macro";
      return;
    }
    const std::string plain = edits_.apply(kernel_.source.text(), *numerator);
    const bool once =
        !shifts && division.assignment == nullptr && is_quotient(division.node->getOpcode());
    if (!once && !is_pure(*division.node->getLHS(), kernel_.unit.context())) {
      problem_ = "a numerator has effects";
      return;
    }
    if (plain.size() > longest_numerator) {
      problem_ = "a numerator would be too long";
      return;
    }
    const std::string value = "(" + name_of(division.type) + ")(" + plain + ")";
    auto result = shifts ? shifted(division, value) : multiplied(division, value);
    if (!result) return;
    if (division.assignment != nullptr) result = "(" + plain + " = " + *result + ")";
    edits_.replace(*range, *result);
    keep_unused(division);
  }

  /// A variable that only the divisor named is not used any more, which is no fault of its author.
  void keep_unused(const Division& division) {
    for (const clang::VarDecl* variable : variables_in(*division.node->getRHS())) {
      const auto begin = kernel_.source.offset(variable->getOuterLocStart());
      if (variable->isLocalVarDecl() && begin && unused_.insert(*begin).second)
        edits_.insert(*begin, "__attribute__((unused)) ");
    }
  }

  std::optional<std::string> shifted(const Division& division, const std::string& n) {
    const std::string number = defined(division, true);
    const std::string shift = "geak_shift" + number, mask = "geak_mask" + number;
    const bool quotient = is_quotient(division.node->getOpcode());
    if (!division.is_signed() || limits_.most(*division.node->getLHS()))
      return quotient ? "(" + n + " >> " + shift + ")" : "(" + n + " & " + mask + ")";
    // Towards zero: of what is negative, all but the rest of the last whole divisor.
    const std::string sum = "(" + n + " + (" + n + " >> " +
                            std::to_string(bits(division.type) - 1) + " & " + mask + "))";
    return quotient ? "(" + sum + " >> " + shift + ")"
                    : "(" + n + " - (" + sum + " & ~" + mask + "))";
  }

  std::optional<std::string> multiplied(const Division& division, const std::string& n) {
    const std::string type = name_of(division.type);
    const bool wide = bits(division.type) == 64;
    if (wide) {
      if (division.is_signed() && division.divisor.host.empty()) {
        problem_ = "the host cannot tell whether a divisor of 64 bits is negative";
        return std::nullopt;
      }
      if (!limits_.at_most(*division.node->getLHS(), numerator_limit)) {
        problem_ = "a numerator of 64 bits may need them";
        return std::nullopt;
      }
      if (division.is_signed()) guards_.push_back("(" + division.divisor.host + ") > 0");
    }
    const std::string number = defined(division, false);
    const std::string narrow = wide ? "(unsigned)" + n : n;
    const std::string quotient = "(" + std::string(wide ? "unsigned" : type) + ")((double)" +
                                 narrow + " * geak_reciprocal" + number + ")";
    const std::string cast = wide ? "(" + type + ")" : "";
    if (is_quotient(division.node->getOpcode())) return "(" + cast + quotient + ")";
    const std::string divisor = (wide ? "(unsigned)" : "") + std::string("geak_divisor") + number;
    return "(" + cast + "(" + narrow + " - " + quotient + " * " + divisor + "))";
  }

  /// The number of the constants for a divisor, which it defines where they are not yet.
  std::string defined(const Division& division, bool shifts) {
    const std::string type = name_of(division.type);
    const std::string value = "(" + type + ")(" + division.divisor.text + ")";
    const auto [at, is_new] = numbers_.try_emplace({value, shifts}, first_ + numbers_.size());
    const std::string number = std::to_string(at->second);
    if (!is_new) return number;
    const std::string divisor = "geak_divisor" + number;
    definitions_ += "const " + type + " " + divisor + " = " + value + ";\n";
    if (!shifts) {
      definitions_ += "const double geak_reciprocal" + number +
                      " = 1.0000000000009094947017729282379150390625 / (double)" + divisor + ";\n";
      return number;
    }
    const bool wide = bits(division.type) == 64;
    definitions_ += "__attribute__((unused)) const int geak_shift" + number + " = " +
                    (wide ? "__ffsll((long long)" : "__ffs((int)") + divisor +
                    ") - 1;\n__attribute__((unused)) const " + type + " geak_mask" + number +
                    " = " + divisor + " - 1;\n";
    const std::string host = "(" + division.divisor.host + ")";
    guards_.push_back(host + " > 0");
    guards_.push_back("(" + host + " & (" + host + " - 1)) == 0");
    return number;
  }

  const KernelView& kernel_;
  Draft& draft_;
  ValueLimits limits_;
  TextEdits edits_;
  std::map<std::pair<std::string, bool>, std::size_t> numbers_;
  std::size_t first_ = 0;  ///< numbers below are an earlier step's
  std::string definitions_, problem_;
  std::vector<std::string> guards_;
  std::set<unsigned> unused_;  ///< where declarations begin
};

class ConstantDivision final : public Transform {
 public:
  std::string name() const override { return "constant_division"; }
  Axis axis() const override { return Axis::compute; }
  std::string summary() const override {
    return "divides by values of the launch with their reciprocals, or by shifts";
  }

  /// {"powers_of_two": true, "others": true}
  std::vector<json> parameters(const KernelView& kernel) const override {
    const auto divisions = divisions_of(kernel);
    if (divisions.empty()) return {};
    const auto powers = std::ranges::count_if(
        divisions, [](const Division& division) { return was_power_of_two(division.divisor); });
    const bool some = powers > 0, all = powers == std::ssize(divisions);
    std::vector<json> choices{{{"powers_of_two", some}, {"others", !all}}};
    if (some) choices.push_back({{"powers_of_two", false}, {"others", true}});
    if (some && !all) choices.push_back({{"powers_of_two", true}, {"others", false}});
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    return Divider(kernel, draft)
        .apply(parameters.value("powers_of_two", true), parameters.value("others", true));
  }
};

}  // namespace

const Transform& constant_division() {
  static const ConstantDivision transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
