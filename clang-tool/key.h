#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clang-tool/translation_unit.h"

namespace clang {
class FunctionDecl;
}

namespace geak::clang_tool {

/// One named part of a key. `digest` is SHA-256 in hex; `detail` says, shortened and for people,
/// what it was taken of.
struct KeyPart {
  std::string name;
  std::string digest;
  std::string detail;
};

/// Says everything that could change the answer to "which variant of this kernel is the best, and
/// is it right". Parts, in this order:
///   source              tokens of the kernel that this pass compiles, without comments
///   callees             the same of every function that it reaches
///   types               layouts and definitions of the types that these functions use
///   constants           globals that they use: declaration and, where constant, value
///   macros              macros used within them, with those that these use
///   template_arguments  of the instantiation
///   target_id           such as gfx90a:xnack-
///   flags               options of the compile command that reach code generation
///   toolchain           compiler, its LLVM libraries, device bitcode, linker: their bytes
///   verifier            version of what judges variants, as the caller gives it
struct Key {
  std::string digest;  ///< over all parts' names and digests
  std::vector<KeyPart> parts;
};

struct KeyOptions {
  std::string target_id;  ///< empty: the command's first, else the compiler's default
  std::string verifier;
  /// File that remembers digests of the toolchain's files by inode, size and time; empty: none.
  std::filesystem::path digest_cache;
};

/// Key of an ordinary kernel, or of one instantiation, of a device pass. Throws std::runtime_error
/// where the toolchain cannot be found or read.
Key key_of(const TranslationUnit& unit, const clang::FunctionDecl& kernel,
           const KeyOptions& options);

/// A kernel of a translation unit with its key: one entry for an ordinary kernel, one for each
/// instantiation of a template.
struct KeyedKernel {
  std::string name;    ///< qualified, without template arguments
  std::string source;  ///< absolute path of the file that defines it (may be a header)
  std::string symbol;  ///< of the device; of internal linkage: without the compiler's suffix
  bool symbol_has_suffix = false;
  std::vector<std::string> template_arguments;
  Key key;
};

/// Every kernel of a parsed device pass whose instantiated name matches one of `globs` as of
/// matches_glob (all, where there are none).
std::vector<KeyedKernel> keyed_kernels(const TranslationUnit& unit,
                                       const std::vector<std::string>& globs,
                                       const KeyOptions& options);

}  // namespace geak::clang_tool
