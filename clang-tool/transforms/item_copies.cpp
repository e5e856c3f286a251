#include "clang-tool/transforms/item_copies.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/wide_items.h"

namespace geak::clang_tool::transforms {
namespace {

std::string suffix(std::size_t item) { return "_item" + std::to_string(item); }

bool reads_memory(const clang::Stmt& expression) {
  bool reads = false;
  walk(expression, [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
      return false;
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node))
      reads = reads || unary->getOpcode() == clang::UO_Deref;
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node))
      reads = reads || member->isArrow();
    if (llvm::isa<clang::ArraySubscriptExpr, clang::CallExpr>(&node)) reads = true;
    return !reads;
  });
  return reads;
}

/// `p[i] = value`, `p[i] += value` and their like, of a number and by a pure index.
const clang::BinaryOperator* as_memory_store(const clang::Stmt& statement,
                                             const clang::ASTContext& context) {
  const auto* store = llvm::dyn_cast<clang::BinaryOperator>(&statement);
  if (store == nullptr || !store->isAssignmentOp()) return nullptr;
  const clang::Expr& place = *store->getLHS();
  const clang::QualType type = place.getType();
  const bool plain = type->isArithmeticType() && !type.isVolatileQualified() &&
                     is_pure(place, context) && accessed_pointer(place) != nullptr;
  return plain ? store : nullptr;
}

}  // namespace

std::vector<const clang::Stmt*> statements_of(const clang::Stmt& statement) {
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&statement))
    return {block->body_begin(), block->body_end()};
  return {&statement};
}

ItemCopies::ItemCopies(const KernelView& kernel, const std::vector<GlobalIndex>& indices,
                       std::vector<std::map<unsigned, std::string>> items, Growth growth)
    : kernel_(kernel), indices_(indices), items_(std::move(items)), growth_(std::move(growth)) {
  for (const clang::ParmVarDecl* parameter : kernel.function.parameters())
    (may_change(kernel.body(), *parameter) ? own_ : shared_).insert(parameter);
  find_own_variables(statements_of(kernel.body()));
  share_moved_parameters();
}

/// `rows += batch * size` moves a parameter by the same for all copies: one of it is enough.
void ItemCopies::share_moved_parameters() {
  for (const clang::ParmVarDecl* parameter : kernel_.function.parameters()) {
    if (!own_.contains(parameter) || !parameter->getType()->isPointerType()) continue;
    const auto offsets = offsets_added(kernel_, *parameter, *kernel_.body().body_back());
    if (!offsets || may_change(*kernel_.body().body_back(), *parameter)) continue;
    if (!std::ranges::all_of(
            *offsets, [&](const clang::Expr* offset) { return is_shared_expression(*offset); }))
      continue;
    own_.erase(parameter);
    shared_.insert(parameter);
  }
}

bool ItemCopies::moves_shared_parameter(const clang::Stmt& statement) const {
  return llvm::isa<clang::Expr>(&statement) &&
         std::ranges::any_of(
             kernel_.function.parameters(), [&](const clang::ParmVarDecl* parameter) {
               return shared_.contains(parameter) && may_change(statement, *parameter);
             });
}

void ItemCopies::find_own_variables(const std::vector<const clang::Stmt*>& statements) {
  for (const clang::Stmt* statement : statements) {
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(statement)) {
      for (const clang::Decl* declared : declaration->decls())
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared))
          (declaration->isSingleDecl() && is_shared(*variable) ? shared_ : own_).insert(variable);
    } else if (can_be_jammed(*statement)) {
      const auto& loop = llvm::cast<clang::ForStmt>(*statement);
      const auto counted = as_counted_loop(loop, kernel_.unit.context());
      shared_.insert(counted->variable);
      find_own_variables(statements_of(*loop.getBody()));
    }
  }
}

bool ItemCopies::is_shared(const clang::VarDecl& variable) const {
  if (!variable.hasInit() || !variable.getType()->isScalarType() ||
      may_change(kernel_.body(), variable))
    return false;
  const auto known = growth_.find(&variable);
  return known != growth_.end() ? known->second.empty() : is_same_at_once(*variable.getInit());
}

bool ItemCopies::is_shared_expression(const clang::Stmt& expression) const {
  return !reads_memory(expression) && is_same_at_once(expression);
}

/// Copies that read one place side by side may all see what the first of them does, for nothing
/// orders what another work-item stores there between them.
bool ItemCopies::is_same_at_once(const clang::Stmt& expression) const {
  if (!is_pure(expression, kernel_.unit.context())) return false;
  bool shared = true;
  walk(expression, [&](const clang::Stmt& node, const Ancestors&) {
    for (const GlobalIndex& index : indices_)
      if (std::ranges::find(index.uses, &node) != index.uses.end()) shared = false;
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      if (variable != nullptr && !variable->hasGlobalStorage() && !shared_.contains(variable))
        shared = false;
    }
    return shared;
  });
  return shared;
}

bool ItemCopies::can_be_jammed(const clang::Stmt& statement) const {
  const auto counted = as_counted_loop(statement, kernel_.unit.context());
  if (!counted || counted->leaves) return false;
  if (!is_shared_expression(*counted->begin) || !is_shared_expression(*counted->end)) return false;
  return !holds_any<clang::ContinueStmt>(*counted->statement->getBody());
}

std::string ItemCopies::parameter_copies() const {
  std::string text;
  for (const clang::ParmVarDecl* parameter : kernel_.function.parameters())
    if (own_.contains(parameter))
      for (std::size_t item = 0; item < count(); ++item)
        text += "auto " + parameter->getNameAsString() + suffix(item) + " = " +
                parameter->getNameAsString() + ";\n";
  return text;
}

std::optional<std::string> ItemCopies::copy(const clang::Stmt& node, std::size_t item) const {
  return copy(node, item, {});
}

std::optional<std::string> ItemCopies::copy(const clang::Stmt& node, std::size_t item,
                                            const Replaced& replaced) const {
  const auto range = kernel_.source.statement_range(node);
  if (!range) return std::nullopt;
  TextEdits edits;
  bool possible = true;
  const auto rename = [&](clang::SourceLocation location, const clang::VarDecl& variable) {
    const auto at = kernel_.source.offset(location);
    if (!at) {
      possible = false;
      return;
    }
    const std::string name = variable.getNameAsString();
    edits.replace({*at, *at + static_cast<unsigned>(name.size())}, name + suffix(item));
  };
  walk(node, [&](const clang::Stmt& inner, const Ancestors&) {
    if (const auto with = replaced.find(&inner); with != replaced.end()) {
      const auto place = kernel_.source.range(inner);
      if (place) edits.replace(*place, with->second);
      possible = possible && place;
      return false;
    }
    for (const GlobalIndex& index : indices_) {
      if (std::ranges::find(index.uses, &inner) == index.uses.end()) continue;
      const auto place = kernel_.source.range(inner);
      const auto& expression = llvm::cast<clang::Expr>(inner);
      const bool narrow = kernel_.unit.context().getTypeSize(expression.getType()) == 32;
      const std::string& text = items_[item].at(index.axis);
      if (!place)
        possible = false;
      else
        edits.replace(
            *place,
            narrow && expression.getType()->isUnsignedIntegerType()
                ? text
                : "((" +
                      expression.getType().getCanonicalType().getUnqualifiedType().getAsString(
                          kernel_.unit.context().getPrintingPolicy()) +
                      ")" + text + ")");
      return false;
    }
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&inner)) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      if (variable != nullptr && own_.contains(variable))
        rename(reference->getLocation(), *variable);
    } else if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&inner)) {
      for (const clang::Decl* declared : declaration->decls())
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared))
          if (own_.contains(variable)) rename(variable->getLocation(), *variable);
    } else if (llvm::isa<clang::LambdaExpr>(&inner)) {
      possible = false;
    } else if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&inner)) {
      // What another instantiation would take is not in this one's tree, so it would keep names.
      if (branch->isConstexpr()) possible = false;
    }
    return possible;
  });
  if (!possible) return std::nullopt;
  return edits.apply(kernel_.source.text(), *range);
}

std::optional<std::string> ItemCopies::lockstep_one(const clang::Stmt& statement) const {
  if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&statement)) {
    const auto* variable = declaration->isSingleDecl()
                               ? llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl())
                               : nullptr;
    if (variable == nullptr || shared_.contains(variable))
      if (variable != nullptr || own_.empty()) return copy(statement, 0);
    if (const auto known = growth_.find(variable); known != growth_.end())
      return grown(*variable, statement, known->second);
  }
  if (moves_shared_parameter(statement)) return copy(statement, 0);
  if (can_be_jammed(statement)) {
    const auto& loop = llvm::cast<clang::ForStmt>(statement);
    const auto whole = kernel_.source.range(loop);
    const auto body = kernel_.source.range(*loop.getBody());
    if (!whole || !body) return std::nullopt;
    const auto inner = lockstep(statements_of(*loop.getBody()));
    if (!inner) return std::nullopt;
    return kernel_.source.text({whole->begin, body->begin}) + "{\n" + *inner + "}\n";
  }
  return plain_statement(statement);
}

/// Its first copy as it is written, the others from that.
std::optional<std::string> ItemCopies::grown(const clang::VarDecl& variable,
                                             const clang::Stmt& declaration,
                                             const std::string& by) const {
  const auto first = copy(declaration, 0);
  if (!first) return std::nullopt;
  const std::string name = variable.getNameAsString();
  const std::string type = variable.getType().getCanonicalType().getUnqualifiedType().getAsString(
      kernel_.unit.context().getPrintingPolicy());
  std::string text = *first + "\n";
  for (std::size_t item = 1; item < count(); ++item)
    text += "__attribute__((unused)) const " + type + " " + name + suffix(item) + " = (" + type +
            ")(" + name + suffix(0) + " + " + std::to_string(item) + " * (" + by + "));\n";
  return text;
}

/// All values before any of them is stored: what is read for them need not wait for the stores.
std::optional<std::string> ItemCopies::stores_last(const clang::BinaryOperator& store,
                                                   const std::vector<Replaced>& replaced) const {
  const std::string type =
      store.getLHS()->getType().getCanonicalType().getUnqualifiedType().getAsString(
          kernel_.unit.context().getPrintingPolicy());
  std::string values, stores;
  for (std::size_t item = 0; item < count(); ++item) {
    const auto place = copy(*store.getLHS(), item);
    auto value = copy(*store.getRHS(), item, replaced[item]);
    if (!place || !value) return std::nullopt;
    if (value->ends_with(';')) value->pop_back();
    const std::string name = "geak_value" + std::to_string(item);
    if (store.isCompoundAssignmentOp()) {
      const auto operation = clang::BinaryOperator::getOpForCompoundAssignment(store.getOpcode());
      value =
          *place + " " + clang::BinaryOperator::getOpcodeStr(operation).str() + " (" + *value + ")";
    }
    values += "const " + type + " " + name + " = " + *value + ";\n";
    stores += *place + " = " + name + ";\n";
  }
  return "{\n" + values + stores + "}\n";
}

std::optional<std::string> ItemCopies::plain_statement(const clang::Stmt& statement) const {
  std::string before, copies, after;
  const auto* store = as_memory_store(statement, kernel_.unit.context());
  std::vector<Replaced> replaced(count());
  for (const WideItem& wide : wide_ == nullptr ? std::vector<WideItem>() : wide_->of(statement)) {
    auto place = copy(*wide.element, 0);
    if (!place) return std::nullopt;
    if (place->ends_with(';')) place->pop_back();  // the element ends its statement
    const std::string name = "geak_items" + std::to_string(wide_count_++);
    const std::string bytes = std::to_string(wide.bytes);
    widened_[wide.pointer] = std::max(widened_[wide.pointer], wide.bytes);
    before +=
        "alignas(" + bytes + ") " + wide.type + " " + name + "[" + std::to_string(count()) + "];\n";
    for (unsigned nth = 0; nth < wide.accesses; ++nth) {
      const std::string first = std::to_string(nth * count() / wide.accesses);
      const std::string memory =
          "__builtin_assume_aligned(&(" + *place + ") + " + first + ", " + bytes + ")";
      const std::string local = "&" + name + "[" + first + "]";
      if (wide.is_store) store = nullptr;
      (wide.is_store ? after : before) +=
          "__builtin_memcpy(" + (wide.is_store ? memory + ", " + local : local + ", " + memory) +
          ", " + bytes + ");\n";
    }
    for (std::size_t item = 0; item < count(); ++item)
      replaced[item][wide.element] = name + "[" + std::to_string(item) + "]";
  }
  if (store != nullptr)
    if (const auto parted = stores_last(*store, replaced)) return before + *parted;
  for (std::size_t item = 0; item < count(); ++item) {
    const auto one = copy(statement, item, replaced[item]);
    if (!one) return std::nullopt;
    copies += *one + "\n";
  }
  return before + copies + after;
}

std::optional<std::string> ItemCopies::lockstep(
    const std::vector<const clang::Stmt*>& statements) const {
  std::string text;
  for (const clang::Stmt* statement : statements) {
    const auto one = lockstep_one(*statement);
    if (!one) return std::nullopt;
    text += *one + "\n";
  }
  return text;
}

}  // namespace geak::clang_tool::transforms
