#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <set>

#include "clang-tool/system_header.h"
#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {
namespace {

class Examiner {
 public:
  explicit Examiner(const clang::FunctionDecl& kernel) : kernel_(kernel) {}

  SharedBehaviour examine() {
    look_into(kernel_);
    return found_;
  }

 private:
  void look_into(const clang::FunctionDecl& function) {
    if (!seen_.insert(&function).second) return;
    const clang::Stmt& body = *function.getBody();
    if (&function != &kernel_ && !launch_index_uses(body).empty()) found_.callee_uses_launch = true;
    walk(body, [&](const clang::Stmt& node, const Ancestors&) {
      if (const auto* expression = llvm::dyn_cast<clang::Expr>(&node)) {
        if (as_launch_index(*expression)) return false;
        look_at(*expression);
      } else if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&node)) {
        for (const clang::Decl* declared : declaration->decls())
          if (declared->hasAttr<clang::CUDASharedAttr>()) found_.lds = true;
      } else if (llvm::isa<clang::AsmStmt>(&node)) {
        found_.inline_asm = true;
      }
      return true;
    });
  }

  void look_at(const clang::Expr& expression) {
    if (expression.getType().isVolatileQualified()) found_.volatile_access = true;
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&expression)) {
      if (reference->getDecl()->hasAttr<clang::CUDASharedAttr>()) found_.lds = true;
      if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()))
        look_at_callee(*function);
    } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&expression)) {
      if (const auto* method = llvm::dyn_cast<clang::FunctionDecl>(member->getMemberDecl()))
        look_at_callee(*method);
    } else if (const auto* construction = llvm::dyn_cast<clang::CXXConstructExpr>(&expression)) {
      look_at_callee(*construction->getConstructor());
    } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&expression)) {
      if (call->getCalleeDecl() == nullptr) unknown("a function pointer");
    }
  }

  void unknown(const std::string& name) {
    found_.unknown_call = true;
    found_.unknown_callee = name;
  }

  void look_at_callee(const clang::FunctionDecl& callee) {
    const std::string name = callee.getNameAsString();
    const llvm::StringRef text(name);
    const auto starts = [&](std::initializer_list<const char*> prefixes) {
      for (const char* prefix : prefixes)
        if (text.starts_with(prefix)) return true;
      return false;
    };
    if (starts({"__ldg", "tex1D", "tex2D", "tex3D", "texCubemap", "surf1D", "surf2D", "surf3D",
                "surfCubemap"}))
      found_.reads_stale = true;
    if (starts({"__syncthreads", "__builtin_amdgcn_s_barrier", "__barrier"})) {
      found_.barrier = true;
    } else if (starts({"__threadfence", "__builtin_amdgcn_fence", "__atomic_thread_fence"})) {
      found_.fence = true;
    } else if (starts({"__shfl", "__ballot", "__any", "__all", "__activemask", "__lane_id",
                       "__mbcnt", "__builtin_amdgcn_", "__syncwarp", "clock", "__clock",
                       "wall_clock", "__wall_clock", "__smid", "__ockl_"})) {
      found_.wave = true;
    } else if (const clang::FunctionDecl* definition = callee.getDefinition();
               definition != nullptr && definition->hasBody()) {
      const bool library = is_in_system_header(*definition);
      if (!library)
        look_into(*definition);
      else if (callee.getQualifiedNameAsString().find("cooperative_groups") != std::string::npos)
        found_.barrier = true;
    } else if (callee.getBuiltinID() == 0 && !callee.isImplicit() && !callee.isDefaulted() &&
               !starts({"__ocml_", "printf"})) {
      unknown(name);
    }
  }

  const clang::FunctionDecl& kernel_;
  SharedBehaviour found_;
  std::set<const clang::FunctionDecl*> seen_;
};

}  // namespace

SharedBehaviour shared_behaviour(const clang::FunctionDecl& kernel) {
  return Examiner(kernel).examine();
}

bool is_barrier(const clang::Stmt& statement) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement);
  const auto* callee = call == nullptr ? nullptr : call->getDirectCallee();
  return callee != nullptr && callee->getIdentifier() != nullptr &&
         callee->getName() == "__syncthreads";
}

std::optional<Refusal> shows_its_order(const SharedBehaviour& behaviour) {
  if (behaviour.fence) return Refusal{"the kernel has memory fences"};
  if (behaviour.volatile_access) return Refusal{"the kernel accesses volatile memory"};
  if (behaviour.inline_asm) return Refusal{"the kernel has inline assembly"};
  return std::nullopt;
}

std::optional<Refusal> may_show_its_order(const SharedBehaviour& behaviour) {
  if (auto refusal = shows_its_order(behaviour)) return refusal;
  if (!behaviour.unknown_call) return std::nullopt;
  return Refusal{"the unit does not define " + behaviour.unknown_callee + ", which it calls"};
}

}  // namespace geak::clang_tool::transforms
