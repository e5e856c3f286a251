// Leaves a gap in an LDS array after as many elements as there are banks. Work-items that access it
// at a distance of a power of two would meet in one bank and wait for each other; with the gaps
// they meet in different ones. The array is the kernel's own and never leaves it, so where its
// elements lie is nobody else's concern.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/TypeLoc.h>

#include <algorithm>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/conditions.h"
#include "clang-tool/transforms/function_text.h"
#include "clang-tool/variant.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

// 32 banks of 4 bytes, on AMD's CDNA as on NVIDIA's GPUs.
constexpr std::int64_t bytes_of_banks = 128;
constexpr std::int64_t most_bytes = 65536;
constexpr unsigned deepest = 8;

struct Padded {
  const clang::VarDecl* array = nullptr;
  std::vector<const clang::Expr*> sizes;                 ///< of each dimension, as written
  std::int64_t inner = 0;                                ///< elements of the last dimension
  std::int64_t bytes = 0;                                ///< of one element
  std::vector<std::vector<const clang::Expr*>> indices;  ///< of each access, outermost first
};

class Finder {
 public:
  explicit Finder(const KernelView& kernel) : kernel_(kernel), context_(kernel.unit.context()) {}

  std::vector<Padded> find() const {
    std::vector<Padded> found;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors&) {
      if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&node))
        for (const clang::Decl* declared : declaration->decls())
          if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared))
            if (auto padded = as_padded(*variable)) found.push_back(std::move(*padded));
      return true;
    });
    return found;
  }

 private:
  std::optional<Padded> as_padded(const clang::VarDecl& variable) const {
    if (!variable.hasAttr<clang::CUDASharedAttr>() || variable.hasExternalStorage())
      return std::nullopt;
    Padded padded;
    padded.array = &variable;
    if (!read_type(variable, padded) || !read_accesses(padded)) return std::nullopt;
    return padded;
  }

  bool read_type(const clang::VarDecl& variable, Padded& padded) const {
    clang::QualType type = variable.getType();
    std::int64_t elements = 1;
    while (const auto* array = context_.getAsConstantArrayType(type)) {
      padded.inner = static_cast<std::int64_t>(array->getSize().getZExtValue());
      elements *= padded.inner;
      type = array->getElementType();
    }
    if (!type->isArithmeticType() || type.isVolatileQualified()) return false;
    padded.bytes = context_.getTypeSizeInChars(type).getQuantity();
    const clang::TypeSourceInfo* written = variable.getTypeSourceInfo();
    if (written == nullptr) return false;
    for (auto location = written->getTypeLoc().getAs<clang::ArrayTypeLoc>(); location;
         location = location.getElementLoc().getAs<clang::ArrayTypeLoc>())
      padded.sizes.push_back(location.getSizeExpr());
    const bool fits = padded.sizes.size() == 1 || padded.sizes.size() == 2;
    return fits && std::ranges::find(padded.sizes, nullptr) == padded.sizes.end() &&
           (padded.bytes == 4 || padded.bytes == 8) &&
           padded.inner * padded.bytes >= bytes_of_banks / 2 &&
           elements * padded.bytes < most_bytes / 2;
  }

  /// Every use is a whole element, by pure indices.
  bool read_accesses(Padded& padded) const {
    bool plain = true, conflicts = false;
    walk(kernel_.body(), [&](const clang::Stmt& node, const Ancestors& path) {
      const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node);
      if (reference == nullptr || reference->getDecl() != padded.array) return plain;
      std::vector<const clang::Expr*> indices;
      const clang::Stmt* child = reference;
      for (auto it = path.rbegin(); it != path.rend() && indices.size() < padded.sizes.size();
           ++it) {
        if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(*it)) {
          if (element->getBase() != child) break;
          indices.push_back(element->getIdx());
        } else if (!is_on_the_way(**it)) {
          break;
        }
        child = *it;
      }
      const auto up = std::ranges::find(path, child);
      const clang::Stmt* user = up == path.end() || up == path.begin() ? nullptr : *(up - 1);
      plain = indices.size() == padded.sizes.size() && user != nullptr &&
              is_load_or_store(*user, *child) &&
              std::ranges::all_of(
                  indices, [&](const clang::Expr* index) { return is_pure(*index, context_); });
      conflicts = conflicts || may_conflict(indices);
      padded.indices.push_back(std::move(indices));
      return plain;
    });
    return plain && conflicts;
  }

  /// An element whose address goes elsewhere could be a way to its neighbours.
  static bool is_load_or_store(const clang::Stmt& user, const clang::Stmt& element) {
    if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&user))
      return cast->getCastKind() == clang::CK_LValueToRValue;
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&user))
      return binary->isAssignmentOp() && binary->getLHS() == &element;
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&user);
    return unary != nullptr && unary->isIncrementDecrementOp();
  }

  static bool is_on_the_way(const clang::Stmt& node) {
    const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&node);
    return llvm::isa<clang::ParenExpr>(&node) ||
           (cast != nullptr && cast->getCastKind() == clang::CK_ArrayToPointerDecay);
  }

  /// Whether neighbouring work-items may lie a multiple apart: by a product, or in other rows.
  bool may_conflict(const std::vector<const clang::Expr*>& indices) const {
    if (indices.size() == 2) return reads_neighbour(*indices.front(), 0);
    return !indices.empty() && has_product(*indices.front(), 0);
  }

  bool has_product(const clang::Expr& index, unsigned depth) const {
    bool found = false;
    walk(index, [&](const clang::Stmt& node, const Ancestors&) {
      const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(&node);
      if (binary != nullptr &&
          (binary->getOpcode() == clang::BO_Mul || binary->getOpcode() == clang::BO_Shl))
        found = found || reads_neighbour(*binary->getLHS(), depth) ||
                reads_neighbour(*binary->getRHS(), depth);
      return !found;
    });
    return found;
  }

  /// Whether the value differs between neighbouring work-items: by threadIdx.x.
  bool reads_neighbour(const clang::Expr& expression, unsigned depth) const {
    if (depth > deepest) return false;
    for (const LaunchIndexUse& use : launch_index_uses(expression))
      if (use.index == LaunchIndex{LaunchValue::thread, 0}) return true;
    return std::ranges::any_of(variables_in(expression), [&](const clang::VarDecl* variable) {
      return variable->isLocalVarDecl() && variable->hasInit() &&
             reads_neighbour(*variable->getInit(), depth + 1);
    });
  }

  const KernelView& kernel_;
  const clang::ASTContext& context_;
};

class PadLds final : public Transform {
 public:
  std::string name() const override { return "pad_lds"; }
  Axis axis() const override { return Axis::memory; }
  std::string summary() const override {
    return "leaves gaps in LDS arrays, so that work-items far apart meet in different banks";
  }

  std::vector<json> parameters(const KernelView& kernel) const override {
    if (Finder(kernel).find().empty()) return {};
    return {json::object()};
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json&, Draft& draft) const override {
    const auto arrays = Finder(kernel).find();
    // Its own functions are plain, so that their results would be spread once more.
    if (kernel.source.text(kernel.text).find("_gaps") != std::string::npos)
      return Refusal{"the LDS arrays have their gaps"};
    if (arrays.empty())
      return Refusal{"no LDS array is accessed by plain indices alone and at multiples"};
    TextEdits edits;
    std::string functions;
    for (const Padded& padded : arrays)
      if (!write(kernel, padded, edits, functions))
        return Refusal{padded.array->getNameAsString() + "'s uses stand in macros"};
    edits.insert(FunctionText(kernel).definition_begin(), functions);
    draft.text = edits.apply(kernel.source.text(), kernel.text);
    require_lds_as_seen(kernel, draft);
    return std::nullopt;
  }

 private:
  static bool write(const KernelView& kernel, const Padded& padded, TextEdits& edits,
                    std::string& functions) {
    const auto size = kernel.source.range(*padded.sizes.back());
    if (!size) return false;
    const std::string every = std::to_string(bytes_of_banks / padded.bytes);
    const std::string text = kernel.source.text(*size);
    if (padded.sizes.size() == 2) {
      edits.replace(*size, "(" + text + ") + 1");
      return true;
    }
    edits.replace(*size, "(" + text + ") + (" + text + ") / " + every);
    const std::string function = std::string(variant_name_placeholder) + "_gaps" + every;
    const std::string definition =
        "static __device__ __forceinline__ __attribute__((const)) "
        "unsigned " +
        function + "(unsigned element) {\n  return element + element / " + every + "u;\n}\n";
    if (functions.find(function + "(") == std::string::npos) functions += definition + "\n";
    for (const auto& indices : padded.indices) {
      const auto at = kernel.source.range(*indices.front());
      if (!at) return false;
      edits.insert(at->begin, function + "(");
      edits.insert(at->end, ")");
    }
    return true;
  }
};

}  // namespace

const Transform& pad_lds() {
  static const PadLds transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
