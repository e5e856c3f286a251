// Several items for each work-item that differ in one digit of a number taken apart by / and %:
// they have the other digits in common, and what is read for these once. Where the digit is the
// last index of an array, the items' elements neighbour each other and are reached by wide
// accesses.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>
#include <bit>

#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/index_digits.h"
#include "clang-tool/transforms/item_copies.h"
#include "clang-tool/transforms/launch_axis.h"
#include "clang-tool/transforms/wide_items.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

constexpr unsigned most_items = 16;

std::string item_name(unsigned nth) { return "geak_item" + std::to_string(nth); }

class DigitCoarsening {
 public:
  DigitCoarsening(const KernelView& kernel, const GlobalIndex& index, const Digit& digit,
                  const IndexDigits& digits, unsigned items, Draft& draft)
      : kernel_(kernel),
        indices_{index},
        digit_(digit),
        items_(items),
        draft_(draft),
        growth_(digits.growth(digit)),
        copies_(kernel, indices_, names(), growth_) {}

  bool has_wide_accesses() const { return !copies_.widened().empty(); }

  std::optional<Refusal> apply() {
    const auto bound = require_bound();
    if (!bound) return Refusal{"no early return says how many items there are"};
    const std::uint64_t slack = std::uint64_t{1024} * items_;
    const auto guard = extra_items_return(kernel_, indices_.front(), slack);
    if (!guard) return Refusal{"something happens before the early return"};
    draft_.require(*guard);
    require_digit(*bound);
    if (auto refusal = divide_grid(indices_.front().axis, items_, true, draft_)) return refusal;
    if (auto none = no_launch_runs(kernel_, draft_, "no launch seen can be divided")) return none;
    return write();
  }

 private:
  std::vector<std::map<unsigned, std::string>> names() const {
    std::vector<std::map<unsigned, std::string>> all;
    for (unsigned nth = 0; nth < items_; ++nth)
      all.push_back({{indices_.front().axis, item_name(nth)}});
    return all;
  }

  /// The number of items as the host computes it.
  std::optional<std::string> require_bound() const {
    for (const clang::Stmt* statement : kernel_.body().body())
      if (const clang::Expr* condition = as_early_return(*statement))
        if (auto bound = items_bound(kernel_, *condition, indices_.front())) return bound;
    return std::nullopt;
  }

  /// Whole groups of items: the last work-item has as many as the first. Divided factor by factor,
  /// nothing overflows, and each factor is at most the number of items.
  void require_digit(const std::string& bound) {
    std::string rest = "(long long)(" + bound + ")";
    draft_.require(rest + " > 0");
    for (const std::string& factor : digit_.below) {
      const std::string wide = "(long long)(" + factor + ")";
      draft_.require(wide + " > 0 && " + rest + " % " + wide + " == 0");
      rest += " / " + wide;
    }
    draft_.require(rest + " % " + std::to_string(items_) + " == 0");
    std::string radix;
    for (const std::string& factor : digit_.radix) {
      radix += (radix.empty() ? "" : " * ") + std::string("(long long)(") + factor + ")";
      draft_.require("(long long)(" + factor + ") > 0");
    }
    if (!radix.empty()) draft_.require("(" + radix + ") % " + std::to_string(items_) + " == 0");
  }

  std::string definitions() const {
    const GlobalIndex& index = indices_.front();
    const std::string a(1, static_cast<char>('x' + index.axis));
    const std::string count = std::to_string(items_) + "u";
    std::string below;
    for (const std::string& factor : digit_.below)
      below += (below.empty() ? "" : " * ") + std::string("(unsigned)(") + factor + ")";
    std::string text =
        "const unsigned geak_group = blockIdx." + a + " * blockDim." + a + " + threadIdx." + a +
        ";\nconst unsigned geak_below = " + (below.empty() ? "1u" : below) + ";\nconst unsigned " +
        item_name(0) + " = geak_group / geak_below * geak_below * " + count +
        " + geak_group % geak_below;\n";
    for (unsigned nth = 1; nth < items_; ++nth)
      text += "__attribute__((unused)) const unsigned " + item_name(nth) + " = " + item_name(0) +
              " + " + std::to_string(nth) + "u * geak_below;\n";
    return text;
  }

  std::optional<Refusal> write() {
    const WideItems wide = wide_items();
    copies_.widen(wide);
    std::string body;
    for (const clang::Stmt* statement : statements_of(kernel_.body())) {
      const clang::Expr* condition = as_early_return(*statement);
      std::optional<std::string> one;
      if (condition != nullptr) {
        // All items of a work-item lie before the bound, or none does.
        for (const clang::Expr* other : other_alternatives(kernel_, *condition, indices_.front()))
          if (!copies_.is_the_same(*other)) return Refusal{"single items may return"};
        one = copies_.copy(*statement, 0);
      } else {
        if (returns(*statement)) return Refusal{"single items may return"};
        one = copies_.lockstep({statement});
      }
      if (!one) return Refusal{"a statement comes out of a macro or holds a lambda"};
      body += *one + "\n";
    }
    const auto range = kernel_.source.range(kernel_.body());
    if (!range) return Refusal{"the kernel's body comes out of a macro"};
    TextEdits edits;
    edits.replace(*range, "{\n" + definitions() + copies_.parameter_copies() + body + "}");
    draft_.text = edits.apply(kernel_.source.text(), kernel_.text);
    for (const clang::VarDecl* multiple : wide.relied_on())
      draft_.require({support::Condition::Kind::argument_multiple,
                      llvm::cast<clang::ParmVarDecl>(multiple)->getFunctionScopeIndex(), items_});
    for (const auto& [pointer, bytes] : copies_.widened())
      draft_.require(
          {support::Condition::Kind::argument_aligned, pointer->getFunctionScopeIndex(), bytes});
    return std::nullopt;
  }

  static bool returns(const clang::Stmt& statement) {
    bool found = false;
    walk(statement, [&](const clang::Stmt& node, const Ancestors&) {
      found = found || llvm::isa<clang::ReturnStmt>(&node);
      return !found;
    });
    return found;
  }

  /// Row lengths that are no multiples leave the next rows' elements unaligned.
  bool is_multiple_where_seen(const clang::ParmVarDecl& parameter) const {
    const auto value = kernel_.argument(parameter.getFunctionScopeIndex());
    return parameter.getType()->isIntegerType() && value && *value % items_ == 0 &&
           !may_change(kernel_.body(), parameter);
  }

  WideItems wide_items() const {
    std::set<const clang::VarDecl*> next, multiples;
    for (const auto& [variable, by] : growth_)
      if (by == "1") next.insert(variable);
    for (const clang::ParmVarDecl* parameter : kernel_.function.parameters())
      if (is_multiple_where_seen(*parameter)) multiples.insert(parameter);
    return {kernel_, items_, std::move(next), std::move(multiples),
            [this](const clang::Expr& expression) { return copies_.is_the_same(expression); }};
  }

  const KernelView& kernel_;
  std::vector<GlobalIndex> indices_;
  const Digit& digit_;
  unsigned items_;
  Draft& draft_;
  Growth growth_;
  ItemCopies copies_;
};

class CoarsenDigit final : public Transform {
 public:
  std::string name() const override { return "coarsen_digit"; }
  Axis axis() const override { return Axis::parallelism; }
  std::string summary() const override {
    return "gives each work-item several items that differ in one digit of their number";
  }

  /// {"digit": "channel", "items": 8}: the variable that holds the digit
  std::vector<json> parameters(const KernelView& kernel) const override {
    Draft scratch;
    const auto index = global_index(kernel, 0, scratch);
    if (std::holds_alternative<Refusal>(index)) return {};
    const IndexDigits digits(kernel, std::get<GlobalIndex>(index));
    // Wide accesses that were scattered gain most: the lowest digit's lie side by side anyway.
    std::vector<json> scattered, neighbouring, others;
    for (const Digit& digit : digits.digits())
      for (unsigned items : {8U, 16U, 4U, 2U}) {
        Draft draft;
        if (!is_proper(digit, digits)) continue;
        DigitCoarsening work(kernel, std::get<GlobalIndex>(index), digit, digits, items, draft);
        if (work.apply()) continue;
        const bool wide = work.has_wide_accesses();
        if (!wide && items != 4) continue;
        (!wide                 ? others
         : digit.below.empty() ? neighbouring
                               : scattered)
            .push_back({{"digit", digit.variable->getNameAsString()}, {"items", items}});
      }
    std::vector<json> found = std::move(scattered);
    found.insert(found.end(), neighbouring.begin(), neighbouring.end());
    found.insert(found.end(), others.begin(), others.end());
    return found;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto items = parameters.at("items").get<unsigned>();
    const auto name = parameters.at("digit").get<std::string>();
    if (items < 2 || items > most_items || !std::has_single_bit(items))
      return Refusal{"a work-item gets 2, 4, 8 or 16 items"};
    const auto found = global_index(kernel, 0, draft);
    if (const auto* refusal = std::get_if<Refusal>(&found)) return *refusal;
    const auto& index = std::get<GlobalIndex>(found);
    const IndexDigits digits(kernel, index);
    const Digit* digit = digits.find(name);
    if (digit == nullptr || !is_proper(*digit, digits))
      return Refusal{name + " is no digit of the work-item's number"};
    return DigitCoarsening(kernel, index, *digit, digits, items, draft).apply();
  }

 private:
  /// The number itself, taken apart no further, is coarsen's.
  static bool is_proper(const Digit& digit, const IndexDigits& digits) {
    return digits.digits().size() > 1 && !(digit.below.empty() && digit.radix.empty());
  }
};

}  // namespace

const Transform& coarsen_digit() {
  static const CoarsenDigit transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
