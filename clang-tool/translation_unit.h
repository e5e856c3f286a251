#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clang-tool/compile_command.h"
#include "clang-tool/preamble.h"

namespace clang {
class ASTContext;
class ASTUnit;
class Preprocessor;
class SourceManager;
}  // namespace clang

namespace geak::clang_tool {

struct ParseOptions {
  /// Target id of the device pass; empty: the command's first.
  std::string architecture;
  /// Files whose content is not (yet) on disk, by absolute path: an editor's buffers, a variant.
  std::map<std::string, std::string> contents;
  /// Options put after the command's own.
  std::vector<std::string> more_arguments;
  /// Kept by the caller from one parse to the next of a unit whose main file alone is in
  /// `contents`: what all of them include is parsed once, and what looks at all declarations sees
  /// those outside of system headers. Null: all is parsed.
  Preamble* preamble = nullptr;
};

/// One parsed pass of one translation unit.
class TranslationUnit {
 public:
  /// Throws std::runtime_error where nothing useful can be parsed: the file is missing, an include
  /// is not found, clang refuses the command. Errors that leave an AST stand in `errors()`.
  static TranslationUnit parse(const CompileCommand& command, Pass pass,
                               const ParseOptions& options = {});
  TranslationUnit(TranslationUnit&&) noexcept;
  TranslationUnit& operator=(TranslationUnit&&) noexcept;
  ~TranslationUnit();

  const CompileCommand& command() const { return command_; }
  Pass pass() const { return pass_; }
  clang::ASTUnit& unit() const { return *unit_; }
  clang::ASTContext& context() const;
  clang::Preprocessor& preprocessor() const;
  clang::SourceManager& sources() const;

  /// `file:line:column: message` of each error that the parser got over.
  const std::vector<std::string>& errors() const { return errors_; }
  /// Absolute paths of all files that the parser read, sorted; for depfiles.
  std::vector<std::string> files_read() const;

 private:
  TranslationUnit(CompileCommand command, Pass pass);

  CompileCommand command_;
  Pass pass_;
  std::shared_ptr<const Preamble::Built> preamble_;
  std::unique_ptr<clang::ASTUnit> unit_;
  std::vector<std::string> errors_;
};

}  // namespace geak::clang_tool
