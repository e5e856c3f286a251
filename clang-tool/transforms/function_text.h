#pragma once

#include <string>

#include "clang-tool/transforms/transform.h"

namespace geak::clang_tool::transforms {

/// Pieces of the kernel's own header, for functions that stand beside it with its parameters.
class FunctionText {
 public:
  explicit FunctionText(const KernelView& kernel);

  /// `suffix`, numbered where an earlier step wrote a function of that name.
  std::string unused_suffix(const std::string& suffix) const;
  /// Offset where the kernel's definition begins, its template header included.
  unsigned definition_begin() const;
  /// `template <...> static __device__ __forceinline__ void <kernel><suffix>(<parameters>, more)`.
  /// `more` begins with a comma.
  std::string device_function(const std::string& suffix, const std::string& more) const;
  /// `<kernel><suffix><template arguments>(<parameters>, more)`.
  std::string call(const std::string& suffix, const std::string& more) const;

 private:
  const KernelView& kernel_;
};

}  // namespace geak::clang_tool::transforms
