#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclBase.h>
#include <clang/Basic/SourceManager.h>

namespace geak::clang_tool {

/// Whether a header of HIP or of the system has the declaration, also where it uses a macro for it.
inline bool is_in_system_header(const clang::Decl& declaration) {
  const clang::SourceManager& sources = declaration.getASTContext().getSourceManager();
  return sources.isInSystemHeader(sources.getExpansionLoc(declaration.getLocation()));
}

}  // namespace geak::clang_tool
