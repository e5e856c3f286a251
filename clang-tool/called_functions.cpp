#include "clang-tool/called_functions.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <unordered_set>

namespace geak::clang_tool {
namespace {

class Callees : public clang::RecursiveASTVisitor<Callees> {
 public:
  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    meet(llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()));
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* member) {
    meet(llvm::dyn_cast<clang::FunctionDecl>(member->getMemberDecl()));
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construction) {
    meet(construction->getConstructor());
    return true;
  }
  // A destructor is called without an expression of its own.
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (const auto* record = variable->getType()->getAsCXXRecordDecl();
        record != nullptr && record->hasDefinition())
      meet(record->getDestructor());
    return true;
  }
  void meet(const clang::FunctionDecl* function) {
    if (function == nullptr) return;
    const clang::FunctionDecl* definition = function->getDefinition();
    if (definition != nullptr && definition->hasBody() && seen_.insert(definition).second)
      found.push_back(definition);
  }

  std::vector<const clang::FunctionDecl*> found;

 private:
  std::unordered_set<const clang::FunctionDecl*> seen_;
};

}  // namespace

std::vector<const clang::FunctionDecl*> called_functions(const clang::FunctionDecl& function) {
  Callees visitor;
  visitor.meet(&function);
  for (std::size_t next = 0; next < visitor.found.size(); ++next) {
    auto* body = const_cast<clang::FunctionDecl*>(visitor.found[next]);
    if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(body))
      for (clang::CXXCtorInitializer* initializer : constructor->inits())
        visitor.TraverseStmt(initializer->getInit());
    visitor.TraverseStmt(body->getBody());
  }
  return std::move(visitor.found);
}

}  // namespace geak::clang_tool
