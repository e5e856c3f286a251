#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang-tool/transforms/transform.h"
#include "support/pass_rule.h"

namespace clang {
class ParmVarDecl;
}

namespace geak::clang_tool::transforms {

/// The parts of buffers that a workgroup has for itself, kept in LDS over several passes. A
/// workgroup loads its part first and stores what has changed last, so that nothing is written that
/// the passes did not write.
class PassWindows {
 public:
  /// `block`: the variant's workgroup size along x.
  PassWindows(const KernelView& kernel, unsigned block) : kernel_(kernel), block_(block) {}

  /// Takes the buffer in, `elements` for each workgroup. False where its elements' type or text
  /// does not allow it.
  bool add(const clang::ParmVarDecl& buffer, unsigned elements);
  bool fits_lds() const;
  /// Adds what the launch must check: that each whole part can be read.
  void require(Draft& draft) const;

  /// The function of a pass: its further parameters, their arguments, its body.
  std::string parameters() const;
  std::string arguments() const;
  std::string pass_body() const;
  /// Statements of the kernel around the passes.
  std::string load() const;
  std::string store() const;

 private:
  struct Window {
    std::string buffer, type, bits;
    unsigned elements, bytes;  ///< bytes of one element
  };
  std::string each(const std::string& statements, const Window& window) const;

  const KernelView& kernel_;
  unsigned block_;
  std::vector<Window> windows_;
  TextEdits edits_;
};

}  // namespace geak::clang_tool::transforms
