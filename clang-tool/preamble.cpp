#include "clang-tool/preamble.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclGroup.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/PrecompiledPreamble.h>
#include <clang/Lex/Lexer.h>
#include <clang/Serialization/ASTReader.h>
#include <clang/Serialization/ASTWriter.h>
#include <clang/Serialization/PCHContainerOperations.h>

#include "clang-tool/system_header.h"

namespace geak::clang_tool {
namespace {

using FileSystem = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

/// Notes which declarations users wrote, as the precompiled file numbers them.
class Collector : public clang::PreambleCallbacks {
 public:
  void HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (const clang::Decl* declaration : group)
      if (!is_in_system_header(*declaration)) declarations_.push_back(declaration);
  }
  void AfterPCHEmitted(clang::ASTWriter& writer) override {
    // Invalid ones may not be written.
    for (const clang::Decl* declaration : declarations_)
      if (!declaration->isInvalidDecl()) ids.push_back(writer.getDeclID(declaration));
  }

  std::vector<clang::LocalDeclID> ids;

 private:
  std::vector<const clang::Decl*> declarations_;
};

}  // namespace

std::string head_of(const std::string& text) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.LineComment = true;
  return text.substr(0, clang::Lexer::ComputePreamble(text, language).Size);
}

class Preamble::Built {
 public:
  /// Nothing where it has errors.
  static std::shared_ptr<const Built> from(const clang::CompilerInvocation& invocation,
                                           const FileSystem& file_system,
                                           const llvm::MemoryBuffer& main_file,
                                           clang::PreambleBounds bounds) {
    clang::IgnoringDiagConsumer nobody;
    const auto diagnostics = clang::CompilerInstance::createDiagnostics(
        new clang::DiagnosticOptions(), &nobody, /*ShouldOwnClient=*/false);
    Collector collector;
    auto made = clang::PrecompiledPreamble::Build(
        invocation, &main_file, bounds, *diagnostics, file_system,
        std::make_shared<clang::PCHContainerOperations>(), /*StoreInMemory=*/true,
        /*StoragePath=*/"", collector);
    if (!made || diagnostics->hasErrorOccurred()) return nullptr;
    return std::make_shared<const Built>(std::move(*made), std::move(collector.ids));
  }

  Built(clang::PrecompiledPreamble preamble, std::vector<clang::LocalDeclID> declarations)
      : preamble(std::move(preamble)), declarations(std::move(declarations)) {}

  const clang::PrecompiledPreamble preamble;
  const std::vector<clang::LocalDeclID> declarations;
};

std::shared_ptr<const Preamble::Built> Preamble::use(clang::CompilerInvocation& invocation,
                                                     FileSystem& file_system,
                                                     llvm::MemoryBuffer& main_file) {
  const auto bounds =
      clang::ComputePreambleBounds(invocation.getLangOpts(), main_file.getMemBufferRef(), 0);
  if (bounds.Size == 0) return nullptr;
  // What the headers instantiate is instantiated once, too.
  invocation.getLangOpts().PCHInstantiateTemplates = true;
  if (!built_ ||
      !built_->preamble.CanReuse(invocation, main_file.getMemBufferRef(), bounds, *file_system))
    built_ = Built::from(invocation, file_system, main_file, bounds);
  if (built_) built_->preamble.AddImplicitPreamble(invocation, file_system, &main_file);
  return built_;
}

std::vector<clang::Decl*> Preamble::users_declarations(const Built& built, clang::ASTUnit& unit) {
  std::vector<clang::Decl*> found;
  const auto reader = unit.getASTReader();
  clang::serialization::ModuleFile& file = reader->getModuleManager().getPrimaryModule();
  for (const clang::LocalDeclID id : built.declarations)
    if (clang::Decl* declaration = reader->GetLocalDecl(file, id)) found.push_back(declaration);
  found.insert(found.end(), unit.top_level_begin(), unit.top_level_end());
  return found;
}

}  // namespace geak::clang_tool
