#include "clang-tool/transforms/block_names.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

namespace geak::clang_tool::transforms {
std::vector<std::string> declared_names(const clang::Stmt& statement) {
  std::vector<std::string> names;
  if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&statement))
    for (const clang::Decl* one : declaration->decls())
      if (const auto* named = llvm::dyn_cast<clang::NamedDecl>(one))
        names.push_back(named->getNameAsString());
  return names;
}

std::vector<std::string> own_names(const KernelView& kernel) {
  std::vector<std::string> names;
  for (const clang::ParmVarDecl* parameter : kernel.function.parameters())
    names.push_back(parameter->getNameAsString());
  for (const clang::Stmt* statement : kernel.body().body())
    std::ranges::move(declared_names(*statement), std::back_inserter(names));
  return names;
}

bool names_meet(const KernelView& kernel, const clang::Stmt& block) {
  const auto* statements = llvm::dyn_cast<clang::CompoundStmt>(&block);
  if (statements == nullptr) return false;
  const std::vector<std::string> outer = own_names(kernel);
  return std::ranges::any_of(statements->body(), [&](const clang::Stmt* statement) {
    return std::ranges::any_of(declared_names(*statement), [&](const std::string& name) {
      return std::ranges::find(outer, name) != outer.end();
    });
  });
}

}  // namespace geak::clang_tool::transforms
