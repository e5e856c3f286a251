#include "clang-tool/translation_unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Serialization/PCHContainerOperations.h>

#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <stdexcept>

#include "clang-tool/preamble.h"

namespace geak::clang_tool {
namespace {

using FileSystem = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

/// The disk as the compiler sees it from `directory`, with `contents` over it.
FileSystem file_system(const std::string& directory,
                       const std::map<std::string, std::string>& contents) {
  FileSystem disk(llvm::vfs::createPhysicalFileSystem().release());
  if (const std::error_code error = disk->setCurrentWorkingDirectory(directory))
    throw std::runtime_error(directory + ": " + error.message() +
                             "; the build folder moved or is gone: configure it again");
  if (contents.empty()) return disk;
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto& [path, text] : contents)
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
  auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(disk);
  overlay->pushOverlay(memory);
  overlay->setCurrentWorkingDirectory(directory);
  return overlay;
}

std::string described(const clang::StoredDiagnostic& diagnostic) {
  const clang::FullSourceLoc where = diagnostic.getLocation();
  std::string text;
  if (where.isValid()) {
    const clang::PresumedLoc place = where.getPresumedLoc();
    if (place.isValid())
      text = std::string(place.getFilename()) + ":" + std::to_string(place.getLine()) + ":" +
             std::to_string(place.getColumn()) + ": ";
  }
  return text + diagnostic.getMessage().str();
}

/// The errors among `unit`'s diagnostics; throws where one of them stopped the parser.
std::vector<std::string> errors_of(const clang::ASTUnit& unit, const std::string& file) {
  std::vector<std::string> errors;
  for (auto it = unit.stored_diag_begin(); it != unit.stored_diag_end(); ++it) {
    if (it->getLevel() == clang::DiagnosticsEngine::Fatal)
      throw std::runtime_error(file + " cannot be parsed: " + described(*it));
    if (it->getLevel() == clang::DiagnosticsEngine::Error) errors.push_back(described(*it));
  }
  return errors;
}

std::string refused(const std::string& file, const clang::TextDiagnosticBuffer& buffer) {
  std::string text = file + " cannot be parsed";
  for (auto it = buffer.err_begin(); it != buffer.err_end(); ++it) text += "\n  " + it->second;
  return text;
}

bool is_main_file_alone(const std::map<std::string, std::string>& contents,
                        const std::string& main_file) {
  return contents.size() == 1 && contents.begin()->first == main_file;
}

}  // namespace

TranslationUnit::TranslationUnit(CompileCommand command, Pass pass)
    : command_(std::move(command)), pass_(pass) {}
TranslationUnit::TranslationUnit(TranslationUnit&&) noexcept = default;
TranslationUnit& TranslationUnit::operator=(TranslationUnit&&) noexcept = default;
TranslationUnit::~TranslationUnit() = default;

TranslationUnit TranslationUnit::parse(const CompileCommand& command, Pass pass,
                                       const ParseOptions& options) {
  if (!options.contents.contains(command.file) && !std::filesystem::exists(command.file))
    throw std::runtime_error(command.file +
                             " is in compile_commands.json but does not exist; build or configure "
                             "the project again");
  TranslationUnit parsed(command, pass);
  std::vector<std::string> line = parser_arguments(command, pass, options.architecture);
  line.insert(line.end() - 2, options.more_arguments.begin(), options.more_arguments.end());
  std::vector<const char*> arguments;
  for (const std::string& argument : line) arguments.push_back(argument.c_str());

  // The driver's own complaints come before there is a unit to store them in.
  clang::TextDiagnosticBuffer driver_complaints;
  const auto diagnostics = clang::CompilerInstance::createDiagnostics(
      new clang::DiagnosticOptions(), &driver_complaints, /*ShouldOwnClient=*/false);
  FileSystem files = file_system(command.directory, options.contents);
  clang::CreateInvocationOptions creating;
  creating.Diags = diagnostics;
  creating.VFS = files;
  const std::shared_ptr<clang::CompilerInvocation> invocation =
      clang::createInvocation(arguments, std::move(creating));
  if (!invocation) throw std::runtime_error(refused(command.file, driver_complaints));
  files = clang::createVFSFromCompilerInvocation(*invocation, *diagnostics, files);
  if (is_main_file_alone(options.contents, command.file) && options.preamble != nullptr) {
    auto main_file = llvm::MemoryBuffer::getMemBufferCopy(
        options.contents.begin()->second, invocation->getFrontendOpts().Inputs.front().getFile());
    parsed.preamble_ = options.preamble->use(*invocation, files, *main_file);
    if (parsed.preamble_) main_file.release();  // the unit owns what it is given for a file
  }
  parsed.unit_ = clang::ASTUnit::LoadFromCompilerInvocation(
      invocation, std::make_shared<clang::PCHContainerOperations>(), diagnostics,
      new clang::FileManager(invocation->getFileSystemOpts(), files), /*OnlyLocalDecls=*/false,
      clang::CaptureDiagsKind::All, /*PrecompilePreambleAfterNParses=*/0, clang::TU_Complete,
      /*CacheCodeCompletionResults=*/false, /*IncludeBriefCommentsInCodeCompletion=*/false,
      /*UserFilesAreVolatile=*/true);
  if (!parsed.unit_) throw std::runtime_error(refused(command.file, driver_complaints));
  if (parsed.preamble_)
    parsed.context().setTraversalScope(
        Preamble::users_declarations(*parsed.preamble_, *parsed.unit_));
  parsed.errors_ = errors_of(*parsed.unit_, command.file);
  return parsed;
}

clang::ASTContext& TranslationUnit::context() const { return unit_->getASTContext(); }
clang::Preprocessor& TranslationUnit::preprocessor() const { return unit_->getPreprocessor(); }
clang::SourceManager& TranslationUnit::sources() const { return unit_->getSourceManager(); }

std::vector<std::string> TranslationUnit::files_read() const {
  std::vector<std::string> files;
  const clang::SourceManager& manager = sources();
  for (auto it = manager.fileinfo_begin(); it != manager.fileinfo_end(); ++it) {
    const std::filesystem::path name(it->first.getName().str());
    if (name.empty() || name.string().front() == '<') continue;
    files.push_back((command_.directory / name).lexically_normal().string());
  }
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace geak::clang_tool
