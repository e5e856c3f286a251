#include "clang-tool/source_span.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <llvm/Support/raw_ostream.h>

#include <filesystem>
#include <nlohmann/json.hpp>

namespace geak::clang_tool {

SourceSpan span_of(const clang::SourceManager& sources, clang::SourceRange range,
                   const std::string& directory) {
  return span_of(sources, clang::CharSourceRange::getTokenRange(range), directory);
}

SourceSpan span_of(const clang::SourceManager& sources, clang::CharSourceRange range,
                   const std::string& directory) {
  const clang::CharSourceRange expanded = sources.getExpansionRange(range);
  clang::SourceLocation end = expanded.getEnd();
  if (expanded.isTokenRange())
    end = clang::Lexer::getLocForEndOfToken(end, 0, sources, clang::LangOptions());
  const auto [file, begin_offset] = sources.getDecomposedLoc(expanded.getBegin());
  const auto [end_file, end_offset] = sources.getDecomposedLoc(end);
  const auto entry = sources.getFileEntryRefForID(file);
  if (!entry || file != end_file || end.isInvalid()) return {};
  SourceSpan span;
  span.file =
      (std::filesystem::path(directory) / entry->getName().str()).lexically_normal().string();
  span.begin_offset = begin_offset;
  span.end_offset = end_offset;
  span.begin_line = sources.getLineNumber(file, begin_offset);
  span.begin_column = sources.getColumnNumber(file, begin_offset);
  span.end_line = sources.getLineNumber(file, end_offset);
  span.end_column = sources.getColumnNumber(file, end_offset);
  return span;
}

std::string text_of(const clang::ASTContext& context, const clang::Stmt& statement) {
  const clang::SourceManager& sources = context.getSourceManager();
  const auto tokens = clang::CharSourceRange::getTokenRange(statement.getSourceRange());
  const auto in_file = clang::Lexer::makeFileCharRange(tokens, sources, context.getLangOpts());
  if (in_file.isValid())
    return clang::Lexer::getSourceText(in_file, sources, context.getLangOpts()).str();
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  statement.printPretty(stream, nullptr, clang::PrintingPolicy(context.getLangOpts()));
  return printed;
}

void to_json(nlohmann::json& json, const SourceSpan& span) {
  json = {
      {"file", span.file},
      {"begin",
       {{"line", span.begin_line}, {"column", span.begin_column}, {"offset", span.begin_offset}}},
      {"end", {{"line", span.end_line}, {"column", span.end_column}, {"offset", span.end_offset}}}};
}

}  // namespace geak::clang_tool
