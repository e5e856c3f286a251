// Loops over a neighbourhood that test each neighbour against the border: where the outermost
// neighbours are inside, all are, so one test in front serves a form without tests. Loads then are
// unconditional, and what neighbouring items share is loaded once.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>
#include <set>

#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/global_index.h"
#include "clang-tool/transforms/item_copies.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;
using LoopVariables = std::set<const clang::VarDecl*>;

constexpr std::int64_t most_rounds = 128;

/// A test within a nest of loops of constant trip counts.
struct Test {
  const clang::IfStmt* statement = nullptr;
  std::vector<const clang::BinaryOperator*> comparisons;  ///< all must hold
};

struct Nest {
  std::vector<CountedLoop> loops;  ///< of all depths
  std::vector<Test> tests;
};

bool is_signed_integer(clang::QualType type) { return type->isSignedIntegerType(); }

class NestReader {
 public:
  explicit NestReader(const KernelView& kernel) : kernel_(kernel) {}

  std::optional<Nest> read(const clang::Stmt& statement) const {
    Nest nest;
    if (!add_loop(statement, nest)) return std::nullopt;
    std::int64_t rounds = 1;
    for (const CountedLoop& loop : nest.loops) rounds *= std::max<std::int64_t>(*loop.trips, 1);
    if (nest.tests.empty() || rounds > most_rounds) return std::nullopt;
    return nest;
  }

  /// Loop variables in which the expression is linear, its arithmetic signed (so that it cannot
  /// wrap); nothing where it is anything else.
  std::optional<LoopVariables> linear_in(const clang::Expr& expression, const Nest& nest) const {
    const clang::Expr& plain = *expression.IgnoreParens();
    // The same in every round; whether it can be written before the loops is seen when it is.
    if (!mentions_loop(plain, nest, 0)) return LoopVariables{};
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&plain)) {
      const clang::Expr& inner = *cast->getSubExpr();
      if (cast->getCastKind() == clang::CK_LValueToRValue || cast->getCastKind() == clang::CK_NoOp)
        return linear_in(inner, nest);
      if (cast->getCastKind() != clang::CK_IntegralCast) return std::nullopt;
      const auto within = linear_in(inner, nest);
      const bool widens = is_signed_integer(inner.getType()) &&
                          is_signed_integer(cast->getType()) &&
                          kernel_.unit.context().getTypeSize(cast->getType()) >=
                              kernel_.unit.context().getTypeSize(inner.getType());
      return within && (within->empty() || widens) ? within : std::nullopt;
    }
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&plain))
      return linear_in_operands(*binary, nest);
    const clang::VarDecl* variable = as_variable(plain);
    if (variable == nullptr) return std::nullopt;
    for (const CountedLoop& loop : nest.loops)
      if (loop.variable == variable)
        return is_signed_integer(variable->getType()) ? std::optional(LoopVariables{variable})
                                                      : std::nullopt;
    if (may_change(kernel_.body(), *variable)) return std::nullopt;
    const auto within = linear_in(*variable->getInit(), nest);
    return within && is_signed_integer(variable->getType()) ? within : std::nullopt;
  }

 private:
  static bool mentions_loop(const clang::Expr& expression, const Nest& nest, unsigned depth) {
    for (const clang::VarDecl* variable : variables_in(expression)) {
      for (const CountedLoop& loop : nest.loops)
        if (loop.variable == variable) return true;
      if (depth > 16) return true;
      if (variable->isLocalVarDecl() && variable->hasInit() &&
          mentions_loop(*variable->getInit(), nest, depth + 1))
        return true;
    }
    return false;
  }

  std::optional<LoopVariables> linear_in_operands(const clang::BinaryOperator& binary,
                                                  const Nest& nest) const {
    auto left = linear_in(*binary.getLHS(), nest);
    const auto right = linear_in(*binary.getRHS(), nest);
    if (!left || !right) return std::nullopt;
    if (left->empty() && right->empty()) return left;
    if (!is_signed_integer(binary.getType())) return std::nullopt;
    const bool sum = binary.getOpcode() == clang::BO_Add || binary.getOpcode() == clang::BO_Sub;
    const bool product = binary.getOpcode() == clang::BO_Mul && (left->empty() || right->empty());
    if (!sum && !product) return std::nullopt;
    left->insert(right->begin(), right->end());
    return left;
  }

  bool add_loop(const clang::Stmt& statement, Nest& nest) const {
    const auto loop = as_counted_loop(statement, kernel_.unit.context());
    if (!loop || !loop->trips || *loop->trips < 1 || loop->leaves) return false;
    nest.loops.push_back(*loop);
    bool simple = true;
    for (const clang::Stmt* inner : statements_of(*loop->statement->getBody())) {
      if (llvm::isa<clang::ForStmt>(inner)) {
        simple = simple && add_loop(*inner, nest);
      } else if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(inner)) {
        Test test{branch, {}};
        if (branch->getElse() == nullptr && branch->getInit() == nullptr &&
            !branch->hasVarStorage() && !branch->isConstexpr() &&
            collect(*branch->getCond(), test.comparisons))
          nest.tests.push_back(std::move(test));
      }
    }
    return simple;
  }

  static bool collect(const clang::Expr& condition,
                      std::vector<const clang::BinaryOperator*>& comparisons) {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(condition.IgnoreParenImpCasts());
    if (binary == nullptr) return false;
    if (binary->getOpcode() == clang::BO_LAnd)
      return collect(*binary->getLHS(), comparisons) && collect(*binary->getRHS(), comparisons);
    comparisons.push_back(binary);
    return binary->isRelationalOp() && is_signed_integer(binary->getLHS()->getType()) &&
           is_signed_integer(binary->getRHS()->getType());
  }

  const KernelView& kernel_;
};

/// The tests of one nest at the corners of its rounds, in terms of what is known before `before`.
class Corners {
 public:
  Corners(const KernelView& kernel, const Nest& nest, unsigned before)
      : kernel_(kernel), nest_(nest), before_(before), reader_(kernel) {}

  /// False where a test is not linear in the loop variables or needs what is not known yet.
  bool add(const Test& test, std::vector<std::string>& conditions) const {
    std::vector<std::string> found;
    for (const clang::BinaryOperator* comparison : test.comparisons) {
      auto variables = reader_.linear_in(*comparison->getLHS(), nest_);
      const auto more = reader_.linear_in(*comparison->getRHS(), nest_);
      if (!variables || !more) return false;
      variables->insert(more->begin(), more->end());
      const std::vector<const clang::VarDecl*> list(variables->begin(), variables->end());
      for (unsigned corner = 0; corner < (1U << list.size()); ++corner) {
        const auto text = at_corner(*comparison, list, corner);
        if (!text) return false;
        found.push_back(*text);
      }
    }
    for (std::string& condition : found)
      if (std::ranges::find(conditions, condition) == conditions.end())
        conditions.push_back(std::move(condition));
    return true;
  }

 private:
  std::optional<std::string> at_corner(const clang::BinaryOperator& comparison,
                                       const std::vector<const clang::VarDecl*>& variables,
                                       unsigned corner) const {
    return expanded(kernel_, comparison,
                    [&](const clang::VarDecl& variable) -> std::optional<std::string> {
                      const auto at = std::ranges::find(variables, &variable);
                      if (at != variables.end()) {
                        const auto bit = static_cast<unsigned>(at - variables.begin());
                        return end_of(variable, (corner >> bit & 1U) != 0);
                      }
                      const auto declared = kernel_.source.offset(variable.getLocation());
                      if (declared && *declared < before_ && variable.isLocalVarDeclOrParm() &&
                          !may_change(kernel_.body(), variable))
                        return variable.getNameAsString();
                      return std::nullopt;
                    });
  }

  std::optional<std::string> end_of(const clang::VarDecl& variable, bool last) const {
    for (const CountedLoop& loop : nest_.loops)
      if (loop.variable == &variable)
        return "(" + std::to_string(*loop.first + (last ? (*loop.trips - 1) * loop.step : 0)) + ")";
    return std::nullopt;
  }

  const KernelView& kernel_;
  const Nest& nest_;
  unsigned before_;
  NestReader reader_;
};

/// A block's statements from its first nest with tests to its end.
class Splitting {
 public:
  Splitting(const KernelView& kernel, const clang::CompoundStmt& block)
      : kernel_(kernel), block_(block) {}

  bool edit(bool compact, TextEdits& edits) {
    const NestReader reader(kernel_);
    for (const clang::Stmt* statement : block_.body()) {
      const auto nest = reader.read(*statement);
      const auto range = kernel_.source.statement_range(*statement);
      if (!range) {
        if (first_) return false;
        continue;
      }
      if (!first_ && !nest) continue;
      if (!first_) first_ = range;
      last_ = range;
      if (nest && !add(*nest, *range, compact)) return false;
    }
    if (!first_ || conditions_.empty()) return false;
    std::string condition;
    for (const std::string& one : conditions_) condition += (condition.empty() ? "" : " && ") + one;
    const TextRange all{first_->begin, last_->end};
    edits.replace(all, "if (" + condition + ") {\n" + inside_.apply(kernel_.source.text(), all) +
                           "\n} else {\n" + border_.apply(kernel_.source.text(), all) + "\n}");
    return true;
  }

 private:
  bool add(const Nest& nest, TextRange range, bool compact) {
    const Corners corners(kernel_, nest, first_->begin);
    for (const Test& test : nest.tests) {
      if (!corners.add(test, conditions_)) continue;
      const auto whole = kernel_.source.range(*test.statement);
      const auto then = kernel_.source.range(*test.statement->getThen());
      if (!whole || !then) return false;
      inside_.replace({whole->begin, then->begin}, "");
    }
    for (const CountedLoop& loop : nest.loops)
      if (const auto at = kernel_.source.range(*loop.statement))
        inside_.insert(at->begin, "\n#pragma unroll\n");
    if (compact) border_.insert(range.begin, "\n#pragma unroll 1\n");
    return true;
  }

  const KernelView& kernel_;
  const clang::CompoundStmt& block_;
  std::optional<TextRange> first_, last_;
  std::vector<std::string> conditions_;
  TextEdits inside_, border_;
};

class Interior final : public Transform {
 public:
  std::string name() const override { return "interior"; }
  Axis axis() const override { return Axis::compute; }
  std::string summary() const override {
    return "tests once that a whole neighbourhood lies inside, not each neighbour";
  }

  /// {"compact": true}: the form with tests is not unrolled
  std::vector<json> parameters(const KernelView&) const override {
    return {{{"compact", true}}, {{"compact", false}}};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const bool compact = parameters.value("compact", true);
    TextEdits edits;
    walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors&) {
      const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&node);
      // Within a block that was split, everything is in both forms already.
      return block == nullptr || !Splitting(kernel, *block).edit(compact, edits);
    });
    if (edits.empty())
      return Refusal{"no loops of constant length test what is linear in their variables"};
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& interior() {
  static const Interior transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
