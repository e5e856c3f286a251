// Checks rewriting on a whole project: gives every kernel a variant that is a copy of it, rewrites
// each source, and compiles what comes out, host and device. `rewrite_project BUILD_FOLDER`.
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>

#include "clang-tool/kernel_finder.h"
#include "clang-tool/swap.h"

namespace {

using namespace geak::clang_tool;

std::string text_at(const TranslationUnit& unit, const clang::FunctionDecl& kernel,
                    const SourceSpan& span) {
  const auto& sources = unit.sources();
  return sources.getBufferData(sources.getFileID(sources.getExpansionLoc(kernel.getLocation())))
      .slice(span.begin_offset, span.end_offset)
      .str();
}

/// The kernel's own text under the variant's name.
Variant copy_of(const TranslationUnit& unit, const clang::FunctionDecl& kernel) {
  Variant variant;
  const SourceSpan span = definition_span(kernel, unit.command().directory);
  variant.text = text_at(unit, kernel, span);
  const unsigned name = unit.sources().getFileOffset(kernel.getLocation()) - span.begin_offset;
  const std::string own = kernel.getNameAsString();
  unsigned begin = name;
  if (kernel.getQualifier() != nullptr)
    begin =
        unit.sources().getFileOffset(kernel.getQualifierLoc().getBeginLoc()) - span.begin_offset;
  variant.text.replace(begin, name - begin + own.size(), variant_name_placeholder);
  return finish_variant(own, variant);
}

std::vector<ChosenVariant> copies(const TranslationUnit& unit) {
  std::vector<ChosenVariant> chosen;
  for (const clang::FunctionDecl* kernel : find_kernels(unit)) {
    if (is_defined_by_macro(*kernel)) continue;
    std::vector<const clang::FunctionDecl*> functions = instantiations_of(*kernel);
    if (kernel->getDescribedFunctionTemplate() == nullptr) functions = {kernel};
    for (const clang::FunctionDecl* function : functions)
      chosen.push_back(
          {qualified_name(*function), device_symbol(*function), copy_of(unit, *kernel)});
  }
  return chosen;
}

int compiled(const CompileCommand& command, const std::filesystem::path& overlay) {
  std::string line = "cd '" + command.directory + "' &&";
  for (const std::string& argument : command.arguments) line += " '" + argument + "'";
  return std::system((line + " -fsyntax-only -ivfsoverlay '" + overlay.string() + "'").c_str());
}

bool check(const CompileCommand& command, const std::filesystem::path& folder) {
  const auto host = TranslationUnit::parse(command, Pass::host);
  const auto chosen = copies(host);
  const Rewriting rewriting = rewrite(host, chosen);
  std::printf("%s: %zu kernels, %zu swapped, %zu files\n", command.file.c_str(), chosen.size(),
              rewriting.swapped.size(), rewriting.files.size());
  for (const Refusal& refusal : rewriting.refusals)
    std::printf("  %s:%u: %s: %s\n", refusal.place.file.c_str(), refusal.place.begin_line,
                refusal.kernel.c_str(), refusal.reason.c_str());
  if (rewriting.files.empty()) return true;
  if (compiled(command, write_overlay(rewriting, folder).front()) == 0) return true;
  std::printf("  DOES NOT COMPILE: %s\n", folder.c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: rewrite_project BUILD_FOLDER\n", stderr), 2;
  bool good = true;
  int number = 0;
  for (const CompileCommand& command : read_compile_commands(argv[1])) {
    if (!is_hip(command)) continue;
    const auto folder = std::filesystem::path(argv[1]) / "rewritten" / std::to_string(number++);
    try {
      good = check(command, folder) && good;
    } catch (const std::exception& error) {
      std::printf("%s: %s\n", command.file.c_str(), error.what());
    }
  }
  return good ? 0 : 1;
}
