#include "clang-tool/transforms/workgroup_run.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <utility>

namespace geak::clang_tool::transforms {
namespace {

using Kind = RunValue::Kind;

constexpr std::int64_t many = -2;             // several work-items
constexpr std::int64_t most_elements = 8192;  // 64 KiB of doubles
constexpr unsigned deepest = 16;

}  // namespace

bool is_workgroup_barrier(const clang::Stmt& statement) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement);
  const auto* callee = call == nullptr ? nullptr : call->getDirectCallee();
  return callee != nullptr && callee->getIdentifier() != nullptr &&
         callee->getName() == "__syncthreads";
}

WorkgroupRun::WorkgroupRun(const KernelView& kernel, std::uint32_t work_items,
                           std::vector<const clang::Stmt*> before)
    : kernel_(kernel), work_items_(work_items), before_(std::move(before)) {}

bool WorkgroupRun::run(const clang::Stmt& statement) {
  execute(statement, Mask(work_items_, 1));
  return problem_.empty();
}

const clang::VarDecl* WorkgroupRun::array_of(const clang::Expr& pointer) {
  const auto place = into_lds(pointer);
  return place ? place->variable : nullptr;
}

std::optional<std::int64_t> WorkgroupRun::number(const clang::Expr& expression,
                                                 std::uint32_t work_item) {
  if (!problem_.empty() || !is_pure(expression, kernel_.unit.context())) return std::nullopt;
  at_ = work_item;
  numbers_alone_ = true;
  const RunValue value = evaluate(expression);
  numbers_alone_ = false;
  problem_.clear();
  if (value.kind != Kind::integer) return std::nullopt;
  return value.integer;
}

std::map<const clang::VarDecl*, std::vector<RunValue>> WorkgroupRun::changed() const {
  std::map<const clang::VarDecl*, std::vector<RunValue>> found;
  for (const clang::VarDecl* variable : assigned_)
    if (!declared_.contains(variable)) found.emplace(variable, variables_.at(variable));
  return found;
}

RunValue WorkgroupRun::fail(const std::string& why) {
  if (problem_.empty()) problem_ = why;
  return {};
}

void WorkgroupRun::execute(const clang::Stmt& statement, const Mask& mask) {
  if (!problem_.empty() || std::ranges::find(mask, 1) == mask.end()) return;
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&statement)) {
    for (const clang::Stmt* inner : block->body()) execute(*inner, mask);
  } else if (is_workgroup_barrier(statement)) {
    wait(mask);
  } else if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&statement)) {
    declare(*declaration, mask);
  } else if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement)) {
    if (branch->getInit() != nullptr || branch->hasVarStorage() || branch->isConsteval())
      return void(fail("a branch declares a variable"));
    this->branch(*branch->getCond(), *branch->getThen(), branch->getElse(), mask);
  } else if (const auto* counted = llvm::dyn_cast<clang::ForStmt>(&statement)) {
    if (counted->getConditionVariable() != nullptr || counted->getCond() == nullptr)
      return void(fail("a loop has no plain condition"));
    if (counted->getInit() != nullptr) execute(*counted->getInit(), mask);
    loop(*counted->getBody(), counted->getCond(), counted->getInc(), true, mask);
  } else if (const auto* repeated = llvm::dyn_cast<clang::WhileStmt>(&statement)) {
    if (repeated->getConditionVariable() != nullptr)
      return void(fail("a loop has no plain condition"));
    loop(*repeated->getBody(), repeated->getCond(), nullptr, true, mask);
  } else if (const auto* once = llvm::dyn_cast<clang::DoStmt>(&statement)) {
    loop(*once->getBody(), once->getCond(), nullptr, false, mask);
  } else if (const auto* attributed = llvm::dyn_cast<clang::AttributedStmt>(&statement)) {
    execute(*attributed->getSubStmt(), mask);
  } else if (const auto* expression = llvm::dyn_cast<clang::Expr>(&statement)) {
    for (at_ = 0; at_ < work_items_ && problem_.empty(); ++at_)
      if (mask[at_]) evaluate(*expression);
  } else if (!llvm::isa<clang::NullStmt>(&statement)) {
    fail("the rounds hold more than loops, branches and assignments");
  }
}

void WorkgroupRun::branch(const clang::Expr& condition, const clang::Stmt& then,
                          const clang::Stmt* otherwise, const Mask& mask) {
  const auto* both = llvm::dyn_cast<clang::BinaryOperator>(condition.IgnoreParens());
  if (both != nullptr && both->getOpcode() == clang::BO_LAnd && otherwise == nullptr) {
    const Mask first = those_with(*both->getLHS(), mask);
    if (problem_.empty() && std::ranges::find(first, 1) != first.end())
      branch(*both->getRHS(), then, nullptr, first);
    return;
  }
  if (otherwise == nullptr && keep_one(condition, then, mask)) return;
  const Mask hits = those_with(condition, mask);
  if (!problem_.empty()) return;
  execute(then, hits);
  Mask rest = mask;
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = rest[i] && !hits[i];
  if (otherwise != nullptr) execute(*otherwise, rest);
}

bool WorkgroupRun::keep_one(const clang::Expr& condition, const clang::Stmt& then,
                            const Mask& mask) {
  const clang::Stmt* only = &then;
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(only);
      block != nullptr && block->size() == 1)
    only = block->body_front();
  const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(only);
  if (assignment == nullptr || assignment->getOpcode() != clang::BO_Assign) return false;
  const clang::Expr &target = *assignment->getLHS(), &value = *assignment->getRHS();
  bool stored = false;
  for (at_ = 0; at_ < work_items_ && problem_.empty(); ++at_) {
    if (!mask[at_]) continue;
    auto one = chosen(target, condition, value, target);
    // All work-items compare elements, or none does.
    if (!one && stored) fail("a condition depends on what is in memory");
    if (!one) return stored;
    const auto place = place_of(target);
    if (place) store(*place, std::move(*one), target.getType());
    stored = true;
  }
  return true;
}

void WorkgroupRun::loop(const clang::Stmt& body, const clang::Expr* condition,
                        const clang::Expr* increment, bool condition_first, const Mask& mask) {
  Mask active = mask;
  while (problem_.empty()) {
    if (condition_first) active = those_with(*condition, active);
    if (std::ranges::find(active, 1) == active.end()) return;
    execute(body, active);
    if (increment != nullptr) execute(*increment, active);
    if (!condition_first) active = those_with(*condition, active);
  }
}

void WorkgroupRun::declare(const clang::DeclStmt& statement, const Mask& mask) {
  for (const clang::Decl* declared : statement.decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
    if (variable == nullptr || !variable->hasLocalStorage() ||
        !variable->getType()->isArithmeticType() || variable->getType().isVolatileQualified())
      return void(fail("the rounds declare what is no number"));
    declared_.insert(variable);
    std::vector<RunValue>& values = variables_[variable];
    values.resize(work_items_);
    for (at_ = 0; at_ < work_items_ && problem_.empty(); ++at_) {
      if (!mask[at_]) continue;
      // Evaluated before the reference into the map is used: it may add to it.
      RunValue value = variable->hasInit() ? evaluate(*variable->getInit()) : RunValue{};
      variables_[variable][at_] = std::move(value);
    }
  }
}

void WorkgroupRun::wait(const Mask& mask) {
  if (std::ranges::find(mask, 0) != mask.end())
    fail("some work-items alone come to a barrier");
  else
    ++phase_;
}

WorkgroupRun::Mask WorkgroupRun::those_with(const clang::Expr& condition, const Mask& mask) {
  Mask hits(work_items_, 0);
  for (at_ = 0; at_ < work_items_ && problem_.empty(); ++at_) {
    if (!mask[at_]) continue;
    const RunValue value = evaluate(condition);
    if (value.kind != Kind::integer) fail("a condition depends on what is in memory");
    hits[at_] = value.integer != 0;
  }
  return hits;
}

std::optional<WorkgroupRun::Place> WorkgroupRun::into_lds(const clang::Expr& pointer,
                                                          unsigned depth) {
  const clang::Expr* at = pointer.IgnoreParens();
  if (depth > deepest) return std::nullopt;
  if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(at)) {
    const auto kind = cast->getCastKind();
    if (kind == clang::CK_LValueToRValue || kind == clang::CK_NoOp ||
        kind == clang::CK_ArrayToPointerDecay)
      return into_lds(*cast->getSubExpr(), depth + 1);
    return std::nullopt;
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(at);
  const auto* variable =
      reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
  if (variable == nullptr) return std::nullopt;
  if (variable->hasAttr<clang::CUDASharedAttr>() && variable->getType()->isArrayType())
    return Place{variable, 0};
  // A pointer of the kernel's own that always is the array.
  if (!variable->isLocalVarDecl() || !variable->hasInit() ||
      !variable->getType()->isPointerType() || !is_constant(*variable))
    return std::nullopt;
  return into_lds(*variable->getInit(), depth + 1);
}

std::optional<WorkgroupRun::Place> WorkgroupRun::place_of(const clang::Expr& lvalue) {
  const clang::Expr* at = lvalue.IgnoreParens();
  if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(at);
      cast != nullptr && cast->getCastKind() == clang::CK_NoOp)
    return place_of(*cast->getSubExpr());
  if (lvalue.getType().isVolatileQualified()) {
    fail("volatile memory");
    return std::nullopt;
  }
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(at)) {
    auto place = into_lds(*element->getBase());
    const RunValue index = evaluate(*element->getIdx());
    if (!problem_.empty() || numbers_alone_ || in_declaration_) return std::nullopt;
    if (!place || index.kind != Kind::integer || index.integer < 0 ||
        index.integer >= most_elements) {
      fail("the rounds reach other memory than elements of LDS with known indices");
      return std::nullopt;
    }
    place->element = index.integer;
    return place;
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(at);
  const auto* variable =
      reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
  if (variable == nullptr || !variable->hasLocalStorage() ||
      variable->getType()->isReferenceType()) {
    fail("the rounds reach other memory than LDS");
    return std::nullopt;
  }
  return Place{variable};
}

RunArray::Element* WorkgroupRun::element_at(const Place& place) {
  RunArray& array = arrays_[place.variable];
  const auto index = static_cast<std::size_t>(*place.element);
  if (array.elements.empty()) {
    const clang::ASTContext& context = kernel_.unit.context();
    array.type = context.getAsArrayType(place.variable->getType())->getElementType();
    std::size_t size = most_elements;
    if (const auto* constant = context.getAsConstantArrayType(place.variable->getType()))
      size = std::min<std::size_t>(size, constant->getSize().getZExtValue());
    array.elements.resize(size);
  }
  if (index >= array.elements.size()) {
    fail("the rounds go beyond the array");
    return nullptr;
  }
  return &array.elements[index];
}

RunValue WorkgroupRun::load(const Place& place) {
  if (!place.element) return outer_value(*place.variable);
  RunArray::Element* element = element_at(place);
  if (element == nullptr) return {};
  if (element->written_in == phase_ && element->writer != at_)
    return fail("work-items race in the rounds");
  if (element->read_in == phase_ && element->reader != at_)
    element->reader = many;
  else
    element->reader = at_;
  element->read_in = phase_;
  if (!element->written && !element->read_first) {
    element->read_first = true;
    const std::size_t size = arrays_[place.variable].elements.size();
    auto own = std::make_shared<llvm::BitVector>(static_cast<unsigned>(size));
    own->set(static_cast<unsigned>(*place.element));
    element->value = {.kind = Kind::elements, .array = place.variable, .elements = std::move(own)};
  }
  return element->value;
}

void WorkgroupRun::store(const Place& place, RunValue value, clang::QualType type) {
  if (!problem_.empty()) return;
  if (value.kind == Kind::integer && type->isIntegerType()) value = wrapped(value.integer, type);
  if (!place.element) {
    if (!variables_.contains(place.variable)) {
      // Those that do not assign keep what they had.
      const std::uint32_t self = at_;
      std::vector<RunValue> old(work_items_);
      for (at_ = 0; at_ < work_items_; ++at_) old[at_] = outer_value(*place.variable);
      at_ = self;
      variables_.emplace(place.variable, std::move(old));
    }
    variables_[place.variable][at_] = std::move(value);
    assigned_.insert(place.variable);
    return;
  }
  RunArray::Element* element = element_at(place);
  if (element == nullptr) return;
  const bool raced = (element->written_in == phase_ && element->writer != at_) ||
                     (element->read_in == phase_ && element->reader != at_);
  if (raced) return void(fail("work-items race in the rounds"));
  if (value.kind == Kind::unknown ||
      (value.kind == Kind::elements && value.array != place.variable))
    return void(fail("the rounds store what is no combination of the array's elements"));
  element->written = true;
  element->written_in = phase_;
  element->writer = at_;
  element->value = std::move(value);
}

bool WorkgroupRun::is_constant(const clang::VarDecl& variable) {
  const auto [constant, fresh] = constant_.try_emplace(&variable, false);
  if (fresh) constant->second = !may_change(kernel_.body(), variable);
  return constant->second;
}

bool WorkgroupRun::is_as_declared(const clang::VarDecl& variable) {
  bool seen = false, changes = false;
  for (const clang::Stmt* statement : before_) {
    if (seen) changes = changes || may_change(*statement, variable);
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(statement))
      for (const clang::Decl* declared : declaration->decls()) seen = seen || declared == &variable;
  }
  return seen && !changes;
}

RunValue WorkgroupRun::outer_value(const clang::VarDecl& variable) {
  // What the run has changed is not what a declaration before it saw.
  const auto known = variables_.find(&variable);
  if (known != variables_.end() && !in_declaration_) return known->second[at_];
  if (const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(&variable)) {
    const unsigned position = parameter->getFunctionScopeIndex();
    const auto value = kernel_.argument(position);
    if (!is_constant(variable) || !value || !parameter->getType()->isIntegerType()) return {};
    // What is looked at beside the rounds is no reason to rely on one more.
    if (numbers_alone_ && !arguments_.contains(position)) return {};
    arguments_[position] = *value;
    return wrapped(*value, parameter->getType());
  }
  if (!variable.isLocalVarDecl() || !variable.hasInit() || !variable.getType()->isIntegerType())
    return {};
  if (!is_constant(variable) && (in_declaration_ || !is_as_declared(variable))) return {};
  if (!is_pure(*variable.getInit(), kernel_.unit.context())) return {};
  const bool was = std::exchange(in_declaration_, true);
  const std::string problem = std::exchange(problem_, "");
  const RunValue value = evaluate(*variable.getInit());
  in_declaration_ = was;
  problem_ = problem;
  if (value.kind != Kind::integer) return {};
  return wrapped(value.integer, variable.getType());
}

}  // namespace geak::clang_tool::transforms
