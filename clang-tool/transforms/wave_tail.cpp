// Reductions in LDS halve the work-items that take part from round to round, with a barrier after
// each. Once they are all of one wave, that wave goes on alone: it is in step with itself, so that
// fences within the wave do, and the others wait once. Where its work-items only combine their own
// element with one further on, the elements stay in registers and go through the wave.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/conditions.h"
#include "clang-tool/transforms/memory_effects.h"
#include "clang-tool/transforms/wave_registers.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

// Work-items below this are of one wave, whether it has 32 or 64.
constexpr const char* one_wave = "32";
constexpr const char* wave_fence =
    "__builtin_amdgcn_fence(__ATOMIC_RELEASE, \"wavefront\"); __builtin_amdgcn_wave_barrier(); "
    "__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"wavefront\");";

struct Tree {
  const clang::ForStmt* loop = nullptr;
  const clang::VarDecl* width = nullptr;
  const clang::Stmt* barrier = nullptr;
  const clang::IfStmt* branch = nullptr;
  bool barrier_is_last = false;
  bool all_take_part = false;  ///< statements beside the branch: every work-item runs the rounds
};

class Matcher {
 public:
  explicit Matcher(const KernelView& kernel) : kernel_(kernel), context_(kernel.unit.context()) {}

  std::optional<Tree> match(const clang::Stmt& statement) const {
    Tree tree;
    tree.loop = llvm::dyn_cast<clang::ForStmt>(&statement);
    if (tree.loop == nullptr || !match_header(tree)) return std::nullopt;
    const auto* body = llvm::dyn_cast<clang::CompoundStmt>(tree.loop->getBody());
    if (body == nullptr || body->size() < 2 || may_change(*body, *tree.width)) return std::nullopt;
    const clang::IfStmt* branch = nullptr;
    for (const clang::Stmt* inner : body->body()) {
      if (is_barrier(*inner)) {
        if (tree.barrier != nullptr) return std::nullopt;
        tree.barrier = inner;
      } else if (const auto* found = llvm::dyn_cast<clang::IfStmt>(inner)) {
        if (branch != nullptr || !is_for_few(*found, *tree.width)) return std::nullopt;
        branch = found;
      } else if (changes_locals_alone(*inner)) {
        tree.all_take_part = true;
      } else {
        return std::nullopt;
      }
    }
    tree.branch = branch;
    tree.barrier_is_last = tree.barrier == body->body_back();
    if (branch == nullptr || tree.barrier == nullptr ||
        (!tree.barrier_is_last && tree.barrier != body->body_front()))
      return std::nullopt;
    return tree;
  }

  bool is_thread(const clang::Expr& expression) const {
    if (const auto index = as_launch_index(expression))
      return *index == LaunchIndex{LaunchValue::thread, 0};
    const clang::VarDecl* variable = as_variable(expression);
    return variable != nullptr && variable->isLocalVarDecl() && variable->hasInit() &&
           context_.getTypeSize(variable->getType()) >= 32 &&
           !may_change(kernel_.body(), *variable) && is_thread(*variable->getInit());
  }

 private:
  /// `for (T w = ...; w > 0; w /= 2)`
  bool match_header(Tree& tree) const {
    const auto* init = llvm::dyn_cast_or_null<clang::DeclStmt>(tree.loop->getInit());
    if (init == nullptr || !init->isSingleDecl() || tree.loop->getCond() == nullptr ||
        tree.loop->getInc() == nullptr || tree.loop->getConditionVariable() != nullptr)
      return false;
    tree.width = llvm::dyn_cast<clang::VarDecl>(init->getSingleDecl());
    if (tree.width == nullptr || !tree.width->getType()->isIntegerType() ||
        context_.getTypeSize(tree.width->getType()) < 32)
      return false;
    const auto* condition = llvm::dyn_cast<clang::BinaryOperator>(&stripped(*tree.loop->getCond()));
    if (condition == nullptr || as_variable(*condition->getLHS()) != tree.width) return false;
    const auto least = constant_value(*condition->getRHS(), context_);
    const auto operation = condition->getOpcode();
    if (!((operation == clang::BO_GT && least == 0) || (operation == clang::BO_GE && least == 1) ||
          (operation == clang::BO_NE && least == 0)))
      return false;
    return halves(stripped(*tree.loop->getInc()), *tree.width);
  }

  bool halves(const clang::Expr& increment, const clang::VarDecl& width) const {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&increment);
    if (binary == nullptr || as_variable(*binary->getLHS()) != &width) return false;
    if (binary->getOpcode() == clang::BO_Assign)
      binary = llvm::dyn_cast<clang::BinaryOperator>(&stripped(*binary->getRHS()));
    if (binary == nullptr || as_variable(*binary->getLHS()) != &width) return false;
    const auto by = constant_value(*binary->getRHS(), context_);
    const auto operation = binary->getOpcode();
    return (by == 2 && (operation == clang::BO_Div || operation == clang::BO_DivAssign)) ||
           (by == 1 && (operation == clang::BO_Shr || operation == clang::BO_ShrAssign));
  }

  /// Whether the condition demands `thread < width`.
  bool demands_few(const clang::Expr& condition, const clang::VarDecl& width) const {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&stripped(condition));
    if (binary == nullptr) return false;
    if (binary->getOpcode() == clang::BO_LAnd)
      return demands_few(*binary->getLHS(), width) || demands_few(*binary->getRHS(), width);
    if (binary->getOpcode() == clang::BO_LT)
      return is_thread(*binary->getLHS()) && as_variable(*binary->getRHS()) == &width;
    return binary->getOpcode() == clang::BO_GT && is_thread(*binary->getRHS()) &&
           as_variable(*binary->getLHS()) == &width;
  }

  bool is_for_few(const clang::IfStmt& branch, const clang::VarDecl& width) const {
    return branch.getElse() == nullptr && branch.getInit() == nullptr && !branch.hasVarStorage() &&
           !branch.isConstexpr() && demands_few(*branch.getCond(), width) &&
           is_lds_arithmetic(*branch.getCond()) && is_lds_arithmetic(*branch.getThen());
  }

  /// Works on LDS and locals alone, and has no way out.
  bool is_lds_arithmetic(const clang::Stmt& root) const {
    bool fits = true;
    walk(root, [&](const clang::Stmt& node, const Ancestors&) {
      if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node)) {
        if (as_launch_index(*whole)) return false;
        if (whole->getType().isVolatileQualified()) fits = false;
      }
      if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node)) {
        const clang::VarDecl* array = root_variable(*element);
        fits = fits && array != nullptr &&
               (array->hasAttr<clang::CUDASharedAttr>() || array->hasLocalStorage());
      } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node)) {
        if (unary->getOpcode() == clang::UO_Deref || unary->getOpcode() == clang::UO_AddrOf)
          fits = false;
      } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) {
        fits = fits && !member->isArrow();
      } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&node)) {
        fits = fits && is_arithmetic(*call);
      } else if (llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt,
                           clang::GotoStmt, clang::AsmStmt, clang::LambdaExpr, clang::AtomicExpr,
                           clang::ForStmt, clang::WhileStmt, clang::DoStmt>(&node)) {
        fits = false;
      }
      return fits;
    });
    return fits;
  }

  static bool is_arithmetic(const clang::CallExpr& call) {
    static const std::set<llvm::StringRef> names = {"min",   "max",   "fmin", "fmax",
                                                    "fminf", "fmaxf", "abs",  "fabsf"};
    const clang::FunctionDecl* callee = call.getDirectCallee();
    return callee != nullptr && callee->getIdentifier() != nullptr &&
           (names.contains(callee->getName()) || callee->hasAttr<clang::ConstAttr>());
  }

  /// `local = ...` of locals: the same in every round, whoever works in it.
  bool changes_locals_alone(const clang::Stmt& statement) const {
    const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
    const auto* binary = expression == nullptr
                             ? nullptr
                             : llvm::dyn_cast<clang::BinaryOperator>(&stripped(*expression));
    if (binary == nullptr || !binary->isAssignmentOp()) return false;
    const clang::VarDecl* target = as_variable(*binary->getLHS());
    if (target == nullptr || !target->hasLocalStorage() || target->getType()->isReferenceType())
      return false;
    bool reads = false;
    walk(*binary->getRHS(), [&](const clang::Stmt& node, const Ancestors&) {
      if (llvm::isa<clang::ArraySubscriptExpr, clang::CallExpr>(&node)) reads = true;
      return !reads;
    });
    return !reads && is_pure(*binary->getRHS(), context_);
  }

  const KernelView& kernel_;
  const clang::ASTContext& context_;
};

std::vector<Tree> trees_of(const KernelView& kernel) {
  std::vector<Tree> found;
  const Matcher matcher(kernel);
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    if (!ancestors.empty() && llvm::isa<clang::AttributedStmt>(ancestors.back())) return true;
    const auto tree = matcher.match(node);
    if (tree) found.push_back(*tree);
    return !tree;
  });
  return found;
}

std::optional<std::string> written(const KernelView& kernel, const Tree& tree) {
  const SourceText& source = kernel.source;
  const std::string init = source.text(*tree.loop->getInit());
  const std::string condition = source.text(*tree.loop->getCond());
  const std::string step = source.text(*tree.loop->getInc());
  const auto body = source.range(*tree.loop->getBody());
  const auto barrier = source.statement_range(*tree.barrier);
  if (init.empty() || condition.empty() || step.empty() || !body || !barrier) return std::nullopt;
  TextEdits edits;
  edits.replace(*barrier, wave_fence);
  const std::string end = init.back() == ';' ? "" : ";";
  const std::string wait = "__syncthreads();\n";
  return "{\n" + init + end + "\nfor (; " + tree.width->getNameAsString() + " > " + one_wave +
         "; " + step + ") " + source.text(*body) + "\n" + (tree.barrier_is_last ? "" : wait) +
         (tree.all_take_part ? "" : "if (threadIdx.x < 64u)\n") + "for (; " + condition + "; " +
         step + ") " + edits.apply(source.text(), *body) + "\n" +
         (tree.barrier_is_last ? wait : "") + "}\n";
}

/// The last rounds over registers; a fence before each brings the wave's work-items together for
/// the shuffle, where branches may have parted them. `geak_first` is the width that they begin
/// with: the work-items below twice of it hold elements, those below it change theirs.
std::optional<std::string> written_in_registers(const KernelView& kernel, const Tree& tree) {
  const Matcher matcher(kernel);
  if (tree.all_take_part) return std::nullopt;
  const auto round =
      in_registers(kernel, *tree.branch, *tree.width,
                   [&](const clang::Expr& expression) { return matcher.is_thread(expression); });
  const SourceText& source = kernel.source;
  const std::string init = source.text(*tree.loop->getInit());
  const std::string condition = source.text(*tree.loop->getCond());
  const std::string step = source.text(*tree.loop->getInc());
  const std::string body = source.text(*tree.loop->getBody());
  if (!round || init.empty() || condition.empty() || step.empty() || body.empty())
    return std::nullopt;
  const std::string width = tree.width->getNameAsString();
  const std::string wait = "__syncthreads();\n";
  return "{\n" + init + (init.back() == ';' ? "" : ";") + "\nfor (; " + width + " > 16; " + step +
         ") " + body + "\n" + (tree.barrier_is_last ? "" : wait) +
         "const unsigned geak_lane = threadIdx.x, geak_first = " + width + ";\n" +
         "if (geak_lane < 32u) {\n" + round->load + "for (; " + condition + "; " + step + ") {\n" +
         wave_fence + "\n" + round->shuffle + round->branch + "\n}\n" + round->store + "}\n" +
         (tree.barrier_is_last ? wait : "") + "}\n";
}

class WaveTail final : public Transform {
 public:
  std::string name() const override { return "wave_tail"; }
  Axis axis() const override { return Axis::parallelism; }
  std::string summary() const override {
    return "the last rounds of a reduction in LDS are one wave's, without barriers";
  }

  /// {"registers": true}: elements go from work-item to work-item without LDS, where they can
  std::vector<json> parameters(const KernelView& kernel) const override {
    const auto trees = trees_of(kernel);
    if (trees.empty()) return {};
    const bool registers = std::ranges::any_of(
        trees, [&](const Tree& tree) { return written_in_registers(kernel, tree).has_value(); });
    if (registers) return {{{"registers", true}}, json::object()};
    return {json::object()};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const bool registers = parameters.value("registers", false);
    const auto trees = trees_of(kernel);
    if (trees.empty()) return Refusal{"no loop halves how many work-items combine elements of LDS"};
    const auto is_flat = [](const support::Launch& launch) {
      return launch.block[1] == 1 && launch.block[2] == 1;
    };
    if (kernel.seen.empty()) return Refusal{"no launch was seen"};
    if (!std::ranges::all_of(kernel.runs, is_flat))
      return Refusal{"workgroups of several rows: work-items 0 to 31 may be of several waves"};
    TextEdits edits;
    for (const Tree& tree : trees) {
      const auto range = kernel.source.statement_range(*tree.loop);
      const auto text = registers ? written_in_registers(kernel, tree) : written(kernel, tree);
      if (range && text) edits.replace(*range, *text);
    }
    if (edits.empty())
      return Refusal{registers ? "the rounds reach other elements than their own and one further on"
                               : "the loop's text stands in a macro"};
    require_block_axis(1, 1, draft);
    require_block_axis(2, 1, draft);
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& wave_tail() {
  static const WaveTail transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
