#include "clang-tool/canonical_source.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PreprocessingRecord.h>
#include <clang/Lex/Preprocessor.h>

#include <utility>
#include <vector>

namespace geak::clang_tool {
namespace {

using Offsets = std::pair<unsigned, unsigned>;

/// Stretches of a file that conditional compilation leaves out.
std::vector<Offsets> left_out(const TranslationUnit& unit, clang::FileID file) {
  std::vector<Offsets> ranges;
  const clang::PreprocessingRecord* record = unit.preprocessor().getPreprocessingRecord();
  if (record == nullptr) return ranges;
  const clang::SourceManager& sources = unit.sources();
  for (const clang::SourceRange& range :
       const_cast<clang::PreprocessingRecord*>(record)->getSkippedRanges()) {
    const auto [begin_file, begin] = sources.getDecomposedLoc(range.getBegin());
    const auto [end_file, end] = sources.getDecomposedLoc(range.getEnd());
    if (begin_file == file && end_file == file) ranges.emplace_back(begin, end);
  }
  return ranges;
}

bool within(const std::vector<Offsets>& ranges, unsigned offset) {
  for (const auto& [begin, end] : ranges)
    if (offset > begin && offset < end) return true;
  return false;
}

}  // namespace

std::string canonical_source(const TranslationUnit& unit, clang::SourceRange range) {
  const clang::SourceManager& sources = unit.sources();
  const clang::CharSourceRange expanded = sources.getExpansionRange(range);
  const auto [file, begin] = sources.getDecomposedLoc(expanded.getBegin());
  const auto [end_file, end] = sources.getDecomposedLoc(expanded.getEnd());
  if (file != end_file || file.isInvalid()) return {};
  const auto skipped = left_out(unit, file);
  const llvm::StringRef buffer = sources.getBufferData(file);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), unit.context().getLangOpts(),
                     buffer.begin(), buffer.begin() + begin, buffer.end());
  std::string text;
  clang::Token token;
  while (!lexer.LexFromRawLexer(token)) {
    const unsigned offset = sources.getFileOffset(token.getLocation());
    if (offset > end) break;
    if (within(skipped, offset)) continue;
    if (!text.empty()) text += ' ';
    text += clang::Lexer::getSpelling(token, sources, unit.context().getLangOpts());
  }
  return text;
}

}  // namespace geak::clang_tool
