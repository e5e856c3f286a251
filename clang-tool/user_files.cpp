#include "clang-tool/user_files.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <filesystem>

namespace geak::clang_tool {

std::vector<std::string> user_files(const TranslationUnit& unit) {
  std::vector<std::string> files;
  const clang::SourceManager& manager = unit.sources();
  const clang::HeaderSearch& search = unit.preprocessor().getHeaderSearchInfo();
  for (auto it = manager.fileinfo_begin(); it != manager.fileinfo_end(); ++it) {
    const clang::FileEntryRef file = it->first;
    const std::filesystem::path name(file.getName().str());
    if (name.empty() || name.string().front() == '<') continue;
    if (const auto* info = search.getExistingFileInfo(file);
        info != nullptr &&
        clang::SrcMgr::isSystem(static_cast<clang::SrcMgr::CharacteristicKind>(info->DirInfo)))
      continue;
    files.push_back((unit.command().directory / name).lexically_normal().string());
  }
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace geak::clang_tool
