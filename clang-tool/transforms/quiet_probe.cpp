#include "clang-tool/transforms/quiet_probe.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/transforms/item_copies.h"
#include "clang-tool/transforms/loop_text.h"
#include "clang-tool/transforms/memory_effects.h"
#include "clang-tool/transforms/no_overlap.h"
#include "clang-tool/transforms/uniform_values.h"

namespace geak::clang_tool::transforms {
namespace {

bool has_plain_type(clang::QualType type, const clang::ASTContext& context) {
  return !type->isReferenceType() && !type.isVolatileQualified() && !type->isArrayType() &&
         type.isTrivialType(context);
}

/// Another way out of the loop must not depend on the round: it is asked once for a block.
bool asks_the_same(const CountedLoop& loop) {
  if (loop.also == nullptr) return true;
  bool same = true;
  walk(*loop.also, [&](const clang::Stmt& node, const Ancestors&) {
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node);
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node);
    if (llvm::isa<clang::ArraySubscriptExpr>(&node) || (member != nullptr && member->isArrow()) ||
        (unary != nullptr && unary->getOpcode() == clang::UO_Deref))
      same = false;
    return same;
  });
  const auto variables = variables_in(*loop.also);
  return same && std::ranges::find(variables, loop.variable) == variables.end();
}

}  // namespace

bool can_look_ahead(const KernelView& kernel, const CountedLoop& loop) {
  const clang::ASTContext& context = kernel.unit.context();
  return is_pure(*loop.end, context) && (loop.also == nullptr || is_pure(*loop.also, context)) &&
         asks_the_same(loop) && LoopText(kernel, loop).room_for(1);
}

QuietProbe::QuietProbe(const KernelView& kernel, const CountedLoop& loop, const Draft& draft,
                       unsigned tests)
    : kernel_(kernel),
      loop_(loop),
      body_(*loop.statement->getBody()),
      body_range_(kernel.source.range(body_).value_or(TextRange{})),
      tests_(tests),
      readable_(kernel, loop, draft) {}

std::string QuietProbe::Path::and_also(const std::string& more) const {
  return always ? more : condition + " & " + more;
}

std::optional<std::string> QuietProbe::text(const std::string& hit) {
  hit_ = hit;
  Path path;
  if (body_range_.end == 0) return std::nullopt;
  const Outcome outcome = add(body_, path);
  const bool nothing = text_.find(hit_ + " |=") == std::string::npos;
  if (always_hits_ || (outcome != Outcome::has_effect && nothing)) return std::nullopt;
  return text_;
}

QuietProbe::Outcome QuietProbe::effect(const Path& path) {
  if (path.always) always_hits_ = true;
  text_ += hit_ + " |= " + (path.always ? "true" : path.condition) + ";\n";
  return Outcome::has_effect;
}

/// Whether control that gets to the statement meets an effect in it for certain, so that its
/// conditions need not be looked at.
bool QuietProbe::surely_has_effect(const clang::Stmt& statement) const {
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&statement)) {
    for (const clang::Stmt* inner : block->body()) {
      if (surely_has_effect(*inner)) return true;
      if (holds_any<clang::ContinueStmt, clang::GotoStmt>(*inner)) return false;
    }
    return false;
  }
  const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
  if (expression != nullptr) return !is_pure(*expression, kernel_.unit.context());
  return llvm::isa<clang::BreakStmt, clang::ReturnStmt, clang::ForStmt, clang::WhileStmt,
                   clang::DoStmt>(&statement);
}

QuietProbe::Outcome QuietProbe::add(const clang::Stmt& statement, Path& path) {
  if (!path.always && surely_has_effect(statement)) return effect(path);
  if (llvm::isa<clang::NullStmt>(&statement)) return Outcome::goes_on;
  if (llvm::isa<clang::ContinueStmt>(&statement)) return Outcome::skips;
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&statement)) {
    for (const clang::Stmt* inner : block->body())
      if (const Outcome outcome = add(*inner, path); outcome != Outcome::goes_on) return outcome;
    return Outcome::goes_on;
  }
  if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&statement))
    return add_declaration(*declaration, path);
  if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement))
    return add_branch(*branch, path);
  const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
  if (expression != nullptr && is_pure(*expression, kernel_.unit.context()))
    return Outcome::goes_on;
  return effect(path);
}

QuietProbe::Outcome QuietProbe::add_declaration(const clang::DeclStmt& statement,
                                                const Path& path) {
  const auto range = kernel_.source.range(statement);
  if (!range) return effect(path);
  for (const clang::Decl* declared : statement.decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
    // Flattened, two of one name would meet.
    if (variable == nullptr || !variable->isLocalVarDecl() || variable->isStaticLocal() ||
        variable->hasAttr<clang::CUDASharedAttr>() || !variable->hasInit() ||
        !has_plain_type(variable->getType(), kernel_.unit.context()) ||
        may_change(body_, *variable) || !names_.insert(variable->getNameAsString()).second ||
        !may_evaluate(*variable->getInit(), path))
      return effect(path);
  }
  text_ += kernel_.source.text(*range);
  text_ += text_.back() == ';' ? "\n" : ";\n";
  for (const clang::Decl* declared : statement.decls())
    text_ += "(void)" + llvm::cast<clang::VarDecl>(declared)->getNameAsString() + ";\n";
  return Outcome::goes_on;
}

QuietProbe::Outcome QuietProbe::add_branch(const clang::IfStmt& branch, Path& path) {
  if (branch.getInit() != nullptr || branch.hasVarStorage() || branch.isConstexpr() ||
      conditions_ >= tests_ || !may_evaluate(*branch.getCond(), path))
    return effect(path);
  const auto condition = flat(*branch.getCond());
  if (!condition) return effect(path);
  const std::string name = hit_ + "_if" + std::to_string(conditions_++);
  text_ += "const bool " + name + " = " + *condition + ";\n";
  Path then{false, path.and_also(name)};
  const Outcome first = add(*branch.getThen(), then);
  // A round with an effect is one in any case, so what follows need not exclude it.
  Path otherwise = first == Outcome::has_effect ? path : Path{false, path.and_also("!" + name)};
  const Outcome second =
      branch.getElse() == nullptr ? Outcome::goes_on : add(*branch.getElse(), otherwise);
  if (first != Outcome::goes_on && second != Outcome::goes_on)
    return first == Outcome::has_effect || second == Outcome::has_effect ? Outcome::has_effect
                                                                         : Outcome::skips;
  if (first == Outcome::skips) path = otherwise;
  if (second == Outcome::skips) path = then;
  return Outcome::goes_on;
}

/// Without short circuits where evaluating both sides cannot go wrong: a chain of branches would
/// cost more than what it saves.
std::optional<std::string> QuietProbe::flat(const clang::Expr& condition) const {
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(condition.IgnoreParenImpCasts());
  if (binary != nullptr && binary->isLogicalOp() && is_total(*binary->getRHS())) {
    const auto left = flat(*binary->getLHS());
    const auto right = flat(*binary->getRHS());
    if (!left || !right) return std::nullopt;
    return "(" + *left + (binary->getOpcode() == clang::BO_LAnd ? " & " : " | ") + *right + ")";
  }
  const std::string text = kernel_.source.text(condition);
  if (text.empty()) return std::nullopt;
  return "bool(" + text + ")";
}

bool QuietProbe::may_evaluate(const clang::Expr& expression, const Path& path) {
  if (!is_pure(expression, kernel_.unit.context())) return false;
  if (!path.always && !is_total(expression)) return false;
  if (kernel_.source.text(expression).empty()) return false;
  for (const clang::Expr* read : memory_reads(expression)) {
    // Behind a short circuit a read is not one that every round makes.
    bool conditional = false;
    walk(expression, [&](const clang::Stmt& node, const Ancestors& ancestors) {
      if (&node != read) return true;
      for (std::size_t i = 0; i < ancestors.size(); ++i) {
        const clang::Stmt* below = i + 1 < ancestors.size() ? ancestors[i + 1] : read;
        const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(ancestors[i]);
        const auto* choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(ancestors[i]);
        if (binary != nullptr && binary->isLogicalOp() && below == binary->getRHS())
          conditional = true;
        if (choice != nullptr && below != choice->getCond()) conditional = true;
      }
      return false;
    });
    const Path at = conditional ? Path{false, "?"} : path;
    if (!may_read(*read, at)) return false;
  }
  evaluated_.push_back(&expression);
  return true;
}

bool QuietProbe::may_read(const clang::Expr& lvalue, const Path& path) {
  if (path.always) {
    bool steady = true;
    for (const clang::VarDecl* variable : variables_in(lvalue))
      steady = steady && (is_of_body(*variable) || variable == loop_.variable ||
                          !changes_in_loop(*variable) || root_variable(lvalue) == variable);
    // An index that is itself read from memory may be what an effect stores.
    bool plain_address = true;
    for (const clang::Expr* inner : memory_reads(lvalue))
      plain_address = plain_address && inner == &lvalue;
    steady = steady && plain_address;
    if (steady && !depends_on_round(lvalue)) return true;
    if (steady && !loop_.leaves && loop_.also == nullptr) {
      // Locals of the body may hide reads; they were looked at where they are declared, but an
      // address made of what was read is not steady.
      bool from_memory = false;
      for (const clang::VarDecl* variable : variables_in(lvalue))
        if (is_of_body(*variable) && variable->hasInit())
          from_memory = from_memory || !memory_reads(*variable->getInit()).empty();
      if (!from_memory) return true;
    }
  }
  return readable_.add(lvalue);
}

/// Whether evaluating it is harmless whatever the values are: no division, no signed arithmetic
/// that could overflow.
bool QuietProbe::is_total(const clang::Expr& expression) const {
  bool total = true;
  walk(expression, [&](const clang::Stmt& node, const Ancestors& ancestors) {
    if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
      return false;
    // Where the read's address is bounded, so is the arithmetic in it.
    for (const clang::Stmt* ancestor : ancestors)
      if (llvm::isa<clang::ArraySubscriptExpr>(ancestor)) return true;
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node);
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node);
    const bool is_signed = [&] {
      const auto* value = llvm::dyn_cast<clang::Expr>(&node);
      return value != nullptr && value->getType()->isSignedIntegerType();
    }();
    if (binary != nullptr && binary->getType()->isIntegerType()) {
      if (binary->isMultiplicativeOp() && binary->getOpcode() != clang::BO_Mul) {
        const auto divisor = constant_value(*binary->getRHS(), kernel_.unit.context());
        total = total && divisor && *divisor > 0;
      } else if (is_signed && (binary->isAdditiveOp() || binary->isMultiplicativeOp() ||
                               binary->getOpcode() == clang::BO_Shl)) {
        total = total && constant_value(*binary, kernel_.unit.context());
      }
    }
    if (unary != nullptr && is_signed && unary->getOpcode() == clang::UO_Minus)
      total = total && constant_value(*unary, kernel_.unit.context());
    return total;
  });
  return total;
}

bool QuietProbe::is_of_body(const clang::VarDecl& variable) const {
  const auto at = kernel_.source.offset(variable.getLocation());
  return at && *at >= body_range_.begin && *at < body_range_.end;
}

bool QuietProbe::changes_in_loop(const clang::VarDecl& variable) const {
  return !is_of_body(variable) && may_change(body_, variable);
}

bool QuietProbe::depends_on_round(const clang::Expr& expression) const {
  return std::ranges::any_of(variables_in(expression), [&](const clang::VarDecl* variable) {
    return variable == loop_.variable || is_of_body(*variable);
  });
}

bool QuietProbe::outlasts_effects(Draft& draft) const {
  const auto stored = stored_parameters(kernel_, body_);
  // The loop's condition is not among them: every round that is run asks it again.
  for (const clang::Expr* expression : evaluated_) {
    for (const clang::VarDecl* variable : variables_in(*expression))
      if (variable != loop_.variable && changes_in_loop(*variable)) return false;
    for (const clang::Expr* read : memory_reads(*expression)) {
      if (root_variable(*read) != nullptr) continue;  // looked at as a variable
      const clang::Expr* pointer = accessed_pointer(*read);
      const auto origin =
          pointer == nullptr ? std::nullopt : pointer_origin(kernel_, *pointer, *loop_.statement);
      if (!stored || !origin) return false;
      for (const clang::ParmVarDecl* target : *stored) {
        if (target == origin->parameter) return false;
        require_apart(*origin->parameter, *target, draft);
      }
    }
  }
  return true;
}

}  // namespace geak::clang_tool::transforms
