#include "clang-tool/guard_reader.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecordLayout.h>

#include <bit>
#include <stdexcept>
#include <utility>

namespace geak::clang_tool {
namespace {

using support::GuardExpression;
using Op = GuardExpression::Op;
using Type = GuardExpression::Type;

/// Says what no reading was made of.
class Unreadable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool is_of_launch(const clang::ParmVarDecl& parameter) {
  return parameter.getName().starts_with("geak_");
}

/// How many parameters stand before the kernel's own.
unsigned parameters_of_launch(const clang::FunctionDecl& function) {
  unsigned count = 0;
  while (count < function.getNumParams() && is_of_launch(*function.getParamDecl(count))) ++count;
  return count;
}

class Reader {
 public:
  explicit Reader(const clang::ASTContext& context) : context_(context) {}

  GuardExpression read(const clang::Expr& written) const {
    const clang::Expr& expression = *written.IgnoreParens();
    if (auto constant = as_constant(expression)) return *constant;
    if (const auto* full = llvm::dyn_cast<clang::FullExpr>(&expression))
      return read(*full->getSubExpr());
    if (const auto* replaced = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(&expression))
      return read(*replaced->getReplacement());
    if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(&expression))
      return read(*temporary->getSubExpr());
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&expression)) return of_cast(*cast);
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&expression))
      return of_unary(*unary);
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&expression))
      return of_binary(*binary);
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&expression)) return of_call(*call);
    return of_value(expression);
  }

 private:
  Type type_of(const clang::Expr& expression) const {
    const clang::QualType type = expression.getType().getCanonicalType();
    if (type->isPointerType() || type->isNullPtrType()) return Type::pointer;
    if (type->isBooleanType()) return Type::boolean;
    const auto bits = type->isIncompleteType() ? 0 : context_.getTypeSize(type);
    if (type->isSpecificBuiltinType(clang::BuiltinType::Float)) return Type::f32;
    if (type->isSpecificBuiltinType(clang::BuiltinType::Double)) return Type::f64;
    if (type->isIntegralOrEnumerationType()) {
      const bool is_signed = type->isSignedIntegerOrEnumerationType();
      if (bits == 8) return is_signed ? Type::i8 : Type::u8;
      if (bits == 16) return is_signed ? Type::i16 : Type::u16;
      if (bits == 32) return is_signed ? Type::i32 : Type::u32;
      if (bits == 64) return is_signed ? Type::i64 : Type::u64;
    }
    throw Unreadable("it works on a value of type '" + type.getAsString() + "'");
  }

  /// Literals, sizeof, template arguments, constants of the unit.
  std::optional<GuardExpression> as_constant(const clang::Expr& expression) const {
    clang::Expr::EvalResult result;
    if (expression.isValueDependent() || !expression.EvaluateAsRValue(result, context_) ||
        result.HasSideEffects || result.HasUndefinedBehavior)
      return std::nullopt;
    if (result.Val.isInt()) {
      const auto& value = result.Val.getInt();
      const auto bits = value.isSigned() ? static_cast<std::uint64_t>(value.getSExtValue())
                                         : value.getZExtValue();
      return GuardExpression{Op::constant, type_of(expression), 0, bits, {}};
    }
    if (result.Val.isFloat()) {
      const Type type = type_of(expression);
      return GuardExpression{Op::constant,
                             type,
                             0,
                             std::bit_cast<std::uint64_t>(result.Val.getFloat().convertToDouble()),
                             {}};
    }
    return std::nullopt;
  }

  GuardExpression of_cast(const clang::CastExpr& cast) const {
    switch (cast.getCastKind()) {
      case clang::CK_LValueToRValue:
      case clang::CK_NoOp:
      case clang::CK_BitCast:
      case clang::CK_ConstructorConversion:
        return read(*cast.getSubExpr());
      case clang::CK_IntegralCast:
      case clang::CK_BooleanToSignedIntegral:
      case clang::CK_IntegralToBoolean:
      case clang::CK_IntegralToFloating:
      case clang::CK_FloatingToIntegral:
      case clang::CK_FloatingCast:
      case clang::CK_FloatingToBoolean:
      case clang::CK_PointerToIntegral:
      case clang::CK_PointerToBoolean:
      case clang::CK_IntegralToPointer:
        return {Op::convert, type_of(cast), 0, 0, {read(*cast.getSubExpr())}};
      case clang::CK_NullToPointer:
        return {Op::constant, Type::pointer, 0, 0, {}};
      default:
        throw Unreadable(std::string("it converts by ") + cast.getCastKindName());
    }
  }

  GuardExpression of_unary(const clang::UnaryOperator& unary) const {
    const auto of = [&](Op op) {
      return GuardExpression{op, type_of(unary), 0, 0, {read(*unary.getSubExpr())}};
    };
    switch (unary.getOpcode()) {
      case clang::UO_Plus:
        return read(*unary.getSubExpr());
      case clang::UO_Minus:
        return of(Op::negative);
      case clang::UO_LNot:
        return of(Op::logical_not);
      case clang::UO_Not:
        return of(Op::complement);
      default:
        throw Unreadable("it uses " + clang::UnaryOperator::getOpcodeStr(unary.getOpcode()).str());
    }
  }

  GuardExpression of_binary(const clang::BinaryOperator& binary) const {
    const clang::Expr &left = *binary.getLHS(), &right = *binary.getRHS();
    const auto pair = [&](Op op) {
      return GuardExpression{op, type_of(binary), 0, 0, {read(left), read(right)}};
    };
    const auto swapped = [&](Op op) {
      return GuardExpression{op, type_of(binary), 0, 0, {read(right), read(left)}};
    };
    const auto negated = [&](GuardExpression inner) {
      return GuardExpression{Op::logical_not, type_of(binary), 0, 0, {std::move(inner)}};
    };
    switch (binary.getOpcode()) {
      case clang::BO_Mul:
        return pair(Op::product);
      case clang::BO_Div:
        return pair(Op::quotient);
      case clang::BO_Rem:
        return pair(Op::remainder);
      case clang::BO_Add:
      case clang::BO_Sub:
        if (binary.getType()->isPointerType()) return moved(binary);
        if (left.getType()->isPointerType()) throw Unreadable("it takes the distance of pointers");
        return pair(binary.getOpcode() == clang::BO_Add ? Op::sum : Op::difference);
      case clang::BO_Shl:
        return pair(Op::shift_left);
      case clang::BO_Shr:
        return pair(Op::shift_right);
      case clang::BO_LT:
        return pair(Op::less);
      case clang::BO_GT:
        return swapped(Op::less);
      case clang::BO_LE:
        return pair(Op::at_most);
      case clang::BO_GE:
        return swapped(Op::at_most);
      case clang::BO_EQ:
        return pair(Op::equal);
      case clang::BO_NE:
        return negated(pair(Op::equal));
      case clang::BO_And:
        return pair(Op::bit_and);
      case clang::BO_Or:
        return pair(Op::bit_or);
      case clang::BO_Xor:
        return pair(Op::bit_xor);
      case clang::BO_LAnd:
        return pair(Op::all);
      case clang::BO_LOr:
        return pair(Op::any);
      default:
        throw Unreadable("it uses " + binary.getOpcodeStr().str());
    }
  }

  /// A pointer and so many elements, in bytes.
  GuardExpression moved(const clang::BinaryOperator& binary) const {
    const bool first = binary.getLHS()->getType()->isPointerType();
    const clang::Expr &pointer = first ? *binary.getLHS() : *binary.getRHS(),
                      &elements = first ? *binary.getRHS() : *binary.getLHS();
    const clang::QualType element = pointer.getType()->getPointeeType();
    if (element->isIncompleteType() || element->isFunctionType())
      throw Unreadable("it moves a pointer to what has no size");
    const auto bytes =
        static_cast<std::uint64_t>(context_.getTypeSizeInChars(element).getQuantity());
    GuardExpression offset{Op::convert, Type::i64, 0, 0, {read(elements)}};
    if (bytes != 1)
      offset = {Op::product,
                Type::i64,
                0,
                0,
                {std::move(offset), GuardExpression{Op::constant, Type::i64, 0, bytes, {}}}};
    return {binary.getOpcode() == clang::BO_Add ? Op::sum : Op::difference,
            Type::pointer,
            0,
            0,
            {read(pointer), std::move(offset)}};
  }

  GuardExpression of_call(const clang::CallExpr& call) const {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    const auto* space = callee == nullptr
                            ? nullptr
                            : llvm::dyn_cast<clang::NamespaceDecl>(callee->getDeclContext());
    const bool own = space != nullptr && space->getName() == "geak_swap" && call.getNumArgs() == 2;
    const auto name = own ? callee->getName() : "";
    if (name != "apart" && name != "readable")
      throw Unreadable("it calls " +
                       (callee == nullptr ? "a function" : callee->getNameAsString()));
    return {name == "apart" ? Op::apart : Op::readable,
            Type::boolean,
            0,
            0,
            {read(*call.getArg(0)), read(*call.getArg(1))}};
  }

  /// A parameter, or a member of one.
  GuardExpression of_value(const clang::Expr& expression) const {
    std::uint64_t offset = 0;
    std::string member;
    const clang::Expr* at = &expression;
    while (const auto* access = llvm::dyn_cast<clang::MemberExpr>(at)) {
      const auto* field = llvm::dyn_cast<clang::FieldDecl>(access->getMemberDecl());
      if (access->isArrow() || field == nullptr || field->isBitField())
        throw Unreadable("it reads memory");
      const auto& layout = context_.getASTRecordLayout(field->getParent());
      offset += layout.getFieldOffset(field->getFieldIndex()) / 8;
      member = field->getNameAsString();
      at = access->getBase()->IgnoreParens();
      while (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(at)) {
        if (cast->getCastKind() != clang::CK_NoOp &&
            cast->getCastKind() != clang::CK_LValueToRValue)
          throw Unreadable("it reads a member of a base");
        at = cast->getSubExpr()->IgnoreParens();
      }
    }
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(at);
    if (reference == nullptr) throw Unreadable("it holds " + std::string(at->getStmtClassName()));
    const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(reference->getDecl());
    if (parameter == nullptr)
      throw Unreadable("it reads '" + reference->getDecl()->getNameAsString() +
                       "', which is neither an argument nor a constant");
    return of_parameter(*parameter, type_of(expression), offset, member);
  }

  GuardExpression of_parameter(const clang::ParmVarDecl& parameter, Type type, std::uint64_t offset,
                               const std::string& member) const {
    const auto& function = *llvm::cast<clang::FunctionDecl>(parameter.getDeclContext());
    const unsigned before = parameters_of_launch(function);
    if (parameter.getFunctionScopeIndex() >= before)
      return {Op::argument, type, parameter.getFunctionScopeIndex() - before, offset, {}};
    const auto name = parameter.getName();
    if (name == "geak_lds") return {Op::dynamic_lds, type, 0, 0, {}};
    const auto axis = std::string_view("xyz").find(member);
    if ((name != "geak_grid" && name != "geak_block") || member.size() != 1 ||
        axis == std::string_view::npos)
      throw Unreadable("it reads '" + name.str() + "'");
    return {
        name == "geak_grid" ? Op::grid : Op::block, type, static_cast<std::uint32_t>(axis), 0, {}};
  }

  const clang::ASTContext& context_;
};

}  // namespace

GuardReading read_guard(const clang::Expr& condition, const clang::ASTContext& context) {
  if (condition.isInstantiationDependent() || condition.containsErrors())
    return {std::nullopt, "it has no meaning for this instantiation"};
  try {
    return {Reader(context).read(condition), {}};
  } catch (const Unreadable& why) {
    return {std::nullopt, why.what()};
  }
}

}  // namespace geak::clang_tool
