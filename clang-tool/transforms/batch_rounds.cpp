// Reads what several rounds of a loop need before the first of them does its work: the waits for
// memory overlap, where stores or branches between the rounds kept the compiler from moving the
// loads. The rounds themselves follow one another as they did, so that results stay the same.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <algorithm>
#include <functional>

#include "clang-tool/transforms/ahead_reads.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/element_rounds.h"
#include "clang-tool/transforms/loop_text.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

constexpr unsigned most_rounds = 32;

/// A loop in equal steps: constant ones, or `stride`, which it does not change.
struct SteppedLoop {
  CountedLoop counted;
  const clang::Expr* stride = nullptr;
};

/// Whether a step is the same in every round: arithmetic of launch values, constants and variables
/// that the loop does not change.
bool is_fixed(const KernelView& kernel, const StridedLoop& loop) {
  const clang::Stmt& body = *loop.statement->getBody();
  const auto within = kernel.source.range(body);
  bool fixed = within.has_value();
  const auto is_unchanged = [&](const clang::VarDecl& variable) {
    const auto at = kernel.source.offset(variable.getLocation());
    return variable.isLocalVarDeclOrParm() && variable.hasLocalStorage() &&
           &variable != loop.variable && at && (*at < within->begin || *at >= within->end) &&
           !may_change(body, variable);
  };
  std::function<void(const clang::Expr&)> check = [&](const clang::Expr& part) {
    if (as_launch_index(part)) return;
    if (const auto product = as_product(part)) {
      check(*product->first);
      check(*product->second);
    } else if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&part)) {
      fixed = fixed && (binary->isAdditiveOp() || binary->isShiftOp());
      check(*binary->getLHS());
      check(*binary->getRHS());
    } else if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&part)) {
      check(*cast->getSubExpr());
    } else if (const auto* paren = llvm::dyn_cast<clang::ParenExpr>(&part)) {
      check(*paren->getSubExpr());
    } else if (!constant_value(part, kernel.unit.context())) {
      const clang::VarDecl* variable = as_variable(part);
      fixed = fixed && variable != nullptr && is_unchanged(*variable);
    }
  };
  check(*loop.step);
  return fixed;
}

std::optional<SteppedLoop> as_stepped_loop(const KernelView& kernel, const clang::Stmt& node) {
  const clang::ASTContext& context = kernel.unit.context();
  if (const auto counted = as_counted_loop(node, context)) return SteppedLoop{*counted};
  const auto strided = as_strided_loop(node, context);
  if (!strided || !strided->step->getType()->isIntegerType() || !is_fixed(kernel, *strided))
    return std::nullopt;
  CountedLoop counted;
  counted.statement = strided->statement;
  counted.variable = strided->variable;
  counted.begin = strided->begin;
  counted.end = strided->end;
  return SteppedLoop{counted, strided->step};
}

std::vector<SteppedLoop> loops_of(const KernelView& kernel) {
  std::vector<SteppedLoop> found;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    const bool marked = !ancestors.empty() && llvm::isa<clang::AttributedStmt>(ancestors.back());
    if (const auto loop = as_stepped_loop(kernel, node); loop && !marked) found.push_back(*loop);
    return !llvm::isa<clang::LambdaExpr>(&node);
  });
  return found;
}

class Writer {
 public:
  Writer(const KernelView& kernel, const SteppedLoop& loop, const AheadReads& reads,
         unsigned rounds, unsigned number)
      : kernel_(kernel),
        loop_(loop.counted),
        stride_(loop.stride),
        reads_(reads),
        rounds_(rounds),
        number_(std::to_string(number)) {}

  /// The loop in batches, then round by round; nothing where a piece of it stands in a macro.
  std::optional<std::string> write() {
    const LoopText text(kernel_, loop_);
    const auto body = kernel_.source.statement_range(*loop_.statement->getBody());
    const std::string begin = kernel_.source.text(*loop_.begin);
    const auto more = text.condition(at());
    const auto room = stride_ == nullptr ? text.room_for(rounds_, at()) : room_for_strides();
    if (!body || begin.empty() || !more || !room || !name_reads()) return std::nullopt;
    const std::string step = stride_ == nullptr ? std::to_string(loop_.step) : stride();
    const std::string rounds = std::to_string(rounds_);
    const std::string each = "#pragma unroll\nfor (int " + nth() + " = 0; " + nth() + " < " +
                             rounds + "; ++" + nth() + ") {\n" +
                             round(at() + " + " + nth() + " * " + step);
    return "{\n" + strides() + text.type() + " " + at() + " = " + begin +
           ";\n#pragma unroll 1\nfor (; " + *more + " && " + *room + "; " + at() + " += " + rounds +
           " * " + step + ") {\n" + arrays_ + each + loads() + "}\n" + each +
           edits_.apply(kernel_.source.text(), *body) + "\n}\n}\nfor (; " + *more + "; " + at() +
           " += " + step + ") {\n" + round(at()) + kernel_.source.text(*body) + "\n}\n}\n";
  }

 private:
  std::string at() const { return "geak_batch" + number_; }
  std::string nth() const { return "geak_round" + number_; }
  std::string stride() const { return "geak_stride" + number_; }
  std::string reach() const { return "geak_reach" + number_; }

  /// What is compared holds the last round of a batch; steps that do not lead towards the end, or
  /// are too wide for that, are beyond anything.
  std::string strides() const {
    if (stride_ == nullptr) return {};
    const std::string text = kernel_.source.text(*stride_);
    const bool wide = kernel_.unit.context().getTypeSize(loop_.variable->getType()) > 32;
    const std::string type = wide ? "unsigned long long" : "unsigned";
    return "const " + type + " " + stride() + " = (" + type + ")(" + text +
           ");\nconst unsigned long long " + reach() + " = (" + text + ") > 0 && " +
           "(unsigned long long)(" + text + ") < (1ull << 58) ? (unsigned long long)(" + text +
           ") * " + std::to_string(rounds_ - 1) + "ull : ~0ull;\n";
  }

  /// Both are of one signedness and the end is ahead, so that their difference in 64 bits is exact.
  std::optional<std::string> room_for_strides() const {
    const clang::ASTContext& context = kernel_.unit.context();
    const clang::Expr& end = stripped(*loop_.end);
    const auto constant = constant_value(end, context);
    const bool alike =
        loop_.variable->getType()->isSignedIntegerType() == end.getType()->isSignedIntegerType() ||
        (constant && *constant >= 0);
    const std::string text = kernel_.source.text(*loop_.end);
    if (!end.getType()->isIntegerType() || !alike || text.empty() ||
        kernel_.source.text(*stride_).empty())
      return std::nullopt;
    return "(unsigned long long)(" + text + ") - (unsigned long long)(" + at() + ") > " + reach();
  }
  std::string round(const std::string& value) const {
    return "__attribute__((unused)) const " + LoopText(kernel_, loop_).type() + " " +
           loop_.variable->getNameAsString() + " = " + value + ";\n";
  }

  bool name_reads() {
    for (std::size_t i = 0; i < reads_.places().size(); ++i) {
      const clang::Expr& place = *reads_.places()[i];
      const auto range = kernel_.source.range(place);
      if (!range) return false;
      const std::string name = "geak_ahead" + number_ + "_" + std::to_string(i);
      pieces_.push_back({*range, name + "[" + nth() + "] = ", ";\n"});
      edits_.replace(*range, name + "[" + nth() + "]");
      arrays_ += place.getType().getCanonicalType().getUnqualifiedType().getAsString(
                     kernel_.unit.context().getPrintingPolicy()) +
                 " " + name + "[" + std::to_string(rounds_) + "];\n";
    }
    for (const clang::DeclStmt* declaration : reads_.needed()) {
      const auto range = kernel_.source.statement_range(*declaration);
      if (!range) return false;
      pieces_.push_back({*range, "__attribute__((unused)) ", "\n"});
      // It may have been there for an address alone.
      edits_.insert(range->begin, "__attribute__((unused)) ");
    }
    return true;
  }

  /// One round's reads, each after what its address is made of.
  std::string loads() {
    std::ranges::sort(pieces_, {}, [](const Piece& piece) { return piece.range.end; });
    std::string text;
    for (const Piece& piece : pieces_) text += piece.before + inner(piece.range) + piece.after;
    return text;
  }

  /// The text with the reads within it replaced; not the one that it is itself.
  std::string inner(TextRange whole) const {
    TextEdits within;
    for (std::size_t i = 0; i < reads_.places().size(); ++i) {
      const auto range = kernel_.source.range(*reads_.places()[i]);
      if (*range == whole || range->begin < whole.begin || range->end > whole.end) continue;
      within.replace(*range, "geak_ahead" + number_ + "_" + std::to_string(i) + "[" + nth() + "]");
    }
    return within.apply(kernel_.source.text(), whole);
  }

  struct Piece {
    TextRange range;
    std::string before, after;
  };

  const KernelView& kernel_;
  const CountedLoop& loop_;
  const clang::Expr* stride_;  ///< null: constant steps
  const AheadReads& reads_;
  unsigned rounds_;
  std::string number_;
  std::string arrays_;
  std::vector<Piece> pieces_;
  TextEdits edits_;
};

class BatchRounds final : public Transform {
 public:
  std::string name() const override { return "batch_rounds"; }
  Axis axis() const override { return Axis::memory; }
  std::string summary() const override {
    return "reads what several rounds of a loop need before the first of them does its work";
  }

  /// {"rounds": 8}
  std::vector<json> parameters(const KernelView& kernel) const override {
    std::vector<json> choices;
    if (!loops_of(kernel).empty())
      for (unsigned rounds : {16U, 32U, 4U, 8U}) choices.push_back({{"rounds", rounds}});
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto rounds = parameters.at("rounds").get<unsigned>();
    if (rounds < 2 || rounds > most_rounds)
      return Refusal{"a batch has 2 to " + std::to_string(most_rounds) + " rounds"};
    Refusal why{"there is no counted loop"};
    TextEdits edits;
    unsigned number = unused_number(kernel, "geak_batch");
    for (const SteppedLoop& stepped : loops_of(kernel)) {
      const CountedLoop& loop = stepped.counted;
      if (loop.trips && *loop.trips < rounds) {
        why = Refusal{"the loop has fewer rounds than a batch"};
        continue;
      }
      const Draft before = draft;
      AheadReads reads(kernel, loop, draft);
      auto refusal = reads.find();
      const auto range = kernel.source.statement_range(*loop.statement);
      if (!refusal) {
        const auto text = Writer(kernel, stepped, reads, rounds, number).write();
        if (text && range) {
          edits.replace(*range, *text);
          ++number;
          continue;
        }
        refusal = Refusal{
            "the loop's text stands in a macro, its end is of another type, or it steps too wide"};
      }
      draft = before;
      why = *refusal;
    }
    if (edits.empty()) return why;
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& batch_rounds() {
  static const BatchRounds transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
