#pragma once

#include <memory>
#include <string>
#include <vector>

#include <llvm/ADT/IntrusiveRefCntPtr.h>

namespace clang {
class ASTUnit;
class CompilerInvocation;
class Decl;
}  // namespace clang

namespace llvm {
class MemoryBuffer;
namespace vfs {
class FileSystem;
}  // namespace vfs
}  // namespace llvm

namespace geak::clang_tool {

/// The directives and comments before a file's first declaration.
std::string head_of(const std::string& text);

/// What a unit's main file includes before its first declaration: parsed once, and taken from there
/// by every further parse of the unit that differs behind it alone. HIP's headers are most of a
/// parse.
class Preamble {
 public:
  /// One made before; keeps what the units that were parsed with it need.
  class Built;

  /// Makes `invocation` start behind the preamble of `main_file`, which it is given in the file's
  /// place, to own, and which must be all that differs from the disk. A preamble that does not fit
  /// any more (a header changed) is made anew. Null, and all left as it was, where it brings
  /// nothing: there are no includes, or they have errors that a parse of the whole unit says
  /// better.
  std::shared_ptr<const Built> use(clang::CompilerInvocation& invocation,
                                   llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>& file_system,
                                   llvm::MemoryBuffer& main_file);

  /// The declarations of `unit`, parsed with `built`, that stand in no system header: those of the
  /// preamble and those behind it. Looking at more would load all headers again.
  static std::vector<clang::Decl*> users_declarations(const Built& built, clang::ASTUnit& unit);

 private:
  std::shared_ptr<const Built> built_;
};

}  // namespace geak::clang_tool
