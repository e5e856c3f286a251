#include "clang-tool/transforms/sequences.h"

#include <clang/AST/Stmt.h>

#include <algorithm>
#include <array>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/session.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

/// Parameters of a transform that apply to the kernel as it is, at most `most` of them.
std::vector<RecipeStep> applicable(const Transform& transform, const KernelView& kernel,
                                   std::size_t most) {
  std::vector<RecipeStep> steps;
  for (const json& parameters : transform.parameters(kernel)) {
    Draft scratch;
    if (steps.size() < most && !transform.apply(kernel, parameters, scratch))
      steps.push_back({transform.name(), parameters});
  }
  return steps;
}

/// The larger a workgroup, the more passes it can do alone; buffers must be known to be apart.
std::vector<RecipeStep> fusing_sequences(const KernelView& kernel) {
  const auto fused = fuse_launches().parameters(kernel);
  if (fused.empty()) return {};
  const RecipeStep fuse{fuse_launches().name(), fused.front()};
  const RecipeStep apart{restrict_pointers().name(), json::object()};
  const RecipeStep large{block_shape().name(), {{"block", {1024, 1, 1}}}};
  if (!applicable(fuse_launches(), kernel, 1).empty()) return {sequence({large, fuse})};
  return {sequence({apart, fuse}), sequence({large, apart, fuse})};
}

/// Few large workgroups that each walk over a wide stretch find again in the caches what they read
/// by index, and their loads are on the way together.
std::vector<RecipeStep> wide_workgroups(const KernelView& kernel) {
  constexpr std::uint32_t threads = 1024;
  const RecipeStep shape{block_shape().name(), {{"block", {threads, 1, 1}}}};
  const bool wide = std::ranges::any_of(kernel.runs, [](const support::Launch& run) {
    return std::uint64_t{run.grid[0]} * run.block[0] >= 2 * threads;
  });
  Draft scratch;
  if (!wide || block_shape().apply(kernel, shape.parameters, scratch)) return {};
  std::vector<RecipeStep> found;
  const auto add = [&](std::array<std::uint32_t, 3> factors) {
    const RecipeStep several{coarsen().name(), {{"factors", factors}, {"order", "strided"}}};
    Draft coarse;
    if (coarsen().apply(kernel, several.parameters, coarse)) return;
    std::vector<RecipeStep> steps{shape, several};
    for (const RecipeStep& apart : applicable(restrict_pointers(), kernel, 1))
      steps.push_back(apart);
    steps.push_back({launch_bounds().name(), json::object()});
    found.push_back(sequence(steps));
  };
  for (const auto& factors : {std::array<std::uint32_t, 3>{4, 1, 1}, {16, 1, 1}, {8, 1, 1}})
    add(factors);
  return found;
}

/// Fresh sizes may make items meet in memory that are apart in the program: constants rule them
/// out.
std::vector<RecipeStep> team_sequences(const KernelView& kernel) {
  std::vector<RecipeStep> found;
  const auto teams = applicable(team_search(), kernel, 2);
  if (teams.empty()) return found;
  for (const RecipeStep& constant : applicable(specialize(), kernel, 8)) {
    if (constant.parameters.contains("block")) continue;  // teams are of another size
    for (const RecipeStep& team : teams) found.push_back(sequence({constant, team}));
    break;
  }
  return found;
}

/// Rows that a workgroup or a team walks over: few barriers are left where a row is in registers,
/// and a loop in steps of the workgroup's size reads ahead once that is a constant.
std::vector<RecipeStep> row_sequences(const KernelView& kernel) {
  std::vector<RecipeStep> found;
  for (const RecipeStep& team : applicable(team_rows(), kernel, 2)) {
    found.push_back(sequence({team, {"unroll", {{"factor", 4}}}}));
    found.push_back(sequence({team, {"batch_rounds", {{"rounds", 8}}}}));
  }
  const auto scans = applicable(wave_scan(), kernel, 1);
  std::optional<RecipeStep> block;
  for (const RecipeStep& constant : applicable(specialize(), kernel, 8))
    if (constant.parameters == json{{"block", true}}) block = constant;
  const auto rows = applicable(keep_rows(), kernel, 1);
  for (const RecipeStep& kept : rows) {
    if (!scans.empty()) found.push_back(sequence({kept, scans.front()}));
    for (const RecipeStep& constant : applicable(specialize(), kernel, 1)) {
      std::vector<RecipeStep> steps{constant, kept};
      found.push_back(sequence(steps));
      steps.push_back({wave_scan().name(), json::object()});
      if (!scans.empty()) found.push_back(sequence(steps));
    }
  }
  if (rows.empty() && block && applicable(batch_rounds(), kernel, 1).empty() &&
      holds_any<clang::ForStmt>(kernel.body()))
    found.push_back(sequence({*block, {"batch_rounds", {{"rounds", 16}}}}));
  return found;
}

/// What is limited by waiting: reads ahead of their rounds, reductions without most barriers,
/// accesses that do not meet in one bank.
std::vector<RecipeStep> chain_sequences(const KernelView& kernel) {
  std::vector<RecipeStep> found;
  const RecipeStep gaps{pad_lds().name(), json::object()};
  const auto tails = applicable(wave_tail(), kernel, 1);
  const bool has_gaps = !applicable(pad_lds(), kernel, 1).empty();
  const RecipeStep batch{batch_rounds().name(), {{"rounds", 16}}};
  const bool has_batch = !applicable(batch_rounds(), kernel, 1).empty();
  if (has_batch && !tails.empty()) found.push_back(sequence({batch, tails.front()}));
  for (const RecipeStep& tail : tails) {
    // Elements at gaps are not where registers could be taken from.
    if (has_gaps) found.push_back(sequence({gaps, {tail.transform, json::object()}}));
  }
  if (has_gaps)
    for (const RecipeStep& constant : applicable(specialize(), kernel, 1)) {
      found.push_back(sequence({constant, gaps}));
      if (!applicable(joint_conditions(), kernel, 1).empty())
        found.push_back(sequence({constant, {"joint_conditions", json::object()}, gaps}));
    }
  // The loads of a batch are few once they are wide.
  for (const RecipeStep& digit : applicable(coarsen_digit(), kernel, 2))
    found.push_back(sequence({digit, {"unroll", {{"factor", 4}}}}));
  // What is left of taking numbers apart is done once for several items, by divisors of the launch.
  const RecipeStep divide{constant_division().name(), {{"powers_of_two", true}, {"others", true}}};
  if (!applicable(constant_division(), kernel, 1).empty()) {
    for (const RecipeStep& digit : applicable(coarsen_digit(), kernel, 1))
      found.push_back(sequence({digit, divide}));
    for (const RecipeStep& items : applicable(coarsen(), kernel, 2))
      found.push_back(sequence({items, divide}));
  }
  return found;
}

/// Wide accesses leave fewer rounds to share out: smaller workgroups keep all work-items at it.
/// What a round computes weighs more once its loads and stores do not.
std::vector<RecipeStep> wide_rows(const KernelView& kernel) {
  std::vector<std::vector<RecipeStep>> before;
  for (const std::uint32_t threads : {512U, 256U}) {
    const RecipeStep shape{block_shape().name(), {{"block", {threads, 1, 1}}}};
    Draft scratch;
    if (!block_shape().apply(kernel, shape.parameters, scratch)) before.push_back({shape});
  }
  std::vector<RecipeStep> found;
  // At any address directly, by shifts, and not at all: GPUs differ in what they gain by.
  const auto wide = applicable(wide_elements(), kernel, 3);
  if (wide.empty()) return found;
  const auto of_rows = [](const RecipeStep& step) { return step.parameters.contains("anywhere"); };
  const auto last = std::ranges::find_if_not(wide, of_rows);
  const auto add = [&](std::vector<RecipeStep> steps, const RecipeStep& then) {
    steps.push_back(then);
    found.push_back(sequence(steps));
  };
  for (const auto& steps : before)
    for (auto each = wide.begin(); each != wide.end() && each <= last; ++each) add(steps, *each);
  // Functions within functions take a step each; those that apply are for the session to find out.
  // Any divisor may come: a gate's grows without bounds.
  const RecipeStep fast{fast_math().name(), {{"divisions", "scaled"}}};
  std::vector<RecipeStep> faster{fast};
  const RecipeStep text{inline_calls().name(), json::object()};
  for (unsigned depth = 0; depth < 3; ++depth) {
    add(faster, wide.front());
    for (std::vector<RecipeStep> steps : before) {
      steps.insert(steps.end(), faster.begin(), faster.end());
      for (auto each = wide.begin(); each != wide.end(); ++each)
        if (each == wide.begin() || of_rows(*each)) add(steps, *each);
    }
    faster.insert(faster.begin(), text);
  }
  return found;
}

/// Where addresses cost most of the work, both halves of it: taking numbers apart and putting them
/// together. Offsets come first: their proof follows quotients, but not through doubles.
std::vector<RecipeStep> address_sequences(const KernelView& kernel) {
  std::vector<RecipeStep> found;
  const auto divisions = applicable(constant_division(), kernel, 1);
  for (const RecipeStep& narrow : applicable(narrow_index(), kernel, 2))
    for (const RecipeStep& divide : divisions) found.push_back(sequence({narrow, divide}));
  return found;
}

/// What called functions read and work out, once it is seen.
std::vector<RecipeStep> inlined_sequences(const KernelView& kernel) {
  if (applicable(inline_calls(), kernel, 1).empty()) return {};
  const RecipeStep inlined{inline_calls().name(), json::object()};
  const auto then = [&](const Transform& transform, json parameters) {
    return sequence({inlined, {transform.name(), std::move(parameters)}});
  };
  return {then(stage_tiles(), {{"tile", 128}, {"values", true}, {"rows", 16}}),
          then(stage_tiles(), {{"tile", 128}, {"values", true}}),
          then(wave_scan(), json::object()),
          then(prefetch_tiles(), json::object()),
          then(collect_atomics(), {{"entries", 256}, {"items", 16}}),
          then(collect_atomics(), {{"entries", 1024}}),
          then(constant_division(), {{"powers_of_two", true}, {"others", true}})};
}

}  // namespace

RecipeStep sequence(const std::vector<RecipeStep>& steps) {
  return {sequence_step, json{{"steps", steps}}};
}

std::vector<RecipeStep> promising_sequences(const KernelView& kernel) {
  std::vector<RecipeStep> found = fusing_sequences(kernel);
  std::ranges::move(row_sequences(kernel), std::back_inserter(found));
  std::ranges::move(wide_rows(kernel), std::back_inserter(found));
  // What waits no longer for its tiles may do more of them at a time.
  for (const RecipeStep& ahead : applicable(prefetch_tiles(), kernel, 1))
    found.push_back(sequence({ahead, {"unroll", {{"factor", 8}}}}));
  for (RecipeStep& team : team_sequences(kernel)) found.push_back(std::move(team));
  for (const RecipeStep& chain : chain_sequences(kernel)) found.push_back(chain);
  std::ranges::move(address_sequences(kernel), std::back_inserter(found));
  for (RecipeStep& inlined : inlined_sequences(kernel)) found.push_back(std::move(inlined));
  const RecipeStep inside{"interior", {{"compact", true}}};
  // Items that neighbour each other share what they load once no test stands between.
  if (!applicable(interior(), kernel, 1).empty())
    for (const RecipeStep& coarse : applicable(coarsen(), kernel, 8))
      found.push_back(sequence({coarse, inside}));
  // Rounds that rarely do anything, over tiles that lie ready; the first tile of either kind.
  bool plain_seen = false, digest_seen = false;
  for (const RecipeStep& tiles : applicable(stage_tiles(), kernel, 9)) {
    if (tiles.parameters.contains("values") || tiles.parameters.contains("rows")) continue;
    const bool digest = tiles.parameters.value("digest", false);
    if (std::exchange(digest ? digest_seen : plain_seen, true)) continue;
    const auto quiet = [&](json parameters) {
      found.push_back(sequence({tiles, {"skip_quiet", std::move(parameters)}}));
    };
    if (digest) {
      quiet({{"rounds", 32}, {"tests", 1}});
      quiet({{"rounds", 16}, {"tests", 1}});
      continue;
    }
    for (unsigned rounds : {32U, 8U, 1U}) quiet({{"rounds", rounds}});
    const RecipeStep unrolled{"unroll", {{"factor", 8}}};
    for (const RecipeStep& constant : applicable(specialize(), kernel, 1))
      found.push_back(sequence({tiles, unrolled, constant}));
    found.push_back(sequence({tiles, unrolled}));
  }
  // Items that share what is in the tile read it once.
  if (plain_seen)
    for (unsigned items : {2U, 4U}) {
      const RecipeStep several{
          "coarsen",
          {{"factors", json::array({items, 1, 1})}, {"order", "strided"}, {"beyond", "repeat"}}};
      found.push_back(sequence({several, {"stage_tiles", {{"tile", 256}}}}));
      found.push_back(sequence({several,
                                {"stage_tiles", {{"tile", 256}}},
                                {"skip_quiet", {{"rounds", 1}}},
                                {"single_precision", json::object()}}));
    }
  // Rows as wide as a wavefront, several of them for each work-item.
  for (const RecipeStep& shape : applicable(block_shape(), kernel, 2))
    if (shape.parameters.at("block").at(1) != 1)
      for (unsigned rows : {4U, 8U})
        found.push_back(sequence(
            {shape,
             {"coarsen", {{"factors", json::array({1, rows, 1})}, {"order", "consecutive"}}}}));
  for (const RecipeStep& wide : wide_workgroups(kernel)) found.push_back(wide);
  const auto constants = applicable(specialize(), kernel, 2);
  for (const RecipeStep& constant : constants) {
    // Constants make addresses neighbours.
    if (!applicable(joint_conditions(), kernel, 1).empty())
      found.push_back(sequence({constant, {"joint_conditions", json::object()}}));
    if (!applicable(wide_loads(), kernel, 1).empty())
      found.push_back(sequence({constant, {"wide_loads", {{"bytes", 16}}}}));
  }
  if (!constants.empty())
    for (const RecipeStep& coarse : applicable(coarsen(), kernel, 2))
      found.push_back(sequence({coarse, constants.front()}));
  return found;
}

}  // namespace geak::clang_tool::transforms
