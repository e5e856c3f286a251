#pragma once

#include <optional>
#include <set>
#include <vector>

#include "clang-tool/transforms/ast_queries.h"

namespace geak::clang_tool::transforms {

/// A loop whose rounds each put a tile into LDS, wait, and work on it. What goes into the tile
/// follows from the variables of the loop's head and from what the body does not change, and comes
/// from memory that the body does not store to.
struct TileLoop {
  const clang::ForStmt* statement = nullptr;
  std::vector<const clang::VarDecl*> heads;  ///< variables that the head steps
  std::vector<const clang::Stmt*> loading;   ///< up to the barrier, barriers before it included
  const clang::Stmt* barrier = nullptr;      ///< that ends it
  std::vector<const clang::Stmt*> working;   ///< the rest
  std::vector<Copying>
      stores;  ///< into LDS, of what comes out of global memory in every round anew
  std::vector<const clang::DeclStmt*> declarations;  ///< of `loading`, but for those of LDS
  std::vector<const clang::DeclStmt*> lds;
};

/// Nothing, and why, where it is no such loop. `draft` gets the conditions under which the body's
/// stores keep off what the tiles are read from.
std::optional<TileLoop> as_tile_loop(const KernelView& kernel, const clang::Stmt& statement,
                                     Draft& draft, std::string& why);

}  // namespace geak::clang_tool::transforms
