// Loops that fill a tile of LDS from memory, wait, and work on it, load the next tile into
// registers before they work on this one: the loads are on the way meanwhile, which no compiler
// does across barriers. A round loads what it loaded, and nothing is loaded that no round needs.
//
// A second buffer in LDS and one barrier less was the alternative: it halves how many workgroups
// fit into a compute unit, where registers are rarely what bounds them.
#include <clang/AST/ASTContext.h>

#include <algorithm>

#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/loop_text.h"
#include "clang-tool/transforms/tile_loop.h"
#include "clang-tool/transforms/workgroup_run.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

class Writer {
 public:
  Writer(const KernelView& kernel, const TileLoop& loop, unsigned number)
      : kernel_(kernel), loop_(loop), number_(std::to_string(number)) {}

  /// Nothing where a piece of it stands in a macro.
  std::optional<std::string> write() {
    const clang::ForStmt& loop = *loop_.statement;
    const auto condition = kernel_.source.range(*loop.getCond());
    const auto step = kernel_.source.range(*loop.getInc());
    std::string begin = ";";
    if (loop.getInit() != nullptr) begin = kernel_.source.text(*loop.getInit());
    if (!condition || !step || begin.empty() || !edit()) return std::nullopt;
    if (begin.back() != ';') begin += ";";
    std::string present, next, after;
    for (const clang::VarDecl* head : loop_.heads) {
      const std::string name = head->getNameAsString();
      present += "auto " + next_of(*head) + " = " + name + ";\n";
      after += name + " = " + next_of(*head) + ";\n";
    }
    const auto filling = text(loop_.loading, filling_);
    const auto working = text(loop_.working, TextEdits());
    // A barrier may order what is loaded after what stands before the loop.
    const auto first = text(loop_.loading, first_);
    const auto ahead = text(without_barriers(), ahead_);
    const auto wait = kernel_.source.statement_range(*loop_.barrier);
    if (!filling || !working || !first || !ahead || !wait) return std::nullopt;
    const std::string more = "geak_more" + number_;
    return "{\n" + begin + "\nif (" + kernel_.source.text(*condition) + ") {\n" + registers_ +
           "{\n" + *first + "}\nwhile (true) {\n" + *filling + kernel_.source.text(*wait) + "\n" +
           present + heads_.apply(kernel_.source.text(), *step) + ";\nconst bool " + more + " = " +
           heads_.apply(kernel_.source.text(), *condition) + ";\nif (" + more + ") {\n" + *ahead +
           "}\n" + *working + after + "if (!" + more + ") break;\n}\n}\n}\n";
  }

 private:
  std::string next_of(const clang::VarDecl& head) const {
    return "geak_next" + number_ + "_" + head.getNameAsString();
  }

  std::vector<const clang::Stmt*> without_barriers() const {
    std::vector<const clang::Stmt*> found;
    std::ranges::copy_if(loop_.loading, std::back_inserter(found),
                         [](const clang::Stmt* inner) { return !is_workgroup_barrier(*inner); });
    return found;
  }

  std::optional<std::string> text(const std::vector<const clang::Stmt*>& statements,
                                  const TextEdits& edits) const {
    std::string all;
    for (const clang::Stmt* statement : statements) {
      const auto range = kernel_.source.statement_range(*statement);
      if (!range) return std::nullopt;
      all += edits.apply(kernel_.source.text(), *range) + "\n";
    }
    return all;
  }

  bool edit() { return edit_heads() && edit_declarations() && edit_stores(); }

  /// The head's variables, where they are those of the next round.
  bool edit_heads() {
    bool whole = true;
    walk(*loop_.statement, [&](const clang::Stmt& node, const Ancestors&) {
      const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
      const auto* variable =
          reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      if (std::ranges::find(loop_.heads, variable) == loop_.heads.end()) return true;
      const auto range = kernel_.source.range(node);
      // What stands in a macro's body cannot be another name there.
      const bool plain = range && kernel_.source.text(*range) == variable->getNameAsString();
      whole = whole && (plain || !is_needed_ahead(node));
      if (plain) {
        heads_.replace(*range, next_of(*variable));
        ahead_.replace(*range, next_of(*variable));
      }
      return true;
    });
    return whole;
  }

  /// Anything but what is worked out of the present tile.
  bool is_needed_ahead(const clang::Stmt& node) const {
    return std::ranges::none_of(loop_.working, [&](const clang::Stmt* statement) {
      bool inside = false;
      walk(*statement, [&](const clang::Stmt& inner, const Ancestors&) {
        inside = inside || &inner == &node;
        return !inside;
      });
      return inside;
    });
  }

  /// Each of them is there for one of two copies alone.
  bool edit_declarations() {
    for (const clang::DeclStmt* declaration : loop_.declarations) {
      const auto range = kernel_.source.statement_range(*declaration);
      if (!range) return false;
      for (TextEdits* edits : {&filling_, &first_, &ahead_})
        edits->insert(range->begin, "__attribute__((unused)) ");
    }
    for (const clang::DeclStmt* declaration : loop_.lds) {
      const auto range = kernel_.source.statement_range(*declaration);
      if (!range) return false;
      for (TextEdits* edits : {&first_, &ahead_}) edits->replace(*range, "");
    }
    return true;
  }

  bool edit_stores() {
    for (std::size_t i = 0; i < loop_.stores.size(); ++i) {
      const auto target = kernel_.source.range(*loop_.stores[i].target);
      const auto value = kernel_.source.range(*loop_.stores[i].value);
      if (!target || !value || target->end > value->begin) return false;
      const std::string name = "geak_tile" + number_ + "_" + std::to_string(i);
      registers_ +=
          loop_.stores[i].target->getType().getCanonicalType().getUnqualifiedType().getAsString(
              kernel_.unit.context().getPrintingPolicy()) +
          " " + name + " = {};\n";
      filling_.replace(*value, name);
      first_.replace(*target, name);
      ahead_.replace(*target, name);
    }
    return true;
  }

  const KernelView& kernel_;
  const TileLoop& loop_;
  std::string number_;
  std::string registers_;
  TextEdits heads_, filling_, first_, ahead_;
};

class PrefetchTiles final : public Transform {
 public:
  std::string name() const override { return "prefetch_tiles"; }
  Axis axis() const override { return Axis::memory; }
  std::string summary() const override {
    return "loads the next tile into registers while it works on the present one";
  }

  std::vector<json> parameters(const KernelView& kernel) const override {
    Draft scratch;
    std::string why;
    return edited(kernel, scratch, why).empty() ? std::vector<json>{}
                                                : std::vector<json>{json::object()};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json&, Draft& draft) const override {
    if (auto refusal = may_show_its_order(shared_behaviour(kernel.function))) return refusal;
    std::string why = "there is no loop with barriers";
    const TextEdits edits = edited(kernel, draft, why);
    if (edits.empty()) return Refusal{why};
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }

 private:
  static TextEdits edited(const KernelView& kernel, Draft& draft, std::string& why) {
    TextEdits edits;
    unsigned number = unused_number(kernel, "geak_more");
    walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& around) {
      if (llvm::isa<clang::LambdaExpr>(&node)) return false;
      if (!around.empty() && llvm::isa<clang::AttributedStmt>(around.back())) return true;
      const Draft before = draft;
      std::string reason;
      const auto loop = as_tile_loop(kernel, node, draft, reason);
      const auto range = kernel.source.statement_range(node);
      const auto text = loop && range ? Writer(kernel, *loop, number).write() : std::nullopt;
      if (text) {
        edits.replace(*range, *text);
        ++number;
        return false;
      }
      draft = before;
      if (loop) reason = "the loop's text stands in a macro";
      if (!reason.empty() && meets_others(node)) why = reason;
      return true;
    });
    return edits;
  }
};

}  // namespace

const Transform& prefetch_tiles() {
  static const PrefetchTiles transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
