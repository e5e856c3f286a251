// Kernels that walk over a row several times (norms, a softmax, a quantization by the row's
// largest value): a work-item meets the same elements each time, and keeps the first of them in
// registers from loop to loop. They are loaded before the first of them is worked on, so that the
// loads are on the way together. Every work-item does what it did, in the order in which it did it.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/kept_rows.h"
#include "clang-tool/transforms/loop_text.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

constexpr unsigned most_rounds = 32;

class RowText {
 public:
  RowText(const KernelView& kernel, const KeptRows& rows, unsigned rounds)
      : kernel_(kernel),
        rows_(rows),
        rounds_(rounds),
        number_(std::to_string(unused_number(kernel, "geak_kept"))) {}

  /// False where a text comes out of a macro.
  bool write(TextEdits& edits) {
    std::string arrays;
    for (const RowLoop& loop : rows_.loops)
      for (const RowElement& one : loop.elements)
        if (const auto name = array(rows_.kept, one); name && !known(*name))
          arrays += type_text(loop, one) + " " + *name + "[" + std::to_string(rounds_) + "];\n";
    const auto block = kernel_.source.range(*rows_.block);
    if (!block) return false;
    edits.insert(block->begin + 1, "\n" + arrays);
    loaded_.clear();
    for (const RowLoop& loop : rows_.loops) {
      const auto range = kernel_.source.statement_range(*loop.rounds.loop->statement);
      const auto text = written(loop);
      if (!range || !text) return false;
      edits.replace(*range, *text);
    }
    return true;
  }

 private:
  bool known(const std::string& name) {
    const bool is = std::ranges::find(loaded_, name) != loaded_.end();
    if (!is) loaded_.push_back(name);
    return is;
  }

  std::optional<std::string> array(const std::vector<std::string>& keys,
                                   const RowElement& one) const {
    const auto at = std::ranges::find(keys, one.element.key);
    if (at == keys.end()) return std::nullopt;
    return (&keys == &rows_.kept ? "geak_kept" : "geak_ahead") + number_ + "_" +
           std::to_string(at - keys.begin());
  }

  std::string type_text(const RowLoop& loop, const RowElement& one) const {
    return SideBySide(kernel_, loop.rounds).type_text(one.element.type);
  }

  std::string nth() const { return "geak_nth" + number_; }

  /// The number of a work-item's round, and the statement under the loop's own condition.
  std::string round(const RowLoop& loop, const std::string& statement) const {
    const StridedLoop& head = *loop.rounds.loop;
    const std::string type = SideBySide(kernel_, loop.rounds).type_text(head.variable->getType());
    return "#pragma unroll\nfor (unsigned " + nth() + " = 0; " + nth() + " < " +
           std::to_string(rounds_) + "u; ++" + nth() + ") {\nconst " + type + " " +
           head.variable->getNameAsString() + " = " + begin(loop, nth()) + ";\nif (" +
           kernel_.source.text(*head.statement->getCond()) + ") {\n" + statement + "\n}\n}\n";
  }

  std::string begin(const RowLoop& loop, const std::string& rounds) const {
    const StridedLoop& head = *loop.rounds.loop;
    return "(" + SideBySide(kernel_, loop.rounds).type_text(head.variable->getType()) +
           ")((unsigned)(" + kernel_.source.text(*head.begin) + ") + " + rounds + " * (unsigned)(" +
           kernel_.source.text(*head.step) + "))";
  }

  std::optional<std::string> written(const RowLoop& loop) {
    const StridedLoop& head = *loop.rounds.loop;
    const SideBySide sides(kernel_, loop.rounds);
    const auto body = kernel_.source.statement_range(*head.statement->getBody());
    const std::string condition = kernel_.source.text(*head.statement->getCond());
    if (!body || condition.empty()) return std::nullopt;
    std::string loads, arrays;
    TextEdits edits;
    for (const RowElement& one : loop.elements) {
      const auto kept = array(rows_.kept, one), ahead = array(rows_.ahead, one);
      if (!kept && !ahead) continue;
      const std::string& name = kept ? *kept : *ahead;
      const bool is_loaded = kept && known(name);
      if (ahead)
        arrays += type_text(loop, one) + " " + name + "[" + std::to_string(rounds_) + "];\n";
      if (!is_loaded && one.read_first)
        loads += name + "[" + nth() + "] = *(" +
                 sides.address(one.accesses.front(), head.variable->getNameAsString()) + ");\n";
      for (const MemoryAccess& access : one.accesses) {
        const auto place = kernel_.source.range(*access.place);
        if (!place) return std::nullopt;
        // What is stored is kept, too.
        edits.replace(*place, (access.written ? kernel_.source.text(*place) + " = " : "") + name +
                                  "[" + nth() + "]");
      }
    }
    const std::string type = sides.type_text(head.variable->getType());
    const std::string variable = head.variable->getNameAsString();
    return "{\n" + arrays + (loads.empty() ? "" : round(loop, loads)) +
           round(loop, edits.apply(kernel_.source.text(), *body)) + "#pragma unroll 1\nfor (" +
           type + " " + variable + " = " + begin(loop, std::to_string(rounds_) + "u") + "; " +
           condition + "; " + variable + " += " + kernel_.source.text(*head.step) + ")\n" +
           kernel_.source.text(*body) + "\n}\n";
  }

  const KernelView& kernel_;
  const KeptRows& rows_;
  unsigned rounds_;
  std::string number_;
  std::vector<std::string> loaded_;
};

/// How many rounds the launches seen have, where an argument says it.
std::optional<unsigned> rounds_seen(const KernelView& kernel, const KeptRows& rows) {
  const clang::Expr& end = *rows.loops.front().rounds.loop->end;
  const auto* parameter = llvm::dyn_cast_or_null<clang::ParmVarDecl>(as_variable(end));
  const auto block = kernel.block();
  const auto value = parameter == nullptr ? constant_value(end, kernel.unit.context())
                                          : kernel.argument(parameter->getFunctionScopeIndex());
  if (!block || !value || *value <= 0 || *value > std::int64_t{most_rounds} * (*block)[0])
    return std::nullopt;
  return static_cast<unsigned>((*value + (*block)[0] - 1) / (*block)[0]);
}

class KeepRows final : public Transform {
 public:
  std::string name() const override { return "keep_rows"; }
  Axis axis() const override { return Axis::memory; }
  std::string summary() const override {
    return "keeps elements of a row in registers between loops over it";
  }

  /// {"rounds": 8}: of each work-item, whose elements are kept
  std::vector<json> parameters(const KernelView& kernel) const override {
    Draft scratch;
    std::string problem;
    const auto rows = kept_rows(kernel, scratch, problem);
    if (!rows) return {};
    std::vector<json> choices;
    const auto add = [&](unsigned rounds) {
      const json choice{{"rounds", rounds}};
      if (std::ranges::find(choices, choice) == choices.end()) choices.push_back(choice);
    };
    const auto seen = rounds_seen(kernel, *rows);
    if (seen) add(*seen);
    for (const unsigned rounds : {8U, 16U, 4U})
      if (!seen || rounds < *seen) add(rounds);
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto rounds = parameters.at("rounds").get<unsigned>();
    if (rounds < 1 || rounds > most_rounds)
      return Refusal{"of 1 to " + std::to_string(most_rounds) + " rounds elements are kept"};
    std::string problem;
    const auto rows = kept_rows(kernel, draft, problem);
    if (!rows) return Refusal{problem};
    TextEdits edits;
    if (!RowText(kernel, *rows, rounds).write(edits))
      return Refusal{"a loop's text comes out of a macro"};
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& keep_rows() {
  static const KeepRows transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
