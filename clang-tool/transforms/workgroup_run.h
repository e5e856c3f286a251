#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <llvm/ADT/BitVector.h>

#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {

/// What combines elements of LDS. Every one of them is associative and commutative, sums and
/// products of floating-point numbers but for their rounding.
enum class Combination { sum, product, all_bits, any_bits, odd_bits, least, greatest };

/// A value of one work-item: a number, or what elements of one LDS array held when the run began,
/// combined.
struct RunValue {
  enum class Kind { unknown, integer, real, elements };
  Kind kind = Kind::unknown;
  std::int64_t integer = 0;
  double real = 0;
  const clang::VarDecl* array = nullptr;
  std::shared_ptr<const llvm::BitVector> elements = {};
};

/// An LDS array that a run reached.
struct RunArray {
  struct Element {
    RunValue value;
    bool read_first = false;  ///< what it held when the run began was used
    bool written = false;
    unsigned read_in = 0, written_in = 0;   ///< the last phase between barriers; 0: none
    std::int64_t reader = -1, writer = -1;  ///< work-item in it; several: `many`
  };
  clang::QualType type;  ///< of an element
  std::vector<Element> elements;
  std::optional<Combination> combination;
  std::string function;  ///< that combines floating-point numbers; empty: an operator
};

/// Runs statements of a kernel for every work-item of a workgroup, with numbers for integers and
/// with names for what LDS holds: whatever the statements' indices look like, what they leave in
/// which element is known afterwards. Refuses where work-items race, so that the order in which
/// they run cannot matter.
///
/// Patterns over the AST of each known scan were the alternative: there are dozens of ways to
/// write the same tree.
class WorkgroupRun {
 public:
  /// `before`: the statements of the block that `first` stands in, up to it.
  WorkgroupRun(const KernelView& kernel, std::uint32_t work_items,
               std::vector<const clang::Stmt*> before);

  /// Runs one more statement; false where `problem` says why it cannot be run.
  bool run(const clang::Stmt& statement);
  /// The value of a pure expression for one work-item, after what has been run.
  std::optional<std::int64_t> number(const clang::Expr& expression, std::uint32_t work_item);

  const std::string& problem() const { return problem_; }
  const std::map<const clang::VarDecl*, RunArray>& arrays() const { return arrays_; }
  /// Variables from outside of what was run that it changed, with their values.
  std::map<const clang::VarDecl*, std::vector<RunValue>> changed() const;
  /// Arguments whose values seen were relied on, by position.
  const std::map<unsigned, std::int64_t>& arguments() const { return arguments_; }
  unsigned barriers() const { return phase_ - 1; }
  /// The LDS array whose begin a pointer is, or null.
  const clang::VarDecl* array_of(const clang::Expr& pointer);

 private:
  using Mask = std::vector<char>;
  struct Place {
    const clang::VarDecl* variable = nullptr;
    std::optional<std::int64_t> element = std::nullopt;  ///< of an LDS array
  };

  void execute(const clang::Stmt& statement, const Mask& mask);
  void loop(const clang::Stmt& body, const clang::Expr* condition, const clang::Expr* increment,
            bool condition_first, const Mask& mask);
  void branch(const clang::Expr& condition, const clang::Stmt& then, const clang::Stmt* otherwise,
              const Mask& mask);
  /// `if (s[i] < s[j]) s[i] = s[j];`, whose condition is no number. False: the branch is another.
  bool keep_one(const clang::Expr& condition, const clang::Stmt& then, const Mask& mask);
  void declare(const clang::DeclStmt& statement, const Mask& mask);
  void wait(const Mask& mask);
  /// Of a condition for all work-items of the mask; sets `problem_` where it is no number.
  Mask those_with(const clang::Expr& condition, const Mask& mask);

  RunValue evaluate(const clang::Expr& expression);
  RunValue evaluate_cast(const clang::CastExpr& cast);
  RunValue evaluate_unary(const clang::UnaryOperator& unary);
  RunValue evaluate_binary(const clang::BinaryOperator& binary);
  RunValue evaluate_call(const clang::CallExpr& call);
  RunValue evaluate_choice(const clang::ConditionalOperator& choice);
  /// The lesser or the greater of two elements, where a comparison of both chooses one of them:
  /// `whole` is what has `taken` where it holds, else `left_out`. None: no elements are compared.
  std::optional<RunValue> chosen(const clang::Expr& whole, const clang::Expr& condition,
                                 const clang::Expr& taken, const clang::Expr& left_out);
  RunValue evaluate_logical(const clang::BinaryOperator& binary);
  RunValue arithmetic(const clang::Expr& whole, clang::BinaryOperatorKind operation,
                      const RunValue& left, const RunValue& right, clang::QualType compared);
  RunValue combine(const clang::Expr& whole, Combination combination, const std::string& function,
                   const RunValue& left, const RunValue& right);
  /// A glvalue's value, or the value itself.
  RunValue value_of(const clang::Expr& expression);
  std::optional<Place> place_of(const clang::Expr& lvalue);
  /// The LDS array that a pointer leads into and how far from its begin.
  std::optional<Place> into_lds(const clang::Expr& pointer, unsigned depth = 0);
  RunValue load(const Place& place);
  void store(const Place& place, RunValue value, clang::QualType type);
  /// Of a variable that was not declared in the run.
  RunValue outer_value(const clang::VarDecl& variable);
  /// Whether nothing in the kernel changes it.
  bool is_constant(const clang::VarDecl& variable);
  /// Whether nothing between its declaration in `before_` and the run changes it.
  bool is_as_declared(const clang::VarDecl& variable);
  RunArray::Element* element_at(const Place& place);
  RunValue fail(const std::string& why);
  RunValue wrapped(std::int64_t value, clang::QualType type) const;

  const KernelView& kernel_;
  std::uint32_t work_items_;
  std::vector<const clang::Stmt*> before_;
  std::string problem_;
  std::map<const clang::VarDecl*, RunArray> arrays_;
  std::map<const clang::VarDecl*, std::vector<RunValue>> variables_;
  std::set<const clang::VarDecl*> declared_, assigned_;
  std::map<unsigned, std::int64_t> arguments_;
  std::map<const clang::VarDecl*, bool> constant_;
  std::uint32_t at_ = 0;         ///< the work-item that is evaluated
  bool numbers_alone_ = false;   ///< what LDS holds is not looked at
  bool in_declaration_ = false;  ///< evaluates one that stands before the run
  unsigned phase_ = 1;
  std::uint64_t steps_ = 0;
};

/// Whether the statement is `__syncthreads();`.
bool is_workgroup_barrier(const clang::Stmt& statement);
/// Whether combining with this number, of an element's type, changes nothing.
bool is_neutral(const RunValue& value, Combination combination);

}  // namespace geak::clang_tool::transforms
