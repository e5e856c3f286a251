#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/workgroup_run.h"

namespace geak::clang_tool::transforms {

/// Where the i-th of some elements stands: first + step * i + gap * (i / group).
struct ElementLayout {
  std::int64_t first = 0, step = 1, gap = 0, group = 1;
};

/// What rounds over an LDS array leave in it, as far as anybody looks at it afterwards.
struct RoundsResult {
  enum class Kind {
    inclusive,  ///< each element: all up to itself
    exclusive,  ///< each element: all before itself, the first one a neutral number
    whole       ///< one element: all of them
  };
  Kind kind = Kind::whole;
  const clang::VarDecl* array = nullptr;
  clang::QualType type;
  Combination combination = Combination::sum;
  std::string function;  ///< see RunArray
  std::size_t count = 0;
  ElementLayout from, to;
  std::int64_t target = 0;  ///< of `whole`
};

/// Neighbouring statements that combine elements of LDS with a barrier between rounds.
struct LdsRounds {
  TextRange range = {};
  bool waits_before = false;  ///< the statement before is a barrier
  unsigned barriers = 0;
  std::vector<RoundsResult> results;
  /// Variables of outside that they change and others use, with the value that all work-items get.
  std::map<const clang::VarDecl*, std::int64_t> variables;
  std::vector<const clang::VarDecl*> named = {};  ///< of outside, which they name
  std::map<unsigned, std::int64_t> arguments;     ///< values relied on, by position
};

/// All of the kernel, as workgroups of so many work-items in a row run it. `why`: the last reason
/// why rounds are none of these.
std::vector<LdsRounds> lds_rounds(const KernelView& kernel, std::uint32_t work_items,
                                  std::string& why);

}  // namespace geak::clang_tool::transforms
