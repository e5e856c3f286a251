// Searches by few work-items (a box that lists its points, a query that wants its first
// neighbours): a workgroup serves one item. All of its work-items test rounds of the item's loop,
// side by side, and the first of them runs those rounds that do something, in order, as they are
// written.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/global_index.h"
#include "clang-tool/transforms/item_copies.h"
#include "clang-tool/transforms/launch_axis.h"
#include "clang-tool/transforms/loop_text.h"
#include "clang-tool/transforms/quiet_probe.h"
#include "clang-tool/transforms/team_leader.h"
#include "clang-tool/transforms/uniform_values.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

/// Rounds of a block are marked by the bits of words, and words with marks by the bits of one.
constexpr unsigned most_rounds = 32 * 32;
/// Fewer are not worth a team.
constexpr std::int64_t fewest_trips = 256;

/// How many rounds a team tests between two barriers: `rounds` of each of its `size` work-items.
struct Team {
  unsigned size, rounds;
  unsigned block() const { return size * rounds; }
  unsigned words() const { return block() / 32; }
};

/// Header and body mean the same to every work-item of a team that has come as far as the loop.
bool is_the_same_for_all(const CountedLoop& loop) {
  if (!memory_reads(*loop.end).empty() || !memory_reads(*loop.begin).empty()) return false;
  const clang::Stmt& body = *loop.statement->getBody();
  return std::ranges::none_of(variables_in(*loop.end), [&](const clang::VarDecl* variable) {
    return may_change(body, *variable);
  });
}

class SearchText {
 public:
  SearchText(const KernelView& kernel, const CountedLoop& loop, Team team, unsigned number)
      : kernel_(kernel),
        loop_(loop),
        text_(kernel, loop),
        team_(team),
        suffix_(std::to_string(number)) {}

  /// The loop and what lets all but the leader go; nothing where it cannot be searched by a team.
  std::optional<std::string> write(Draft& draft) const {
    const std::string any = name("any");
    QuietProbe probe(kernel_, loop_, draft, ~0U);
    const auto test = probe.text(any);
    if (!test || !probe.outlasts_effects(draft)) return std::nullopt;
    probe.require(draft);
    const std::string at = name("at");
    const auto full = text_.room_for(team_.block(), at);
    const auto more = text_.has_round("geak_r", at);
    const auto body = leaders_body();
    const std::string begin = kernel_.source.text(*loop_.begin);
    const std::string end = kernel_.source.text(*loop_.end);
    if (!full || !more || !body || begin.empty() || end.empty()) return std::nullopt;
    const std::string step = std::to_string(std::int64_t{team_.block()} * loop_.step);
    return "{\n" + marks() + "bool " + name("left") + " = false, " + name("gone") +
           " = false;\n(void)" + name("left") + ";\nunsigned " + name("phase") + " = 0;\nfor (" +
           text_.type() + " " + at + " = " + begin + "; " + at +
           (loop_.end_included ? " <= (" : " < (") + end + ");) {\nconst bool " + name("full") +
           " = " + *full + ";\n" + search(any, *test, *more) + leader(*body) + name("phase") +
           " ^= 1;\nif (!" + name("full") + ") break;\n" + at + " += " + step + ";\n}\nif (" +
           TeamLeader::condition("!=") + " || " + name("gone") + ") return;\n}\n";
  }

 private:
  std::string name(const std::string& what) const { return "geak_" + what + suffix_; }

  /// Two sets of marks, so that the leader works on one block while others look at the next.
  std::string marks() const {
    const std::string words = std::to_string(team_.words());
    return "__shared__ unsigned " + name("hits") + "[2][" + words + "], " + name("words") +
           "[2], " + name("stop") + "[2];\nfor (unsigned geak_r = threadIdx.x; geak_r < 2 * " +
           words + "; geak_r += " + std::to_string(team_.size) + ") " + name("hits") +
           "[geak_r % 2][geak_r / 2] = 0;\nif (threadIdx.x < 2) " + name("words") +
           "[threadIdx.x] = " + name("stop") + "[threadIdx.x] = 0;\n__syncthreads();\n";
  }

  std::string declaration(const std::string& round) const {
    const std::string variable = loop_.variable->getNameAsString();
    const std::string step = loop_.step == 1 ? "" : " * " + std::to_string(loop_.step);
    return "const " + text_.type() + " " + variable + " = " + name("at") + " + (" + text_.type() +
           ")(" + round + ")" + step + ";\n(void)" + variable + ";\n";
  }

  /// Each work-item tests its rounds of the block and marks those that may do something.
  std::string search(const std::string& any, const std::string& test,
                     const std::string& more) const {
    const std::string rounds = "#pragma unroll\nfor (unsigned geak_q = 0; geak_q < " +
                               std::to_string(team_.rounds) +
                               "; ++geak_q) {\nconst unsigned geak_r = geak_q * " +
                               std::to_string(team_.size) + " + threadIdx.x;\n";
    const std::string one = declaration("geak_r") + "bool " + any + " = false;\n" + test +
                            name("mine") + " |= (unsigned)" + any + " << geak_q;\n}\n";
    // Without a condition in between, all loads of a full block are under way together.
    return "unsigned " + name("mine") + " = 0;\nif (" + name("full") + ") {\n" + rounds + one +
           "} else {\n" + rounds + "if (!(" + more + ")) break;\n" + one + "}\nfor (; " +
           name("mine") + " != 0; " + name("mine") + " &= " + name("mine") +
           " - 1) {\nconst unsigned geak_r = (unsigned)(__ffs((int)" + name("mine") + ") - 1) * " +
           std::to_string(team_.size) + " + threadIdx.x;\natomicOr(&" + name("hits") + "[" +
           name("phase") + "][geak_r / 32], 1u << geak_r % 32);\natomicOr(&" + name("words") + "[" +
           name("phase") + "], 1u << geak_r / 32);\n}\n__syncthreads();\n";
  }

  /// What the leader stops, the others learn from the barrier after: they are one block ahead.
  std::string leader(const std::string& body) const {
    const std::string phase = "[" + name("phase") + "]";
    const std::string words = name("words") + phase, left = name("left");
    std::string text = "if (" + name("stop") + "[" + name("phase") + " ^ 1] != 0) break;\nif (" +
                       TeamLeader::condition("==") + ") {\nfor (unsigned geak_w = " + words +
                       "; geak_w != 0 && !" + left + "; geak_w &= geak_w - 1) {\n" +
                       "const unsigned geak_n = (unsigned)__ffs((int)geak_w) - 1;\n" +
                       "unsigned geak_b = " + name("hits") + phase + "[geak_n];\n" + name("hits") +
                       phase + "[geak_n] = 0;\nfor (; geak_b != 0; geak_b &= geak_b - 1) {\n" +
                       declaration("geak_n * 32 + (unsigned)__ffs((int)geak_b) - 1");
    if (loop_.also != nullptr)
      text += "if (!(" + kernel_.source.text(*loop_.also) + ")) { " + left + " = true; break; }\n";
    text += body + "\n}\n}\n" + words + " = 0;\n";
    if (loop_.also != nullptr)
      text += left + " = " + left + " || !(" + kernel_.source.text(*loop_.also) + ");\n";
    return text + "if (" + left + ") " + name("stop") + phase + " = 1;\n}\n";
  }

  /// The body in which ways out of the loop are ways out of the leader's work on a block.
  std::optional<std::string> leaders_body() const {
    const clang::Stmt& body = *loop_.statement->getBody();
    const auto range = kernel_.source.statement_range(body);
    TextEdits edits;
    if (!range || !text_.edit_breaks("{ " + name("left") + " = true; break; }", edits))
      return std::nullopt;
    bool all = true;
    walk(body, [&](const clang::Stmt& node, const Ancestors& ancestors) {
      if (llvm::isa<clang::GotoStmt, clang::IndirectGotoStmt, clang::LabelStmt>(&node)) all = false;
      if (!llvm::isa<clang::ReturnStmt>(&node)) return !llvm::isa<clang::LambdaExpr>(&node);
      for (const clang::Stmt* ancestor : ancestors)
        all = all && !llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::SwitchStmt,
                                clang::CXXForRangeStmt>(ancestor);
      const auto at = kernel_.source.statement_range(node);
      all = all && at;
      if (at) edits.replace(*at, "{ " + name("gone") + " = " + name("left") + " = true; break; }");
      return true;
    });
    if (!all) return std::nullopt;
    return edits.apply(kernel_.source.text(), *range);
  }

  const KernelView& kernel_;
  const CountedLoop& loop_;
  LoopText text_;
  Team team_;
  std::string suffix_;
};

/// The loop of the kernel's own block that a team can search.
std::optional<CountedLoop> as_search(const KernelView& kernel, const clang::Stmt& statement) {
  const auto loop = as_bounded_loop(statement, kernel.unit.context());
  if (!loop || (loop->trips && *loop->trips < fewest_trips) || !can_look_ahead(kernel, *loop) ||
      !is_pure(*loop->begin, kernel.unit.context()) || !is_the_same_for_all(*loop))
    return std::nullopt;
  return loop;
}

/// One workgroup of the team's size for each item along x.
std::optional<Refusal> give_items_to_workgroups(const KernelView& kernel, Team team, Draft& draft) {
  using Kind = support::Condition::Kind;
  const auto block = kernel.original_block();
  if (!block) return Refusal{"the launches seen differ in workgroup size"};
  if ((*block)[1] != 1 || (*block)[2] != 1) return Refusal{"workgroups are not of one row"};
  if (draft.block_is_fixed || !draft.launch.keeps_launch())
    return Refusal{"an earlier step changes the launch"};
  if (kernel.written.hasAttr<clang::CUDALaunchBoundsAttr>() ||
      kernel.written.hasAttr<clang::AMDGPUFlatWorkGroupSizeAttr>())
    return Refusal{"the kernel states its launch bounds"};
  for (unsigned axis = 0; axis < 3; ++axis)
    draft.require({Kind::block_equals, axis, (*block)[axis]});
  support::AxisChange& change = draft.launch.axes[0];
  change = {support::BlockRule::set, team.size, support::GridRule::multiply, (*block)[0]};
  // A launch has fewer than 2^32 work-items along an axis.
  draft.require("(long long)geak_grid.x * geak_block.x < 0x7fffffffll / " +
                std::to_string(team.size));
  draft.block_is_fixed = true;
  return std::nullopt;
}

class TeamSearch final : public Transform {
 public:
  std::string name() const override { return "team_search"; }
  Axis axis() const override { return Axis::parallelism; }
  std::string summary() const override {
    return "a workgroup serves one item: all look through its loop, the first does what is found";
  }

  /// {"team": 256, "rounds": 4}: work-items of a team, rounds that each tests between two barriers
  std::vector<json> parameters(const KernelView& kernel) const override {
    std::vector<json> choices;
    if (std::ranges::none_of(statements_of(kernel.body()), [&](const clang::Stmt* statement) {
          return as_search(kernel, *statement).has_value();
        }))
      return choices;
    for (const auto& [size, rounds] : {std::pair{256, 4}, {64, 4}, {128, 8}, {256, 1}, {64, 16}})
      choices.push_back({{"team", size}, {"rounds", rounds}});
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const Team team{parameters.at("team").get<unsigned>(), parameters.at("rounds").get<unsigned>()};
    if (team.size < 32 || team.size > 1024 || team.size % 32 != 0 || team.rounds < 1 ||
        team.rounds > 32 || team.block() > most_rounds)
      return Refusal{
          "a team has 32 to 1024 work-items, a multiple of 32, and tests at most 1024 "
          "rounds together"};
    const auto found = global_index(kernel, 0, draft);
    if (const auto* refusal = std::get_if<Refusal>(&found)) return *refusal;
    return search(kernel, std::get<GlobalIndex>(found), team, draft);
  }

 private:
  static std::optional<Refusal> search(const KernelView& kernel, const GlobalIndex& index,
                                       Team team, Draft& draft) {
    TextEdits edits;
    TeamLeader leader(kernel, draft);
    for (const clang::Stmt* statement : statements_of(kernel.body())) {
      const auto loop = as_search(kernel, *statement);
      const auto range = kernel.source.statement_range(*statement);
      Draft with = draft;
      const auto text =
          loop && range && !holds(*range, kernel, index)
              ? SearchText(kernel, *loop, team, unused_number(kernel, "geak_at")).write(with)
              : std::nullopt;
      if (!text) {
        if (!leader.add(*statement, edits)) break;
        continue;
      }
      if (auto refusal = give_items_to_workgroups(kernel, team, with)) return refusal;
      edits.replace(*range, *text);
      if (!edit_indices(kernel, index, edits)) return Refusal{"a macro holds the item's number"};
      draft = std::move(with);
      draft.text = edits.apply(kernel.source.text(), kernel.text);
      return std::nullopt;
    }
    return Refusal{
        "no loop of the kernel's own block has rounds that can be seen to do nothing by others "
        "than "
        "the item's own, or what stands before it cannot be done by several"};
  }

  /// Whether an item's number is computed within a stretch that is written anew.
  static bool holds(TextRange range, const KernelView& kernel, const GlobalIndex& index) {
    return std::ranges::any_of(index.uses, [&](const clang::Expr* use) {
      const auto at = kernel.source.range(*use);
      return !at || (at->begin >= range.begin && at->end <= range.end);
    });
  }

  static bool edit_indices(const KernelView& kernel, const GlobalIndex& index, TextEdits& edits) {
    for (const clang::Expr* use : index.uses) {
      const auto at = kernel.source.range(*use);
      if (!at) return false;
      const clang::QualType type = use->getType().getCanonicalType().getUnqualifiedType();
      edits.replace(
          *at, "(" + type.getAsString(kernel.unit.context().getPrintingPolicy()) + ")(blockIdx.x)");
    }
    return true;
  }
};

}  // namespace

const Transform& team_search() {
  static const TeamSearch transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
