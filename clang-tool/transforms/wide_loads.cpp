// Loads neighbouring elements that a loop reads one by one with one wide load for several rounds of
// it. Whether the address is aligned is tested where the loop begins, and a plain loop does the
// rest, so nothing is asked of the launch.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/memory_effects.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

/// `pointer[start + variable]`, read once in every round of the loop.
struct Access {
  const clang::ArraySubscriptExpr* element = nullptr;
  const clang::VarDecl* pointer = nullptr;
  const clang::Expr* start = nullptr;  ///< null: 0
  clang::QualType type;
  std::uint64_t bytes = 0;
  bool may_wrap = false;  ///< the index is computed in 32 unsigned bits
};

class Finder {
 public:
  Finder(const KernelView& kernel, const CountedLoop& loop)
      : kernel_(kernel), context_(kernel.unit.context()), loop_(loop) {}

  std::vector<Access> accesses() const {
    std::vector<Access> found;
    const clang::Stmt& body = *loop_.statement->getBody();
    walk(body, [&](const clang::Stmt& node, const Ancestors& ancestors) {
      if (const auto access = as_access(node, ancestors)) found.push_back(*access);
      return !llvm::isa<clang::LambdaExpr>(&node);
    });
    return found;
  }

  bool is_invariant(const clang::Expr& expression) const {
    if (!is_pure(expression, context_)) return false;
    bool invariant = true;
    walk(expression, [&](const clang::Stmt& node, const Ancestors&) {
      if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole))
        return false;
      if (llvm::isa<clang::ArraySubscriptExpr, clang::CallExpr>(&node)) invariant = false;
      if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node))
        invariant = invariant && unary->getOpcode() != clang::UO_Deref;
      if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node))
        invariant = invariant && !member->isArrow();
      return invariant;
    });
    for (const clang::VarDecl* variable : variables_in(expression))
      invariant = invariant && variable != loop_.variable && is_unchanged(*variable);
    return invariant;
  }

 private:
  bool is_unchanged(const clang::VarDecl& variable) const {
    const auto offset = kernel_.source.offset(variable.getLocation());
    const auto body = kernel_.source.range(*loop_.statement->getBody());
    const bool declared_inside = offset && body && *offset >= body->begin && *offset < body->end;
    return !declared_inside && !may_change(*loop_.statement->getBody(), variable);
  }

  std::optional<Access> as_access(const clang::Stmt& node, const Ancestors& ancestors) const {
    const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&node);
    if (element == nullptr || !is_read_in_every_round(ancestors)) return std::nullopt;
    Access access;
    access.element = element;
    access.pointer = as_variable(*element->getBase());
    access.type = element->getType().getCanonicalType();
    if (access.pointer == nullptr || !access.pointer->getType()->isPointerType() ||
        !is_unchanged(*access.pointer) || !access.type->isArithmeticType() ||
        access.type.isVolatileQualified())
      return std::nullopt;
    access.bytes =
        static_cast<std::uint64_t>(context_.getTypeSizeInChars(access.type).getQuantity());
    const clang::Expr& index = stripped(*element->getIdx());
    access.may_wrap =
        index.getType()->isUnsignedIntegerType() && context_.getTypeSize(index.getType()) == 32;
    if (as_variable(index) == loop_.variable) return access;
    const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(&index);
    if (sum == nullptr || sum->getOpcode() != clang::BO_Add) return std::nullopt;
    const bool left = as_variable(*sum->getLHS()) == loop_.variable;
    if (!left && as_variable(*sum->getRHS()) != loop_.variable) return std::nullopt;
    access.start = left ? sum->getRHS() : sum->getLHS();
    if (!is_invariant(*access.start)) return std::nullopt;
    return access;
  }

  static bool is_read_in_every_round(const Ancestors& ancestors) {
    if (ancestors.empty()) return false;
    const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(ancestors.back());
    if (cast == nullptr || cast->getCastKind() != clang::CK_LValueToRValue) return false;
    return std::ranges::none_of(ancestors, [](const clang::Stmt* ancestor) {
      const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(ancestor);
      return llvm::isa<clang::IfStmt, clang::ForStmt, clang::WhileStmt, clang::DoStmt,
                       clang::SwitchStmt, clang::AbstractConditionalOperator>(ancestor) ||
             (binary != nullptr && binary->isLogicalOp());
    });
  }

  const KernelView& kernel_;
  const clang::ASTContext& context_;
  const CountedLoop& loop_;
};

/// Stores of the loop must not reach what a wide load has read ahead.
bool stores_may_reach(const clang::Stmt& body, const Access& access) {
  return !access.pointer->getType().isRestrictQualified() && may_store_to_global_memory(body);
}

struct Candidate {
  CountedLoop loop;
  std::vector<Access> accesses;
};

std::vector<Candidate> candidates_of(const KernelView& kernel) {
  std::vector<Candidate> found;
  walk(kernel.body(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    const auto loop = as_counted_loop(node, kernel.unit.context());
    if (!loop || loop->step != 1 || loop->end_included || loop->leaves) return true;
    if (!ancestors.empty() && llvm::isa<clang::AttributedStmt>(ancestors.back())) return true;
    const clang::Stmt& body = *loop->statement->getBody();
    const Finder finder(kernel, *loop);
    if (holds_any<clang::ContinueStmt>(body) || !finder.is_invariant(*loop->end)) return true;
    Candidate candidate{*loop, finder.accesses()};
    std::erase_if(candidate.accesses,
                  [&](const Access& access) { return stores_may_reach(body, access); });
    if (!candidate.accesses.empty()) found.push_back(std::move(candidate));
    return true;
  });
  return found;
}

class Writer {
 public:
  Writer(const KernelView& kernel, unsigned bytes) : kernel_(kernel), bytes_(bytes) {}

  /// The loop in both forms; nothing where its text stands in a macro or no access is wide enough.
  std::optional<std::string> write(const Candidate& candidate, unsigned number) const {
    const CountedLoop& loop = candidate.loop;
    const auto body = kernel_.source.statement_range(*loop.statement->getBody());
    const std::string begin = kernel_.source.text(*loop.begin);
    const std::string end = kernel_.source.text(*loop.end);
    const std::uint64_t element = candidate.accesses.front().bytes;
    if (!body || begin.empty() || end.empty() || element * 2 > bytes_) return std::nullopt;
    const std::string rounds = std::to_string(bytes_ / element);
    const std::string at = "geak_at" + std::to_string(number);
    const std::string nth = "geak_nth" + std::to_string(number);
    const std::string type = type_text(loop.variable->getType());
    const std::string variable = loop.variable->getNameAsString();

    std::string aligned, loads;
    TextEdits edits;
    unsigned wide = 0;
    for (const Access& access : candidate.accesses) {
      if (access.bytes != element) continue;
      const auto range = kernel_.source.range(*access.element);
      const std::string address = address_of(access, at);
      if (!range || address.empty()) return std::nullopt;
      const std::string chunk = "geak_wide" + std::to_string(number) + "_" + std::to_string(wide++);
      aligned += (aligned.empty() ? "" : " && ") + std::string("(unsigned long)(") + address +
                 ") % " + std::to_string(bytes_) + " == 0";
      if (access.may_wrap) aligned += " && " + no_wrap(access, at, end);
      loads += type_text(access.type) + " " + chunk + "[" + rounds + "];\n__builtin_memcpy(" +
               chunk + ", __builtin_assume_aligned(" + address + ", " + std::to_string(bytes_) +
               "), " + std::to_string(bytes_) + ");\n";
      edits.replace(*range, chunk + "[" + nth + "]");
    }
    const std::string wide_body = edits.apply(kernel_.source.text(), *body);
    return "{\n" + type + " " + at + " = " + begin + ";\nif (" + aligned + ")\nfor (; " + at +
           " < " + end + " && " + end + " - " + at + " >= " + rounds + "; " + at + " += " + rounds +
           ") {\n" + loads + "#pragma unroll\nfor (int " + nth + " = 0; " + nth + " < " + rounds +
           "; ++" + nth + ") {\n__attribute__((unused)) const " + type + " " + variable + " = " +
           at + " + " + nth + ";\n" + wide_body + "\n}\n}\nfor (; " + at + " < " + end + "; ++" +
           at + ") {\n__attribute__((unused)) const " + type + " " + variable + " = " + at + ";\n" +
           kernel_.source.text(*body) + "\n}\n}\n";
  }

 private:
  std::string type_text(clang::QualType type) const {
    return type.getCanonicalType().getUnqualifiedType().getAsString(
        kernel_.unit.context().getPrintingPolicy());
  }
  std::string address_of(const Access& access, const std::string& at) const {
    const std::string start = access.start == nullptr ? "0" : kernel_.source.text(*access.start);
    if (start.empty()) return {};
    return access.pointer->getNameAsString() + " + (" + start + ") + " + at;
  }
  std::string no_wrap(const Access& access, const std::string& at, const std::string& end) const {
    const std::string start = access.start == nullptr ? "0" : kernel_.source.text(*access.start);
    return "(unsigned)((" + start + ") + (" + end + ")) >= (unsigned)((" + start + ") + " + at +
           ")";
  }

  const KernelView& kernel_;
  unsigned bytes_;
};

class WideLoads final : public Transform {
 public:
  std::string name() const override { return "wide_loads"; }
  Axis axis() const override { return Axis::memory; }
  std::string summary() const override {
    return "loads neighbouring elements that a loop reads one by one with one wide load";
  }

  /// {"bytes": 16}
  std::vector<json> parameters(const KernelView& kernel) const override {
    if (candidates_of(kernel).empty()) return {};
    return {{{"bytes", 16}}, {{"bytes", 8}}, {{"bytes", 4}}};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto bytes = parameters.at("bytes").get<unsigned>();
    if (bytes != 4 && bytes != 8 && bytes != 16) return Refusal{"bytes must be 4, 8 or 16"};
    TextEdits edits;
    unsigned number = 0;
    for (const Candidate& candidate : candidates_of(kernel)) {
      const auto range = kernel.source.statement_range(*candidate.loop.statement);
      const auto text = Writer(kernel, bytes).write(candidate, number);
      if (!range || !text) continue;
      edits.replace(*range, *text);
      ++number;
    }
    if (edits.empty())
      return Refusal{
          "no loop reads neighbouring elements in every round, free of stores that may "
          "reach them"};
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    return std::nullopt;
  }
};

}  // namespace

const Transform& wide_loads() {
  static const WideLoads transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
