#include "clang-tool/transforms/loop_text.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

#include "clang-tool/system_header.h"

namespace geak::clang_tool::transforms {

std::string LoopText::type() const {
  return loop_.variable->getType().getCanonicalType().getUnqualifiedType().getAsString(
      kernel_.unit.context().getPrintingPolicy());
}

std::optional<std::string> LoopText::condition(const std::string& variable) const {
  const clang::Expr& condition = *loop_.statement->getCond();
  const auto range = kernel_.source.range(condition);
  if (!range) return std::nullopt;
  TextEdits edits;
  bool all = true;
  walk(condition, [&](const clang::Stmt& node, const Ancestors&) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    if (reference == nullptr || reference->getDecl() != loop_.variable) return true;
    const auto at = kernel_.source.range(node);
    if (at)
      edits.replace(*at, variable);
    else
      all = false;
    return true;
  });
  if (!all) return std::nullopt;
  return edits.apply(kernel_.source.text(), *range);
}

std::optional<std::string> LoopText::room_for(unsigned rounds, const std::string& at) const {
  // What is compared is computed in 32 bits and must not wrap.
  if (static_cast<std::uint64_t>(rounds - 1) * static_cast<std::uint64_t>(loop_.step) > 0xffffffffU)
    return std::nullopt;
  return has_round(std::to_string(rounds - 1) + "u", at);
}

std::optional<std::string> LoopText::has_round(const std::string& number,
                                               const std::string& at) const {
  const clang::ASTContext& context = kernel_.unit.context();
  const clang::QualType variable = loop_.variable->getType();
  const clang::Expr& end = stripped(*loop_.end);
  const clang::QualType type = end.getType();
  if (!type->isIntegerType() || context.getTypeSize(type) < 32 ||
      context.getTypeSize(variable) < 32)
    return std::nullopt;
  const auto constant = constant_value(end, context);
  if (variable->isSignedIntegerType() != type->isSignedIntegerType() &&
      !(constant && *constant >= 0))
    return std::nullopt;
  const std::string text = kernel_.source.text(*loop_.end);
  if (text.empty()) return std::nullopt;
  const bool wide = context.getTypeSize(type) > 32 || context.getTypeSize(variable) > 32;
  const std::string unsigned_type = wide ? "(unsigned long long)" : "(unsigned)";
  return unsigned_type + "(" + text + ") - " + unsigned_type + "(" + at + ")" +
         (loop_.end_included ? " >= " : " > ") + unsigned_type + "(" + number + ")" +
         (loop_.step == 1 ? "" : " * " + std::to_string(loop_.step) + (wide ? "ull" : "u"));
}

std::optional<std::string> LoopText::body(const std::string& leave) const {
  const auto range = kernel_.source.statement_range(*loop_.statement->getBody());
  TextEdits edits;
  if (!range || !edit_breaks(leave, edits)) return std::nullopt;
  return edits.apply(kernel_.source.text(), *range);
}

bool LoopText::edit_breaks(const std::string& leave, TextEdits& edits) const {
  bool all = true;
  walk(*loop_.statement->getBody(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    if (!llvm::isa<clang::BreakStmt>(&node)) return !llvm::isa<clang::LambdaExpr>(&node);
    for (const clang::Stmt* ancestor : ancestors)
      if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::SwitchStmt,
                    clang::CXXForRangeStmt>(ancestor))
        return true;
    const auto at = kernel_.source.statement_range(node);
    if (at)
      edits.replace(*at, leave);
    else
      all = false;
    return true;
  });
  return all;
}

unsigned unused_number(const KernelView& kernel, const std::string& prefix) {
  const std::string text = kernel.source.text(kernel.text);
  unsigned number = 0;
  while (text.find(prefix + std::to_string(number)) != std::string::npos) ++number;
  return number;
}

bool returns_from_within(const clang::Stmt& body, bool& nested) {
  bool returns = false;
  walk(body, [&](const clang::Stmt& node, const Ancestors& ancestors) {
    if (!llvm::isa<clang::ReturnStmt>(&node)) return true;
    returns = true;
    for (const clang::Stmt* ancestor : ancestors)
      nested = nested || llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt,
                                   clang::SwitchStmt, clang::CXXForRangeStmt>(ancestor);
    return false;
  });
  return returns;
}

bool meets_others(const clang::Stmt& statement) {
  bool meets = false;
  walk(statement, [&](const clang::Stmt& node, const Ancestors&) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node);
    const clang::ValueDecl* named = reference != nullptr ? reference->getDecl()
                                    : member != nullptr  ? member->getMemberDecl()
                                                         : nullptr;
    const auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(named);
    if (function == nullptr) return true;
    const llvm::StringRef name =
        function->getIdentifier() != nullptr ? function->getName() : llvm::StringRef();
    for (const char* prefix : {"__sync", "__builtin_amdgcn_", "__barrier", "__shfl", "__ballot",
                               "__any", "__all", "__activemask"})
      meets = meets || name.starts_with(prefix);
    const clang::FunctionDecl* definition = function->getDefinition();
    if (!meets && definition != nullptr && definition->hasBody()) {
      if (!is_in_system_header(*definition)) {
        const SharedBehaviour behaviour = shared_behaviour(*definition);
        meets = behaviour.barrier || behaviour.wave;
      }
    }
    return !meets;
  });
  return meets;
}

}  // namespace geak::clang_tool::transforms
