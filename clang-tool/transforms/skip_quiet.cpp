// Loops that rarely do anything (a search, a filter): tests several rounds at once, with one branch
// for "any of them does something", and passes over blocks in which none does. Rounds that may do
// something run as they are written, so the probe decides nothing but what can be skipped.
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/loop_text.h"
#include "clang-tool/transforms/quiet_probe.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

constexpr unsigned all_tests = 1000;

/// The loops that can be looked at, outermost first.
std::vector<CountedLoop> loops_of(const KernelView& kernel) {
  std::vector<CountedLoop> found;
  const clang::ASTContext& context = kernel.unit.context();
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    const auto loop = as_bounded_loop(node, context);
    if (!loop || (!ancestors.empty() && llvm::isa<clang::AttributedStmt>(ancestors.back())))
      return !llvm::isa<clang::LambdaExpr>(&node);
    const bool few = loop->trips && *loop->trips < 8;
    if (!few && can_look_ahead(kernel, *loop)) found.push_back(*loop);
    return true;
  });
  return found;
}

class Writer {
 public:
  /// `rare`: the compiler is told that rounds seldom do anything.
  Writer(const KernelView& kernel, const CountedLoop& loop, unsigned number, bool rare)
      : kernel_(kernel),
        loop_(loop),
        text_(kernel, loop),
        suffix_(std::to_string(number)),
        rare_(rare) {}

  std::optional<std::string> write(unsigned rounds, unsigned tests, Draft& draft) const {
    const std::string any = name("any");
    QuietProbe probe(kernel_, loop_, draft, tests);
    const auto test = probe.text(any);
    if (!test) return std::nullopt;
    probe.require(draft);
    if (rounds == 1) return one_by_one(any, *test);
    return in_blocks(rounds, any, *test, probe.outlasts_effects(draft));
  }

 private:
  std::string name(const std::string& what) const { return "geak_" + what + suffix_; }
  std::string expected(const std::string& any) const {
    return rare_ ? "__builtin_expect(" + any + ", 0)" : any;
  }

  /// The loop as it is, with one branch in a round for all that it might do.
  std::optional<std::string> one_by_one(const std::string& any, const std::string& test) const {
    const auto whole = kernel_.source.statement_range(*loop_.statement);
    const auto body = kernel_.source.statement_range(*loop_.statement->getBody());
    if (!whole || !body) return std::nullopt;
    return kernel_.source.text({whole->begin, body->begin}) + "{\nbool " + any + " = false;\n{\n" +
           test + "}\nif (" + expected(any) + ")\n" + kernel_.source.text(*body) + "\n}\n";
  }

  std::optional<std::string> in_blocks(unsigned rounds, const std::string& any,
                                       const std::string& test, bool outlasts) const {
    const std::string at = name("at"), left = name("left"), full = name("full");
    const auto room = text_.room_for(rounds, at);
    const auto again = text_.condition(loop_.variable->getNameAsString());
    const auto condition = text_.condition(at);
    const auto body = text_.body("{ " + left + " = true; break; }");
    const std::string begin = kernel_.source.text(*loop_.begin);
    if (!room || !again || !condition || !body || begin.empty()) return std::nullopt;
    const std::string probes = "#pragma unroll\nfor (int geak_q = 0; geak_q < " +
                               std::to_string(rounds) + "; ++geak_q) {\n" +
                               declaration(at, "geak_q");
    const std::string one = "if (!(" + *again + ")) break;\n" + *body + "\n}\n";
    std::string text = "{\nbool " + left + " = false;\nfor (" + text_.type() + " " + at + " = " +
                       begin + "; !" + left + " && (" + *condition + ");) {\nconst bool " + full +
                       " = " + *room + ";\nbool " + any + " = !" + full + ";\nif (" + full +
                       ") {\n" + probes + test + "}\n}\n";
    text += outlasts
                ? single_rounds(rounds, any, probes + "bool " + any + " = false;\n" + test, one)
                : whole_blocks(rounds, any, one);
    return text + "if (!" + full + ") break;\n" + at +
           " += " + std::to_string(static_cast<std::int64_t>(rounds) * loop_.step) + ";\n}\n}\n";
  }

  /// Effects leave alone what the probe read: those rounds of a block are run that asked for it.
  std::string single_rounds(unsigned rounds, const std::string& any, const std::string& probes,
                            const std::string& one) const {
    const std::string hits = name("hits");
    const std::string all = std::to_string(rounds == 32 ? 0xffffffffU : (1U << rounds) - 1) + "u";
    return "if (" + expected(any) + ") {\nunsigned " + hits + " = " + name("full") +
           " ? 0u : " + all + ";\nif (" + name("full") + ") {\n" + probes + hits +
           " |= (unsigned)" + any + " << geak_q;\n}\n}\nfor (; " + hits + " != 0; " + hits +
           " &= " + hits + " - 1) {\n" + declaration(name("at"), "(__ffs((int)" + hits + ") - 1)") +
           one + "}\n";
  }

  /// Effects may change what decides about later rounds: all of a block is run.
  std::string whole_blocks(unsigned rounds, const std::string& any, const std::string& one) const {
    return "if (" + expected(any) + ")\nfor (int geak_q = 0; geak_q < " + std::to_string(rounds) +
           "; ++geak_q) {\n" + declaration(name("at"), "geak_q") + one;
  }

  std::string declaration(const std::string& at, const std::string& round) const {
    const std::string name = loop_.variable->getNameAsString();
    const std::string step = loop_.step == 1 ? "" : " * " + std::to_string(loop_.step);
    return "const " + text_.type() + " " + name + " = " + at + " + (" + text_.type() + ")(" +
           round + step + ");\n(void)" + name + ";\n";
  }

  const KernelView& kernel_;
  const CountedLoop& loop_;
  LoopText text_;
  std::string suffix_;
  bool rare_;
};

class SkipQuiet final : public Transform {
 public:
  std::string name() const override { return "skip_quiet"; }
  Axis axis() const override { return Axis::compute; }
  std::string summary() const override {
    return "tests several rounds of a loop at once and passes over those that do nothing";
  }

  /// {"rounds": 16, "tests": 1}: of a round the first `tests` conditions are tested; default: all.
  /// One round: the loop keeps its form, with one branch for all that a round may do.
  /// {"rounds": 32, "rare": false}: the compiler is not told that rounds seldom do anything;
  /// default: it is. Where they are not so rare, what the test has loaded then serves the rounds as
  /// well.
  std::vector<json> parameters(const KernelView& kernel) const override {
    std::vector<json> choices;
    if (loops_of(kernel).empty()) return choices;
    for (unsigned rounds : {16U, 8U, 32U, 4U, 1U, 2U}) choices.push_back({{"rounds", rounds}});
    choices.push_back({{"rounds", 32}, {"rare", false}});
    for (unsigned rounds : {16U, 32U}) choices.push_back({{"rounds", rounds}, {"tests", 1}});
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto rounds = parameters.at("rounds").get<unsigned>();
    const auto tests = parameters.value("tests", all_tests);
    const bool rare = parameters.value("rare", true);
    if (rounds < 1 || rounds > 32 || tests < 1)
      return Refusal{"rounds must be 1 to 32, tests at least 1"};
    if (auto refusal = shows_its_order(shared_behaviour(kernel.function))) return refusal;
    TextEdits edits;
    unsigned number = unused_number(kernel, "geak_at");
    std::optional<TextRange> last;
    for (const CountedLoop& loop : loops_of(kernel)) {
      const auto range = kernel.source.statement_range(*loop.statement);
      if (!range || (last && range->begin < last->end) || meets_others(*loop.statement)) continue;
      Draft with = draft;
      const auto text = Writer(kernel, loop, number, rare).write(rounds, tests, with);
      if (!text) continue;
      draft = std::move(with);
      edits.replace(*range, *text);
      last = range;
      ++number;
    }
    if (edits.empty())
      return Refusal{"no loop has rounds that can be seen to do nothing without running them"};
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& skip_quiet() {
  static const SkipQuiet transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
