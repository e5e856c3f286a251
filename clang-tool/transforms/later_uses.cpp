#include "clang-tool/transforms/later_uses.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>

#include <algorithm>

namespace geak::clang_tool::transforms {
namespace {

const clang::ArraySubscriptExpr* element_of(const clang::Stmt& name, const Ancestors& around) {
  const clang::Stmt* below = &name;
  for (auto it = around.rbegin(); it != around.rend(); below = *it++) {
    if (llvm::isa<clang::ImplicitCastExpr, clang::ParenExpr>(*it)) continue;
    const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(*it);
    return element != nullptr && element->getBase() == below ? element : nullptr;
  }
  return nullptr;
}

enum class Use { read, stored, address };

Use use_of(const clang::ArraySubscriptExpr& element, const Ancestors& around) {
  auto at = std::ranges::find(around, &element);
  const clang::Stmt* below = &element;
  while (at != around.begin() && llvm::isa<clang::ParenExpr>(*--at)) below = *at;
  if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(*at))
    return cast->getCastKind() == clang::CK_LValueToRValue ? Use::read : Use::address;
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(*at);
  if (binary == nullptr || !binary->isAssignmentOp() || binary->getLHS() != below)
    return Use::address;
  return binary->getOpcode() == clang::BO_Assign ? Use::stored : Use::read;
}

}  // namespace

std::optional<std::vector<char>> LaterUses::looked_at(const clang::VarDecl& array,
                                                      const RunArray& state) {
  if (array.hasExternalStorage() && has_other_dynamic_lds(array)) return std::nullopt;
  const std::size_t size = state.elements.size();
  std::vector<char> live(size, 0);
  bool all = false;
  walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors& around) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    if (reference == nullptr || all || run_.array_of(*reference) != &array || lies_within(node))
      return !all;
    const clang::ArraySubscriptExpr* element = element_of(*reference, around);
    if (element == nullptr)
      all = !names_pointer(around);
    else if (const Use use = use_of(*element, around); use == Use::address)
      all = true;
    else if (use == Use::read && is_after(node))
      all = !add(*element->getIdx(), live, around);
    return !all;
  });
  if (in_loop_ && !all) add_what_is_found_again(array, state, live);
  if (all) std::ranges::fill(live, 1);
  return live;
}

bool LaterUses::lies_within(const clang::Stmt& node) const {
  const auto range = kernel_.source.range(node);
  return range && range->begin >= range_.begin && range->end <= range_.end;
}

bool LaterUses::is_after(const clang::Stmt& node) const {
  const auto range = kernel_.source.range(node);
  return in_loop_ || !range || range->begin >= range_.end;
}

bool LaterUses::has_other_dynamic_lds(const clang::VarDecl& array) const {
  return std::ranges::any_of(variables_in(kernel_.body()), [&](const clang::VarDecl* other) {
    return other != &array && other->hasAttr<clang::CUDASharedAttr>() &&
           other->hasExternalStorage();
  });
}

bool LaterUses::names_pointer(const Ancestors& around) const {
  for (auto it = around.rbegin(); it != around.rend(); ++it) {
    if (llvm::isa<clang::ImplicitCastExpr, clang::ParenExpr>(*it)) continue;
    const auto* statement = llvm::dyn_cast<clang::DeclStmt>(*it);
    const auto* variable = statement == nullptr || !statement->isSingleDecl()
                               ? nullptr
                               : llvm::dyn_cast<clang::VarDecl>(statement->getSingleDecl());
    return variable != nullptr && variable->getType()->isPointerType() &&
           !may_change(kernel_.body(), *variable);
  }
  return false;
}

bool LaterUses::add(const clang::Expr& index, std::vector<char>& elements,
                    const Ancestors& around) {
  if (!is_known(index)) return false;
  const std::vector<const clang::Expr*> demands = demanded(around);
  for (std::uint32_t item = 0; item < work_items_; ++item) {
    if (std::ranges::any_of(
            demands, [&](const clang::Expr* demand) { return run_.number(*demand, item) == 0; }))
      continue;
    const auto at = run_.number(index, item);
    if (!at || *at < 0 || *at >= static_cast<std::int64_t>(elements.size())) return false;
    elements[static_cast<std::size_t>(*at)] = 1;
  }
  return true;
}

bool LaterUses::is_known(const clang::Expr& expression) const {
  return std::ranges::all_of(variables_in(expression), [&](const clang::VarDecl* variable) {
    return variable->getType()->isIntegerType() && stays(*variable);
  });
}

std::vector<const clang::Expr*> LaterUses::demanded(const Ancestors& around) const {
  std::vector<const clang::Expr*> found;
  for (std::size_t i = 0; i + 1 < around.size(); ++i) {
    const auto* branch = llvm::dyn_cast<clang::IfStmt>(around[i]);
    if (branch == nullptr || around[i + 1] != branch->getThen()) continue;
    std::vector<const clang::Expr*> parts{branch->getCond()};
    while (!parts.empty()) {
      const clang::Expr& part = stripped(*parts.back());
      parts.pop_back();
      const auto* both = llvm::dyn_cast<clang::BinaryOperator>(&part);
      if (both != nullptr && both->getOpcode() == clang::BO_LAnd)
        parts.insert(parts.end(), {both->getLHS(), both->getRHS()});
      else if (is_known(part))
        found.push_back(&part);
    }
  }
  return found;
}

bool LaterUses::stays(const clang::VarDecl& variable) const {
  if (!may_change(kernel_.body(), variable)) return true;
  if (in_loop_ || !run_.changed().contains(&variable)) return false;
  bool changes = false;
  walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors& around) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    if (reference == nullptr || reference->getDecl() != &variable || lies_within(node))
      return !changes;
    const auto* cast =
        around.empty() ? nullptr : llvm::dyn_cast<clang::ImplicitCastExpr>(around.back());
    changes = cast == nullptr || cast->getCastKind() != clang::CK_LValueToRValue;
    return !changes;
  });
  return !changes;
}

void LaterUses::add_what_is_found_again(const clang::VarDecl& array, const RunArray& state,
                                        std::vector<char>& live) {
  std::vector<char> fresh(state.elements.size(), 0);
  for (const clang::Stmt* statement : before_) {
    const auto* expression = llvm::dyn_cast<clang::Expr>(statement);
    const auto* store = expression == nullptr
                            ? nullptr
                            : llvm::dyn_cast<clang::BinaryOperator>(&stripped(*expression));
    const auto* element =
        store == nullptr || store->getOpcode() != clang::BO_Assign
            ? nullptr
            : llvm::dyn_cast<clang::ArraySubscriptExpr>(store->getLHS()->IgnoreParens());
    if (element != nullptr && run_.array_of(*element->getBase()) == &array)
      if (std::vector<char> more = fresh; add(*element->getIdx(), more)) fresh = more;
  }
  for (std::size_t i = 0; i < live.size(); ++i)
    if (state.elements[i].read_first && !fresh[i]) live[i] = 1;
}

bool LaterUses::is_used(const clang::VarDecl& variable) const {
  bool used = false;
  walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    used = used || (reference != nullptr && reference->getDecl() == &variable &&
                    !lies_within(node) && is_after(node));
    return !used;
  });
  return used;
}

}  // namespace geak::clang_tool::transforms
