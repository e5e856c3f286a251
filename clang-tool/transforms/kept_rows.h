#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/element_rounds.h"
#include "clang-tool/transforms/memory_accesses.h"
#include "clang-tool/transforms/side_by_side.h"

namespace clang {
class CompoundStmt;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// An element of a row as one loop over it touches it.
struct RowElement {
  RoundElement element;
  const clang::ParmVarDecl* parameter = nullptr;
  std::vector<MemoryAccess> accesses = {};
  bool read_first = false;  ///< every round reads what was there before the loop
  bool set = false;         ///< every round stores to it
};

/// One of several loops of a block that walk over a row in the same steps, so that a work-item
/// meets the same elements in each.
struct RowLoop {
  ElementRounds rounds;
  std::vector<RowElement> elements;
};

/// Loops over a row, in their order, and what they have in common.
struct KeptRows {
  const clang::CompoundStmt* block = nullptr;
  std::vector<RowLoop> loops;
  std::vector<std::string> kept;   ///< keys of elements that a later loop meets again
  std::vector<std::string> ahead;  ///< of those that one loop alone reads
};

/// The first such loops of the kernel that touch an element again. `draft` gets what must hold for
/// an element to be still what a work-item knows of it. Nothing, and why, where there are none.
std::optional<KeptRows> kept_rows(const KernelView& kernel, Draft& draft, std::string& problem);

}  // namespace geak::clang_tool::transforms
