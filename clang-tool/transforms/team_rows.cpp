// Kernels whose work-items walk along a row each (a sum of a row, a row of a sparse matrix, a
// softmax of one thread): neighbouring work-items of a wave serve one item together. They share out
// the rounds of its loops, put together what those gather by shuffles, and do the rest alike; what
// is left to store the first of them does.
//
// Work-items of a team go the same way, for what they know is the same: locals that follow from the
// item's number and from memory that the kernel does not store to. An element of memory that it
// does store to belongs to one work-item of one team.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/global_index.h"
#include "clang-tool/transforms/item_copies.h"
#include "clang-tool/transforms/loop_text.h"
#include "clang-tool/transforms/rounded_values.h"
#include "clang-tool/transforms/team_leader.h"
#include "clang-tool/transforms/team_loops.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

/// Fewer rounds of a loop are not worth a team.
constexpr std::int64_t fewest_trips = 16;

class TeamText {
 public:
  TeamText(const KernelView& kernel, const TeamLoops& loops, unsigned team, Draft& draft)
      : kernel_(kernel),
        loops_(loops),
        team_(team),
        number_(unused_number(kernel, "geak_lane")),
        leader_(kernel, draft, lane() + " == 0u") {}

  std::string lane() const { return "geak_lane" + std::to_string(number_); }

  /// All statements of the block; false where one of them cannot be done by a team.
  bool add_all(const std::vector<const clang::Stmt*>& statements, TextEdits& edits) {
    return std::ranges::all_of(
        statements, [&](const clang::Stmt* statement) { return add(*statement, edits); });
  }

 private:
  bool add(const clang::Stmt& statement, TextEdits& edits) {
    if (const TeamLoop* shared = loops_.find(statement)) {
      const auto range = kernel_.source.statement_range(statement);
      const auto text = TeamLoopText(kernel_, *shared, team_, lane(), written_++).text();
      if (!range || !text) return false;
      edits.replace(*range, *text);
      return true;
    }
    if (!loops_.any_within(statement)) return add_plain(statement, edits);
    ++depth_;
    const bool all = add_parts(statement, edits);
    --depth_;
    return all;
  }

  bool add_parts(const clang::Stmt& statement, TextEdits& edits) {
    if (llvm::isa<clang::CompoundStmt>(statement)) return add_all(statements_of(statement), edits);
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement)) {
      return branch->getInit() == nullptr && !branch->hasVarStorage() && !branch->isConstexpr() &&
             all_know(*branch->getCond()) && add(*branch->getThen(), edits) &&
             (branch->getElse() == nullptr || add(*branch->getElse(), edits));
    }
    const auto* loop = llvm::dyn_cast<clang::ForStmt>(&statement);
    if (loop == nullptr || loop->getConditionVariable() != nullptr) return false;
    for (const clang::Stmt* part :
         {loop->getInit(), static_cast<const clang::Stmt*>(loop->getCond()),
          static_cast<const clang::Stmt*>(loop->getInc())})
      if (part != nullptr && !all_know(*part)) return false;
    return add(*loop->getBody(), edits);
  }

  bool all_know(const clang::Stmt& statement) { return leader_.all_do(statement); }

  bool add_plain(const clang::Stmt& statement, TextEdits& edits) {
    // The first alone would leave the loop around.
    if (depth_ > 0 && !llvm::isa<clang::ForStmt>(statement) &&
        holds_any<clang::BreakStmt, clang::ContinueStmt>(statement) && !leader_.all_do(statement))
      return false;
    return leader_.add(statement, edits);
  }

  const KernelView& kernel_;
  const TeamLoops& loops_;
  unsigned team_, number_, depth_ = 0, written_ = 0;
  TeamLeader leader_;
};

class TeamRows final : public Transform {
 public:
  std::string name() const override { return "team_rows"; }
  Axis axis() const override { return Axis::parallelism; }
  std::string summary() const override {
    return "neighbouring work-items share the rounds of an item's loops";
  }

  /// {"team": 16}: work-items that serve one item
  std::vector<json> parameters(const KernelView& kernel) const override {
    std::vector<json> choices;
    std::string problem;
    if (TeamLoops(kernel, fewest_trips, problem).empty()) return choices;
    for (const unsigned team : {16U, 32U, 8U, 4U}) choices.push_back({{"team", team}});
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto team = parameters.at("team").get<unsigned>();
    if (team != 2 && team != 4 && team != 8 && team != 16 && team != 32)
      return Refusal{"a team has 2, 4, 8, 16 or 32 work-items"};
    const auto found = global_index(kernel, 0, draft);
    if (const auto* refusal = std::get_if<Refusal>(&found)) return *refusal;
    const auto& index = std::get<GlobalIndex>(found);
    std::string problem = "no loop's rounds can be shared out";
    const TeamLoops loops(kernel, fewest_trips, problem);
    if (loops.empty()) return Refusal{problem};
    if (auto refusal = decided_by(kernel, loops.rounded())) return refusal;
    if (auto refusal = widen_launch(kernel, team, draft)) return refusal;
    loops.require_apart(draft);
    TextEdits edits;
    TeamText text(kernel, loops, team, draft);
    if (!text.add_all(statements_of(kernel.body()), edits))
      return Refusal{"a statement beside the loops cannot be done by all work-items alike"};
    if (!number_items(kernel, index, loops, team, edits))
      return Refusal{"a loop's rounds work out the item's number, or a macro does"};
    const auto body = kernel.source.range(kernel.body());
    if (!body) return Refusal{"the kernel's body comes out of a macro"};
    edits.insert(body->begin + 1, "\nconst unsigned " + text.lane() + " = threadIdx.x % " +
                                      std::to_string(team) + "u;\n(void)" + text.lane() + ";\n");
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }

 private:
  /// As many work-items more, in workgroups of the same size, which whole teams fill.
  static std::optional<Refusal> widen_launch(const KernelView& kernel, unsigned team,
                                             Draft& draft) {
    using Kind = support::Condition::Kind;
    const auto block = kernel.original_block();
    if (!block) return Refusal{"no launch was seen, or they differ in workgroup size"};
    if ((*block)[0] % team != 0) return Refusal{"workgroups are no multiple of a team"};
    if (!draft.launch.keeps_launch()) return Refusal{"an earlier step changes the launch"};
    draft.require({Kind::block_multiple, 0, team});
    draft.launch.axes[0] = {support::BlockRule::keep, 1, support::GridRule::multiply, team};
    // A launch has fewer than 2^32 work-items along an axis.
    draft.require("(long long)geak_grid.x * geak_block.x < 0x7fffffffll / " + std::to_string(team));
    return std::nullopt;
  }

  static bool number_items(const KernelView& kernel, const GlobalIndex& index,
                           const TeamLoops& loops, unsigned team, TextEdits& edits) {
    for (const clang::Expr* use : index.uses) {
      const auto at = kernel.source.range(*use);
      if (!at || loops.holds(*at)) return false;
      const clang::QualType type = use->getType().getCanonicalType().getUnqualifiedType();
      const std::string size = std::to_string(team) + "u";
      edits.replace(*at, "(" + type.getAsString(kernel.unit.context().getPrintingPolicy()) +
                             ")(blockIdx.x * (blockDim.x / " + size + ") + threadIdx.x / " + size +
                             ")");
    }
    return true;
  }
};

}  // namespace

const Transform& team_rows() {
  static const TeamRows transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
