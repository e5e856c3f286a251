#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/transforms/item_copies.h"
#include "clang-tool/transforms/team_loops.h"

namespace geak::clang_tool::transforms {
namespace {

// Before each shuffle, where branches may have parted the work-items of a wave on NVIDIA's GPUs.
const std::string in_step = "__builtin_amdgcn_wave_barrier();\n";

}  // namespace

TeamLoopText::TeamLoopText(const KernelView& kernel, const TeamLoop& loop, unsigned team,
                           std::string lane, unsigned number)
    : kernel_(kernel),
      loop_(loop),
      team_(team),
      lane_(std::move(lane)),
      suffix_(std::to_string(number)) {}

std::string TeamLoopText::name(const std::string& what) const {
  return "geak_" + what + lane_.substr(std::string("geak_lane").size()) + "_" + suffix_;
}

std::string TeamLoopText::type_text(clang::QualType type) const {
  return type.getCanonicalType().getUnqualifiedType().getAsString(
      kernel_.unit.context().getPrintingPolicy());
}

/// A work-item's part of a sum; what can be gathered twice needs none.
std::string TeamLoopText::share(const Accumulation& one) const {
  const std::string variable = one.variable->getNameAsString();
  return one.is_idempotent() ? variable : name("share") + "_" + variable;
}

/// Signed integers wrap here: a part may pass what the whole does not reach.
std::string TeamLoopText::share_type(const Accumulation& one) const {
  const clang::QualType type = one.variable->getType();
  if (one.is_idempotent() || !type->isSignedIntegerType()) return type_text(type);
  return type_text(kernel_.unit.context().getCorrespondingUnsignedType(
      type.getCanonicalType().getUnqualifiedType()));
}

std::string TeamLoopText::when(const Accumulation& one) const {
  return name("when") + "_" + one.variable->getNameAsString();
}

std::string TeamLoopText::before() const {
  std::string text;
  for (const Accumulation& one : loop_.gathered) {
    if (!one.is_idempotent())
      text += share_type(one) + " " + share(one) + " = " +
              (one.combination == Combination::product ? "1" : "0") + ";\n";
    if (!one.noted.empty())
      text += "unsigned long long " + when(one) + " = " + (one.last ? "0ull" : "~0ull") + ";\n";
  }
  return text;
}

/// The rounds of a work-item: neighbouring ones are for neighbours. They are counted in 64 bits, in
/// which nothing wraps at the end.
std::optional<std::string> TeamLoopText::rounds() const {
  const auto& compared =
      llvm::cast<clang::BinaryOperator>(stripped(*loop_.loop.statement->getCond()));
  const clang::QualType type = compared.getLHS()->getType();
  const std::string counter =
      type->isSignedIntegerOrEnumerationType() ? "long long" : "unsigned long long";
  const std::string variable = loop_.loop.variable->getNameAsString();
  const std::string own_type = type_text(loop_.loop.variable->getType());
  const std::string begin = kernel_.source.text(*loop_.loop.begin);
  const std::string end = kernel_.source.text(*loop_.loop.end);
  const auto work = body();
  if (begin.empty() || end.empty() || !work) return std::nullopt;
  const std::string cast = "(" + counter + ")(" + type_text(type) + ")(";
  const std::string step = std::to_string(loop_.loop.step);
  return "const " + counter + " " + name("end") + " = " + cast + end + ");\nfor (" + counter + " " +
         name("at") + " = " + cast + "(" + own_type + ")(" + begin + ")) + " + lane_ +
         (loop_.loop.step == 1 ? "" : " * " + step + "u") + "; " + name("at") +
         (loop_.loop.end_included ? " <= " : " < ") + name("end") + "; " + name("at") +
         " += " + std::to_string(loop_.loop.step * team_) + ") {\nconst " + own_type + " " +
         variable + " = (" + own_type + ")" + name("at") + ";\n(void)" + variable + ";\n" + *work +
         "\n}\n";
}

/// The body over the work-item's own parts, which notes when it took a better value.
std::optional<std::string> TeamLoopText::body() const {
  const clang::Stmt& body = *loop_.loop.statement->getBody();
  const auto range = kernel_.source.statement_range(body);
  if (!range) return std::nullopt;
  TextEdits edits;
  bool all = true;
  walk(body, [&](const clang::Stmt& node, const Ancestors&) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    for (const Accumulation& one : loop_.gathered) {
      if (reference == nullptr || reference->getDecl() != one.variable) continue;
      const auto place = kernel_.source.range(node);
      all = all && place;
      if (place) edits.replace(*place, share(one));
    }
    return all;
  });
  for (const Accumulation& one : loop_.gathered) {
    if (one.noted.empty()) continue;
    const auto taken =
        kernel_.source.statement_range(*llvm::cast<clang::IfStmt>(one.places.front())->getThen());
    if (!taken) return std::nullopt;
    // Numbers of either sign grow on when the lowest becomes 0; 0 is for none.
    const auto& compared =
        llvm::cast<clang::BinaryOperator>(stripped(*loop_.loop.statement->getCond()));
    const bool is_signed = compared.getLHS()->getType()->isSignedIntegerOrEnumerationType();
    edits.insert(taken->begin, "{\n" + when(one) + " = (unsigned long long)" + name("at") +
                                   (is_signed ? " + 0x8000000000000000ull" : "") +
                                   (one.last ? " + 1ull" : "") + ";\n");
    edits.insert(taken->end, "\n}");
  }
  if (!all) return std::nullopt;
  return edits.apply(kernel_.source.text(), *range);
}

std::string TeamLoopText::combined(const Accumulation& one) const {
  const std::string a = share(one), b = "geak_other";
  switch (one.combination) {
    case Combination::sum:
      return a + " + " + b;
    case Combination::product:
      return a + " * " + b;
    case Combination::all_bits:
      return a + " & " + b;
    case Combination::any_bits:
      return a + " | " + b;
    case Combination::odd_bits:
      return a + " ^ " + b;
    case Combination::least:
    case Combination::greatest:
      break;
  }
  if (!one.function.empty()) return "::" + one.function + "(" + a + ", " + b + ")";
  return b + (one.combination == Combination::least ? " < " : " > ") + a + " ? " + b + " : " + a;
}

/// Of two work-items the one that found the better value, of equal ones who did so first or last.
std::string TeamLoopText::choice(const Accumulation& one, const std::string& shuffle) const {
  const std::string best = one.variable->getNameAsString();
  std::string text = "const unsigned long long geak_when = " + shuffle + "(" + when(one) +
                     ", (int)geak_far, 32);\n";
  std::string take = best + " = geak_other;\n" + when(one) + " = geak_when;\n";
  for (std::size_t i = 0; i < one.noted.size(); ++i) {
    const std::string variable = one.noted[i]->getNameAsString();
    const std::string other = "geak_noted_" + std::to_string(i);
    text += "const " + type_text(one.noted[i]->getType()) + " " + other + " = " + shuffle + "(" +
            variable + ", (int)geak_far, 32);\n";
    take += variable + " = " + other + ";\n";
  }
  return text + "if (geak_other" + (one.combination == Combination::least ? " < " : " > ") + best +
         " || (geak_other == " + best + " && geak_when" + (one.last ? " > " : " < ") + when(one) +
         ")) {\n" + take + "}\n";
}

std::string TeamLoopText::together() const {
  std::string text;
  for (const Accumulation& one : loop_.gathered) {
    text += "{\n" + in_step + "const " + share_type(one) + " geak_other = __shfl_xor(" +
            share(one) + ", (int)geak_far, 32);\n";
    text +=
        one.noted.empty() ? share(one) + " = " + combined(one) + ";\n" : choice(one, "__shfl_xor");
    text += "}\n";
  }
  if (text.empty()) return text;
  return "#pragma unroll\nfor (unsigned geak_far = " + std::to_string(team_ / 2) +
         "u; geak_far > 0u; geak_far /= 2u) {\n" + text + "}\n";
}

std::string TeamLoopText::after() const {
  std::string text;
  for (const Accumulation& one : loop_.gathered) {
    const std::string variable = one.variable->getNameAsString();
    // Comparisons call zeros of both signs equal: all go on with the first one's.
    if (one.is_extreme() && one.noted.empty() && one.variable->getType()->isFloatingType())
      text +=
          in_step + variable + " = __shfl(" + variable + ", 0, " + std::to_string(team_) + ");\n";
    if (one.is_idempotent()) continue;
    const std::string from = "(" + share_type(one) + ")" + variable;
    const char* operation = one.combination == Combination::sum       ? " + "
                            : one.combination == Combination::product ? " * "
                                                                      : " ^ ";
    text += variable + " = (" + type_text(one.variable->getType()) + ")(" + from + operation +
            share(one) + ");\n";
  }
  return text;
}

std::optional<std::string> TeamLoopText::text() const {
  const auto loop = rounds();
  if (!loop) return std::nullopt;
  return "{\n" + before() + *loop + together() + after() + "}\n";
}

}  // namespace geak::clang_tool::transforms
