// Unrolls innermost loops: in full where the trip count is a constant, else by a factor.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

/// Above this, code outgrows the instruction cache (64 KiB for two CUs of CDNA2).
constexpr std::int64_t most_full_trips = 256;

struct Loop {
  const clang::ForStmt* statement;
  std::optional<std::int64_t> trips;
};

bool is_innermost(const clang::ForStmt& loop) {
  bool innermost = true;
  walk(*loop.getBody(), [&](const clang::Stmt& node, const Ancestors&) {
    if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(&node)) innermost = false;
    return innermost;
  });
  return innermost;
}

std::vector<Loop> loops_of(const KernelView& kernel, bool nests) {
  std::vector<Loop> loops;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    const auto* loop = llvm::dyn_cast<clang::ForStmt>(&node);
    const bool marked = !ancestors.empty() && llvm::isa<clang::AttributedStmt>(ancestors.back());
    if (loop == nullptr || marked || loop->getBody() == nullptr) return true;
    if (!nests && !is_innermost(*loop)) return true;
    const auto counted = as_counted_loop(*loop, kernel.unit.context());
    loops.push_back({loop, counted ? counted->trips : std::nullopt});
    return true;
  });
  return loops;
}

class Unroll final : public Transform {
 public:
  std::string name() const override { return "unroll"; }
  Axis axis() const override { return Axis::compute; }
  std::string summary() const override { return "unrolls loops, in full or by a factor"; }

  /// {"factor": 4} (0: in full), {"nests": true}: outer loops too
  std::vector<json> parameters(const KernelView& kernel) const override {
    bool known = false;
    bool unknown = false;
    for (const Loop& loop : loops_of(kernel, false)) (loop.trips ? known : unknown) = true;
    std::vector<json> choices;
    if (known) choices.push_back({{"factor", 0}});
    if (known && loops_of(kernel, true).size() > loops_of(kernel, false).size())
      choices.push_back({{"factor", 0}, {"nests", true}});
    if (unknown || known)
      for (int factor : {4, 2, 8}) choices.push_back({{"factor", factor}});
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto factor = parameters.at("factor").get<std::int64_t>();
    if (factor < 0 || factor == 1 || factor > 64) return Refusal{"the factor must be 0 or 2 to 64"};
    TextEdits edits;
    for (const Loop& loop : loops_of(kernel, parameters.value("nests", false))) {
      if (factor == 0 && (!loop.trips || *loop.trips > most_full_trips)) continue;
      if (factor > 1 && loop.trips && *loop.trips < factor) continue;
      const auto range = kernel.source.range(*loop.statement);
      if (!range) continue;
      // A pragma needs a line of its own.
      const std::string pragma = factor == 0 ? "unroll" : "unroll " + std::to_string(factor);
      edits.insert(range->begin, "\n#pragma " + pragma + "\n");
    }
    if (edits.empty()) return Refusal{"no loop can be unrolled so"};
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& unroll() {
  static const Unroll transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
