#include "clang-tool/transforms/side_by_side.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <bit>

namespace geak::clang_tool::transforms {
namespace {

constexpr unsigned deepest = 16;
using Narrow = RoundElement::Narrow;

/// A value of this type can be held in a register copy that is loaded and stored as bytes.
bool is_plain_data(clang::QualType type, const clang::ASTContext& context) {
  if (type->isArithmeticType() || type->isPointerType()) return true;
  const auto* record = type->getAsCXXRecordDecl();
  return record != nullptr && record->hasDefinition() && type.isTriviallyCopyableType(context) &&
         record->hasTrivialDefaultConstructor();
}

}  // namespace

std::string SideBySide::type_text(clang::QualType type) const {
  return type.getCanonicalType().getUnqualifiedType().getAsString(
      kernel_.unit.context().getPrintingPolicy());
}

const clang::Expr* SideBySide::own_value(const clang::VarDecl& variable) const {
  const bool kept = rounds_.is_own(kernel_, variable) && variable.hasInit() &&
                    !variable.getType()->isReferenceType() && !may_change(kernel_.body(), variable);
  return kept ? variable.getInit() : nullptr;
}

/// Neither the round nor what it does changes the value.
bool SideBySide::stays(const clang::Expr& expression, unsigned depth) const {
  if (depth > deepest || !is_pure(expression, kernel_.unit.context())) return false;
  bool plain = true;
  walk(expression, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
      return false;
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node);
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node);
    plain = plain && !llvm::isa<clang::ArraySubscriptExpr, clang::CallExpr>(&node) &&
            !(unary != nullptr && unary->getOpcode() == clang::UO_Deref) &&
            !(member != nullptr && member->isArrow());
    return plain;
  });
  return plain && std::ranges::all_of(variables_in(expression), [&](const clang::VarDecl* used) {
           if (used == rounds_.variable) return false;
           if (used->hasAttr<clang::CUDASharedAttr>()) return used->getType()->isArrayType();
           if (!rounds_.is_own(kernel_, *used))
             return std::ranges::none_of(rounds_.body, [&](const clang::Stmt* statement) {
               return may_change(*statement, *used);
             });
           const clang::Expr* value = own_value(*used);
           return value != nullptr && stays(*value, depth + 1);
         });
}

void SideBySide::note_wrap(const clang::Expr& expression, std::vector<Narrow>& narrow) const {
  const auto zero = text(expression, "0", 0);
  const bool is_signed = expression.getType()->isSignedIntegerType();
  // What has no text counts as a value next to the limit: the address then never qualifies.
  narrow.push_back(
      {"(unsigned)(" + zero.value_or("-1") + ")", is_signed ? 0x80000000u : 0x100000000u});
}

SideBySide::Slope SideBySide::slope_of_sum(const clang::Expr& left, const clang::Expr& right,
                                           bool minus, std::vector<Narrow>& narrow,
                                           unsigned depth) const {
  const Slope a = slope(left, narrow, depth + 1);
  const Slope b = slope(right, narrow, depth + 1);
  if (a == Slope::other || b == Slope::other || (minus && b != Slope::none)) return Slope::other;
  if (a == Slope::one && b == Slope::one) return Slope::other;
  return a == Slope::one ? a : b;
}

SideBySide::Slope SideBySide::slope(const clang::Expr& expression, std::vector<Narrow>& narrow,
                                    unsigned depth) const {
  if (depth > deepest) return Slope::other;
  if (stays(expression, depth)) return Slope::none;
  const clang::ASTContext& context = kernel_.unit.context();
  if (const auto* paren = llvm::dyn_cast<clang::ParenExpr>(&expression))
    return slope(*paren->getSubExpr(), narrow, depth + 1);
  if (const auto* full = llvm::dyn_cast<clang::FullExpr>(&expression))
    return slope(*full->getSubExpr(), narrow, depth + 1);
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&expression)) {
    const clang::Expr& inner = *cast->getSubExpr();
    if (cast->getCastKind() == clang::CK_LValueToRValue || cast->getCastKind() == clang::CK_NoOp)
      return slope(inner, narrow, depth + 1);
    const std::uint64_t bits = context.getTypeSize(cast->getType());
    if (cast->getCastKind() != clang::CK_IntegralCast ||
        bits < context.getTypeSize(inner.getType()))
      return Slope::other;
    // From one sign to the other in 32 bits, what lies beyond moves to the other end.
    if (bits == 32 &&
        cast->getType()->isSignedIntegerType() != inner.getType()->isSignedIntegerType())
      note_wrap(expression, narrow);
    return slope(inner, narrow, depth + 1);
  }
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&expression)) {
    if (!binary->isAdditiveOp()) return Slope::other;
    if (binary->getType()->isUnsignedIntegerType() && context.getTypeSize(binary->getType()) == 32)
      note_wrap(expression, narrow);
    return slope_of_sum(*binary->getLHS(), *binary->getRHS(), binary->getOpcode() == clang::BO_Sub,
                        narrow, depth);
  }
  const clang::VarDecl* variable = as_variable(expression);
  if (variable == nullptr) return Slope::other;
  if (variable == rounds_.variable) return Slope::one;
  const clang::Expr* value = own_value(*variable);
  return value == nullptr ? Slope::other : slope(*value, narrow, depth + 1);
}

SideBySide::Slope SideBySide::slope_of_pointer(const clang::Expr& pointer,
                                               std::vector<Narrow>& narrow, unsigned depth) const {
  if (depth > deepest) return Slope::other;
  const clang::Expr* plain = pointer.IgnoreParenImpCasts();
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(plain)) {
    const bool left = binary->getLHS()->getType()->isPointerType();
    const clang::Expr& base = left ? *binary->getLHS() : *binary->getRHS();
    const clang::Expr& offset = left ? *binary->getRHS() : *binary->getLHS();
    if (!binary->isAdditiveOp() || !offset.getType()->isIntegerType()) return Slope::other;
    const Slope a = slope_of_pointer(base, narrow, depth + 1);
    const Slope b = slope(offset, narrow, depth + 1);
    const bool minus = binary->getOpcode() == clang::BO_Sub;
    if (a == Slope::other || b == Slope::other || (minus && b == Slope::one)) return Slope::other;
    if (a == Slope::one && b == Slope::one) return Slope::other;
    return a == Slope::one ? a : b;
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(plain)) {
    const auto* element =
        llvm::dyn_cast<clang::ArraySubscriptExpr>(unary->getSubExpr()->IgnoreParens());
    if (unary->getOpcode() != clang::UO_AddrOf || element == nullptr) return Slope::other;
    const Slope a = slope_of_pointer(*element->getBase(), narrow, depth + 1);
    const Slope b = slope(*element->getIdx(), narrow, depth + 1);
    if (a == Slope::other || b == Slope::other || a == b) return a == b ? a : Slope::other;
    return Slope::one;
  }
  const clang::VarDecl* variable = as_variable(*plain);
  if (variable == nullptr || variable->getType()->isReferenceType()) return Slope::other;
  if (const clang::Expr* value = own_value(*variable))
    return slope_of_pointer(*value, narrow, depth + 1);
  return stays(*plain, depth) ? Slope::none : Slope::other;
}

std::optional<std::string> SideBySide::text(const clang::Expr& expression,
                                            const std::string& number, unsigned depth) const {
  const auto range = kernel_.source.range(expression);
  if (!range || depth > deepest) return std::nullopt;
  TextEdits edits;
  bool all = true;
  walk(expression, [&](const clang::Stmt& node, const Ancestors&) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    if (reference == nullptr) return all;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (variable == nullptr) return all;
    std::optional<std::string> value;
    if (variable == rounds_.variable) {
      value = number;
    } else if (rounds_.is_own(kernel_, *variable)) {
      const clang::Expr* begin = own_value(*variable);
      value = begin == nullptr ? std::nullopt : text(*begin, number, depth + 1);
    } else {
      return all;
    }
    const auto at = kernel_.source.range(node);
    if (at && value)
      edits.replace(*at, "((" + type_text(variable->getType()) + ")(" + *value + "))");
    else
      all = false;
    return all;
  });
  if (!all) return std::nullopt;
  return edits.apply(kernel_.source.text(), *range);
}

std::optional<RoundElement> SideBySide::element(const MemoryAccess& access) const {
  const clang::ASTContext& context = kernel_.unit.context();
  RoundElement found;
  const auto* call = llvm::dyn_cast<clang::CallExpr>(access.place);
  found.type = (call != nullptr ? call->getType() : access.place->getType()).getCanonicalType();
  found.type = found.type.getUnqualifiedType();
  if (found.type->isDependentType() || !is_plain_data(found.type, context)) return std::nullopt;
  found.bytes = static_cast<std::uint64_t>(context.getTypeSizeInChars(found.type).getQuantity());
  if (!std::has_single_bit(found.bytes)) return std::nullopt;
  const Slope base = slope_of_pointer(*access.address, found.narrow, 0);
  const Slope index = access.index == nullptr ? Slope::none : slope(*access.index, found.narrow, 0);
  const bool one =
      (base == Slope::one && index == Slope::none) || (base == Slope::none && index == Slope::one);
  found.key = address(access, "geak_number");
  std::erase(found.key, ' ');
  if (!one || found.key.empty()) return std::nullopt;
  return found;
}

std::string SideBySide::address(const MemoryAccess& access, const std::string& number) const {
  const auto base = text(*access.address, number, 0);
  const auto index = access.index == nullptr ? std::string("0") : text(*access.index, number, 0);
  if (!base || !index) return {};
  return "(" + *base + ") + (" + *index + ")";
}

std::optional<std::string> SideBySide::runs_at_all(const clang::ForStmt& loop) const {
  const auto counted = as_counted_loop(loop, kernel_.unit.context());
  if (!counted || counted->leaves || !stays(*counted->begin, 0) || !stays(*counted->end, 0))
    return std::nullopt;
  const auto begin = text(*counted->begin, "0", 0), end = text(*counted->end, "0", 0);
  if (!begin || !end) return std::nullopt;
  return "(" + type_text(counted->variable->getType()) + ")(" + *begin + ") " +
         (counted->end_included ? "<=" : "<") + " (" + *end + ")";
}

}  // namespace geak::clang_tool::transforms
