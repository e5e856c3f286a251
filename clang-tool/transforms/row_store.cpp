#include "clang-tool/transforms/row_store.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <algorithm>

#include "clang-tool/transforms/item_copies.h"
#include "clang-tool/transforms/memory_effects.h"
#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/uniform_values.h"

namespace geak::clang_tool::transforms {
namespace {

/// `row[variable] = value` as a statement.
const clang::ArraySubscriptExpr* stored_element(const clang::Stmt& statement,
                                                const clang::VarDecl& variable) {
  const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(&statement);
  if (assignment == nullptr || assignment->getOpcode() != clang::BO_Assign) return nullptr;
  const auto* element =
      llvm::dyn_cast<clang::ArraySubscriptExpr>(assignment->getLHS()->IgnoreParens());
  return element != nullptr && as_variable(*element->getIdx()) == &variable ? element : nullptr;
}

/// The store, if it is a statement of the body's own or of a block in it.
const clang::ArraySubscriptExpr* find_store(const clang::Stmt& block,
                                            const clang::VarDecl& variable) {
  for (const clang::Stmt* statement : statements_of(block)) {
    if (const auto* element = stored_element(*statement, variable)) return element;
    if (llvm::isa<clang::CompoundStmt>(statement))
      if (const auto* element = find_store(*statement, variable)) return element;
  }
  return nullptr;
}

/// How often the body stores to anything but locals.
unsigned count_stores(const clang::Stmt& body) {
  unsigned count = 0;
  walk(body, [&](const clang::Stmt& node, const Ancestors&) {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node);
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node);
    const clang::Expr* target = nullptr;
    if (binary != nullptr && binary->isAssignmentOp()) target = binary->getLHS();
    if (unary != nullptr && unary->isIncrementDecrementOp()) target = unary->getSubExpr();
    if (target != nullptr && root_variable(*target) == nullptr) ++count;
    if (llvm::isa<clang::CallExpr>(&node) && may_store_to_global_memory(node)) ++count;
    return true;
  });
  return count;
}

}  // namespace

std::optional<RowStore> as_row_store(const KernelView& kernel, const CountedLoop& loop,
                                     Draft& draft) {
  const clang::Stmt& body = *loop.statement->getBody();
  if (loop.leaves || loop.also != nullptr ||
      holds_any<clang::ContinueStmt, clang::GotoStmt, clang::LabelStmt>(body))
    return std::nullopt;
  const RowStore store{find_store(body, *loop.variable), nullptr};
  if (store.place == nullptr || count_stores(body) != 1) return std::nullopt;
  const clang::VarDecl* row = as_variable(*store.place->getBase());
  const clang::QualType type = store.place->getType();
  if (row == nullptr || !row->getType()->isPointerType() || may_change(body, *row) ||
      !type->isArithmeticType() || type.isVolatileQualified() || !kernel.source.range(*store.place))
    return std::nullopt;
  const auto target = pointer_origin(kernel, *store.place->getBase(), *loop.statement);
  if (!target) return std::nullopt;
  for (const clang::Expr* read : memory_reads(body)) {
    if (read == store.place || root_variable(*read) != nullptr) continue;
    const clang::Expr* pointer = accessed_pointer(*read);
    const auto origin =
        pointer == nullptr ? std::nullopt : pointer_origin(kernel, *pointer, *loop.statement);
    if (!origin || origin->parameter == target->parameter) return std::nullopt;
    require_apart(*origin->parameter, *target->parameter, draft);
  }
  return RowStore{store.place, row};
}

RowText::RowText(const KernelView& kernel, const RowStore& store, unsigned width,
                 std::uint64_t threads, std::string suffix, std::string lane)
    : kernel_(kernel),
      store_(store),
      width_(width),
      threads_(threads),
      suffix_(std::move(suffix)),
      lane_(std::move(lane)),
      type_(store.place->getType().getCanonicalType().getUnqualifiedType().getAsString(
          kernel.unit.context().getPrintingPolicy())) {}

std::uint64_t RowText::bytes() const {
  const auto element = static_cast<std::uint64_t>(
      kernel_.unit.context().getTypeSizeInChars(store_.place->getType()).getQuantity());
  return threads_ * ((width_ + 1) * element + sizeof(void*));
}

std::string RowText::declarations(const std::string& working) const {
  const std::string threads = std::to_string(threads_);
  // One element more than a row has: work-items then meet in other banks.
  return "__shared__ " + type_ + " " + name("row") + "[" + threads + " * " +
         std::to_string(width_ + 1) + "];\n__shared__ " + type_ + "* " + name("rows") + "[" +
         threads + "];\n" + name("rows") + "[" + lane_ + "] = " + working + " ? " +
         store_.row->getNameAsString() + " : nullptr;\n";
}

std::string RowText::place(const std::string& round) const {
  return name("row") + "[" + lane_ + " * " + std::to_string(width_ + 1) + " + " + round + "]";
}

std::string RowText::flush(const std::string& at, const std::string& type,
                           const std::string& count) const {
  const std::string width = std::to_string(width_), threads = std::to_string(threads_);
  return "__syncthreads();\nfor (unsigned geak_e = " + lane_ + "; geak_e < " + threads + "u * " +
         width + "u; geak_e += " + threads + "u) {\nconst unsigned geak_c = geak_e % " + width +
         "u;\n" + type_ + "* const geak_to = " + name("rows") + "[geak_e / " + width +
         "u];\nif (geak_c < " + count + " && geak_to != nullptr)\ngeak_to[" + at + " + (" + type +
         ")geak_c] = " + name("row") + "[geak_e / " + width + "u * " + std::to_string(width_ + 1) +
         "u + geak_c];\n}\n__syncthreads();\n";
}

}  // namespace geak::clang_tool::transforms
