// Reads what several rounds of a loop need before the first of them does its work: the waits for
// memory overlap, where stores or branches between the rounds kept the compiler from moving the
// loads. The rounds themselves follow one another as they did, so that results stay the same.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

#include "clang-tool/transforms/ahead_reads.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/loop_text.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

constexpr unsigned most_rounds = 32;

std::vector<CountedLoop> loops_of(const KernelView& kernel) {
  std::vector<CountedLoop> found;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    const bool marked = !ancestors.empty() && llvm::isa<clang::AttributedStmt>(ancestors.back());
    if (const auto loop = as_counted_loop(node, kernel.unit.context()); loop && !marked)
      found.push_back(*loop);
    return !llvm::isa<clang::LambdaExpr>(&node);
  });
  return found;
}

class Writer {
 public:
  Writer(const KernelView& kernel, const CountedLoop& loop, const AheadReads& reads,
         unsigned rounds, unsigned number)
      : kernel_(kernel),
        loop_(loop),
        reads_(reads),
        rounds_(rounds),
        number_(std::to_string(number)) {}

  /// The loop in batches, then round by round; nothing where a piece of it stands in a macro.
  std::optional<std::string> write() {
    const LoopText text(kernel_, loop_);
    const auto body = kernel_.source.statement_range(*loop_.statement->getBody());
    const std::string begin = kernel_.source.text(*loop_.begin);
    const auto more = text.condition(at());
    const auto room = text.room_for(rounds_, at());
    if (!body || begin.empty() || !more || !room || !name_reads()) return std::nullopt;
    const std::string step = std::to_string(loop_.step);
    const std::string rounds = std::to_string(rounds_);
    const std::string each = "#pragma unroll\nfor (int " + nth() + " = 0; " + nth() + " < " +
                             rounds + "; ++" + nth() + ") {\n" +
                             round(at() + " + " + nth() + " * " + step);
    return "{\n" + text.type() + " " + at() + " = " + begin + ";\n#pragma unroll 1\nfor (; " +
           *more + " && " + *room + "; " + at() + " += " + rounds + " * " + step + ") {\n" +
           arrays_ + each + loads() + "}\n" + each + edits_.apply(kernel_.source.text(), *body) +
           "\n}\n}\nfor (; " + *more + "; " + at() + " += " + step + ") {\n" + round(at()) +
           kernel_.source.text(*body) + "\n}\n}\n";
  }

 private:
  std::string at() const { return "geak_batch" + number_; }
  std::string nth() const { return "geak_round" + number_; }
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
    for (const CountedLoop& loop : loops_of(kernel)) {
      if (loop.trips && *loop.trips < rounds) {
        why = Refusal{"the loop has fewer rounds than a batch"};
        continue;
      }
      const Draft before = draft;
      AheadReads reads(kernel, loop, draft);
      auto refusal = reads.find();
      const auto range = kernel.source.statement_range(*loop.statement);
      if (!refusal) {
        const auto text = Writer(kernel, loop, reads, rounds, number).write();
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
