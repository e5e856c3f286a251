// Gives each work-item several items: work that they have in common is done once, their loads
// overlap. Items are neighbours (consecutive) or lie a workgroup apart (strided).
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/function_text.h"
#include "clang-tool/transforms/item_copies.h"
#include "clang-tool/transforms/launch_axis.h"
#include "clang-tool/transforms/memory_effects.h"
#include "clang-tool/transforms/no_overlap.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;
using Factors = std::array<std::uint32_t, 3>;

constexpr std::uint32_t most_items = 16;

std::string axis_name(unsigned axis) { return std::string(1, static_cast<char>('x' + axis)); }

/// The number of the item that work-item (blockIdx, threadIdx) takes as its `nth` of `factor`.
std::string item_expression(const GlobalIndex& index, std::uint32_t factor, std::uint32_t nth,
                            bool consecutive) {
  const std::string a = axis_name(index.axis);
  const std::string f = std::to_string(factor) + "u";
  const std::string n = std::to_string(nth) + "u";
  if (index.of_workgroup) return "(blockIdx." + a + " * " + f + " + " + n + ")";
  return consecutive ? "((blockIdx." + a + " * blockDim." + a + " + threadIdx." + a + ") * " + f +
                           " + " + n + ")"
                     : "((blockIdx." + a + " * " + f + " + " + n + ") * blockDim." + a +
                           " + threadIdx." + a + ")";
}

class Coarsening {
 public:
  Coarsening(const KernelView& kernel, const Factors& factors, bool consecutive, bool repeat,
             Draft& draft)
      : kernel_(kernel),
        factors_(factors),
        consecutive_(consecutive),
        repeat_(repeat),
        draft_(draft) {}

  std::optional<Refusal> apply() {
    for (unsigned axis = 0; axis < 3; ++axis)
      if (factors_[axis] > 1)
        if (auto refusal = take_axis(axis)) return refusal;
    if (auto none = no_launch_runs(
            kernel_, draft_,
            "the grids seen do not divide evenly, and no early return stops extra items"))
      return none;
    return repeat_ ? write_repeating() : write();
  }

 private:
  std::optional<Refusal> take_axis(unsigned axis) {
    auto found = global_index(kernel_, axis, draft_);
    if (std::holds_alternative<Refusal>(found)) {
      auto whole = workgroup_index(kernel_, axis);
      if (std::holds_alternative<Refusal>(whole)) return std::get<Refusal>(found);
      found = std::move(whole);
    }
    indices_.push_back(std::get<GlobalIndex>(std::move(found)));
    const std::uint64_t slack = std::uint64_t{1024} * factors_[axis];
    const auto guard = extra_items_return(kernel_, indices_.back(), slack);
    if (auto refusal = divide_grid(axis, factors_[axis], guard.has_value(), draft_)) return refusal;
    if (guard) draft_.require(*guard);
    return std::nullopt;
  }

  /// One form alone, with nothing to do for items beyond the last: the last is done again in their
  /// place, which changes nothing where items do not read what they store.
  std::optional<Refusal> write_repeating() {
    if (indices_.size() != 1) return Refusal{"items are repeated along one axis alone"};
    if (auto refusal = stores_once()) return *refusal;
    std::string definitions;
    const auto items = name_items(definitions);
    const ItemCopies copies(kernel_, indices_, items);
    const GlobalIndex& index = indices_.front();
    std::optional<std::string> bound;
    std::string body;
    for (const clang::Stmt* statement : statements_of(kernel_.body())) {
      const clang::Expr* condition = as_early_return(*statement);
      if (condition == nullptr) {
        bool returns = false;
        walk(*statement, [&](const clang::Stmt& node, const Ancestors&) {
          returns = returns || llvm::isa<clang::ReturnStmt>(&node);
          return !returns;
        });
        const auto one = copies.lockstep({statement});
        if (returns) return Refusal{"single items may return"};
        if (!one) return Refusal{"a statement comes out of a macro or holds a lambda"};
        body += *one;
        continue;
      }
      if (const auto found = items_bound(kernel_, *condition, index)) bound = found;
      for (const clang::Expr* other : other_alternatives(kernel_, *condition, index))
        if (!copies.is_the_same(*other)) return Refusal{"single items may return"};
      const auto one = copies.copy(*statement, 0);
      if (!one) return Refusal{"a statement comes out of a macro or holds a lambda"};
      body += *one + "\n";
    }
    if (!bound) return Refusal{"no early return says how many items there are"};
    for (std::uint32_t n = 1; n < factors_[index.axis]; ++n) {
      const std::string item = item_name(index.axis, n), raw = item + "_raw";
      const auto at = definitions.find("const unsigned " + item + " =");
      definitions.replace(at, ("const unsigned " + item).size(), "const unsigned " + raw);
      definitions += "const unsigned " + item + " = " + raw + " < (unsigned)(" + *bound + ") ? " +
                     raw + " : (unsigned)(" + *bound + ") - 1u;\n";
    }
    const auto range = kernel_.source.range(kernel_.body());
    if (!range) return Refusal{"the kernel's body comes out of a macro"};
    TextEdits edits;
    edits.replace(*range, "{\n" + definitions + copies.parameter_copies() + body + "}");
    draft_.text = edits.apply(kernel_.source.text(), kernel_.text);
    return std::nullopt;
  }

  /// Storing an item's results twice is storing them once: nothing that it stores is read.
  std::optional<Refusal> stores_once() {
    const auto stored = stored_parameters(kernel_, kernel_.body());
    if (!stored) return Refusal{"what the kernel stores to is not plain"};
    std::optional<Refusal> refusal;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
      const auto* place = llvm::dyn_cast<clang::Expr>(&node);
      if (place == nullptr || refusal) return !refusal;
      if (as_launch_index(*place)) return false;
      const clang::Expr* pointer = accessed_pointer(*place);
      if (pointer == nullptr || !place->isLValue()) return true;
      const auto* parent =
          ancestors.empty() ? nullptr : llvm::dyn_cast<clang::BinaryOperator>(ancestors.back());
      if (parent != nullptr && parent->getOpcode() == clang::BO_Assign && parent->getLHS() == place)
        return true;
      const auto* call =
          ancestors.empty() ? nullptr : llvm::dyn_cast<clang::CallExpr>(ancestors.back());
      if (call != nullptr && plain_assignment_target(*call) == place) return true;
      const auto origin = pointer_origin(kernel_, *pointer, *pointer);
      if (!origin || stored->contains(origin->parameter)) {
        refusal = Refusal{"an item may read what it stores"};
        return false;
      }
      for (const clang::ParmVarDecl* target : *stored)
        require_apart(*origin->parameter, *target, draft_);
      return true;
    });
    return refusal;
  }

  /// Names of each copy's item numbers, and the statements that define them.
  std::vector<std::map<unsigned, std::string>> name_items(std::string& definitions) const {
    for (const GlobalIndex& index : indices_)
      for (std::uint32_t n = 0; n < factors_[index.axis]; ++n)
        definitions += "const unsigned " + item_name(index.axis, n) + " = " +
                       item_expression(index, factors_[index.axis], n, consecutive_) + ";\n";
    std::vector<std::map<unsigned, std::string>> items(1);
    for (const GlobalIndex& index : indices_) {
      std::vector<std::map<unsigned, std::string>> product;
      for (const auto& so_far : items)
        for (std::uint32_t n = 0; n < factors_[index.axis]; ++n) {
          product.push_back(so_far);
          product.back()[index.axis] = item_name(index.axis, n);
        }
      items = std::move(product);
    }
    return items;
  }
  static std::string item_name(unsigned axis, std::uint32_t n) {
    return "item_" + axis_name(axis) + std::to_string(n);
  }

  /// How many of the first statements are early returns or what they need, free of effects.
  std::size_t prologue_length(const std::vector<const clang::Stmt*>& statements) const {
    std::size_t length = 0;
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const clang::Expr* condition = as_early_return(*statements[i]);
      const bool declares = llvm::isa<clang::DeclStmt>(statements[i]);
      if (condition == nullptr && !declares) break;
      if (!is_pure(condition != nullptr ? *condition : *statements[i], kernel_.unit.context()))
        break;
      if (condition != nullptr) length = i + 1;
    }
    return length;
  }

  std::optional<Refusal> write() {
    std::string definitions;
    const auto items = name_items(definitions);
    const ItemCopies copies(kernel_, indices_, items);
    const auto statements = statements_of(kernel_.body());
    const std::size_t split = prologue_length(statements);
    bool returns = false;
    for (std::size_t i = split; i < statements.size(); ++i)
      walk(*statements[i], [&](const clang::Stmt& node, const Ancestors&) {
        returns = returns || llvm::isa<clang::ReturnStmt>(&node);
        return !returns;
      });

    std::string body = "{\n";
    if (!returns) body += definitions;
    const bool needs_function = returns || split > 0;
    if (!returns) {
      std::string conditions;
      const auto together = in_lockstep(copies, statements, split, conditions);
      if (!together) return Refusal{"a statement comes out of a macro or holds a lambda"};
      body += *together;
    }
    std::string function;
    if (needs_function) {
      const auto text = item_function();
      if (!text) return Refusal{"the kernel's item number comes out of a macro"};
      function = *text;
      body += calls(items);
    }
    body += "}";
    const auto range = kernel_.source.range(kernel_.body());
    if (!range) return Refusal{"the kernel's body comes out of a macro"};
    TextEdits edits;
    edits.replace(*range, body);
    const FunctionText header(kernel_);
    edits.insert(header.definition_begin(), function);
    draft_.text = edits.apply(kernel_.source.text(), kernel_.text);
    return std::nullopt;
  }

  /// All copies at once, for work-items none of whose items returns early.
  std::optional<std::string> in_lockstep(const ItemCopies& copies,
                                         const std::vector<const clang::Stmt*>& statements,
                                         std::size_t split, std::string& conditions) const {
    std::string text = copies.parameter_copies();
    for (std::size_t i = 0; i < split; ++i) {
      const clang::Expr* condition = as_early_return(*statements[i]);
      if (condition == nullptr) {
        const auto one = copies.lockstep({statements[i]});
        if (!one) return std::nullopt;
        text += *one;
        continue;
      }
      // What later prologue statements read may be valid for items that did not return alone.
      for (std::size_t item = 0; item < copies.count(); ++item) {
        const auto one = copies.copy(*condition, item);
        if (!one) return std::nullopt;
        conditions += (conditions.empty() ? "!(" : " && !(") + *one + ")";
      }
      text += "if (" + conditions + ") {\n";
      conditions.clear();
    }
    const auto rest = copies.lockstep(
        {statements.begin() + static_cast<std::ptrdiff_t>(split), statements.end()});
    if (!rest) return std::nullopt;
    text += *rest;
    for (std::size_t i = 0; i < split; ++i)
      if (as_early_return(*statements[i]) != nullptr)
        text += (text.ends_with("return;\n}\n") ? "" : "return;\n") + std::string("}\n");
    return text;
  }

  /// The original's body for one item, as a function of its own.
  std::optional<std::string> item_function() const {
    TextEdits edits;
    std::string parameters;
    for (const GlobalIndex& index : indices_) {
      parameters += ", unsigned geak_item_" + axis_name(index.axis);
      for (const clang::Expr* use : index.uses) {
        const auto range = kernel_.source.range(*use);
        if (!range) return std::nullopt;
        edits.replace(*range,
                      "((" +
                          use->getType().getCanonicalType().getUnqualifiedType().getAsString(
                              kernel_.unit.context().getPrintingPolicy()) +
                          ")geak_item_" + axis_name(index.axis) + ")");
      }
    }
    const FunctionText header(kernel_);
    const auto range = kernel_.source.range(kernel_.body());
    if (!range) return std::nullopt;
    return header.device_function(header.unused_suffix("_item"), parameters) +
           edits.apply(kernel_.source.text(), *range) + "\n\n";
  }

  std::string calls(const std::vector<std::map<unsigned, std::string>>&) const {
    const FunctionText header(kernel_);
    std::string text;
    std::string arguments;
    std::string closing;
    for (const GlobalIndex& index : indices_) {
      const std::string a = axis_name(index.axis);
      const std::string n = "geak_nth_" + a;
      text += "#pragma unroll 1\nfor (unsigned " + n + " = 0; " + n + " < " +
              std::to_string(factors_[index.axis]) + "u; ++" + n + ")\n";
      std::string expression = item_expression(index, factors_[index.axis], 0, consecutive_);
      const std::string zero = " + 0u)";
      expression.replace(expression.find(zero), zero.size(), " + " + n + ")");
      arguments += ", " + expression;
    }
    return text + header.call(header.unused_suffix("_item"), arguments) + ";\n";
  }

  const KernelView& kernel_;
  Factors factors_;
  bool consecutive_, repeat_;
  Draft& draft_;
  std::vector<GlobalIndex> indices_;
};

class Coarsen final : public Transform {
 public:
  std::string name() const override { return "coarsen"; }
  Axis axis() const override { return Axis::parallelism; }
  std::string summary() const override {
    return "gives each work-item several items, whose common work is done once";
  }

  /// {"factors": [1, 4, 1], "order": "consecutive", "beyond": "repeat"}: the last item again in
  /// place of those beyond it; default: a function called item by item
  std::vector<json> parameters(const KernelView& kernel) const override {
    std::vector<json> choices;
    const auto offer = [&](Factors factors, const char* order) {
      choices.push_back({{"factors", factors}, {"order", order}});
    };
    const auto grid = kernel.grid();
    const auto extent = [&](unsigned axis) { return grid ? (*grid)[axis] : 2; };
    // Rows share what they load above and below each other; columns keep accesses side by side.
    for (std::uint32_t factor : {8U, 4U, 2U})
      if (extent(1) > 1) offer({1, factor, 1}, "consecutive");
    for (std::uint32_t factor : {4U, 2U, 8U})
      if (extent(0) > 1) offer({factor, 1, 1}, "strided");
    for (std::uint32_t factor : {4U, 2U, 8U})
      if (extent(0) > 1) offer({factor, 1, 1}, "consecutive");
    // One form without a remainder: room for tiles of what the items share.
    for (std::uint32_t factor : {2U, 4U})
      if (extent(0) > 1)
        choices.push_back(
            {{"factors", Factors{factor, 1, 1}}, {"order", "strided"}, {"beyond", "repeat"}});
    if (extent(1) > 1) offer({1, 4, 1}, "strided");
    if (extent(2) > 1) offer({1, 1, 4}, "consecutive");
    if (extent(0) > 1 && extent(1) > 1) offer({2, 2, 1}, "consecutive");
    if (extent(0) > 1 && extent(1) > 1) offer({4, 2, 1}, "consecutive");
    if (extent(0) > 1 && extent(1) > 1) offer({4, 4, 1}, "strided");
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto factors = parameters.at("factors").get<Factors>();
    const auto order = parameters.at("order").get<std::string>();
    if (order != "consecutive" && order != "strided")
      return Refusal{"the order must be consecutive or strided"};
    std::uint64_t items = 1;
    for (std::uint32_t factor : factors) items *= factor;
    if (items < 2 || items > most_items)
      return Refusal{"a work-item must get 2 to " + std::to_string(most_items) + " items"};
    const auto beyond = parameters.value("beyond", std::string("single"));
    if (beyond != "single" && beyond != "repeat")
      return Refusal{"what lies beyond the last item is done in single steps or is a repeat"};
    return Coarsening(kernel, factors, order == "consecutive", beyond == "repeat", draft).apply();
  }
};

}  // namespace

const Transform& coarsen() {
  static const Coarsen transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
