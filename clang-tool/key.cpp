#include "clang-tool/key.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclTemplate.h>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>

#include <algorithm>
#include <map>

#include "clang-tool/called_functions.h"
#include "clang-tool/canonical_source.h"
#include "clang-tool/kernel_finder.h"
#include "clang-tool/relevant_flags.h"
#include "clang-tool/system_header.h"
#include "clang-tool/toolchain_digest.h"
#include "clang-tool/used_entities.h"

namespace geak::clang_tool {
namespace {

constexpr std::size_t longest_detail = 200;

std::string digest_of(llvm::StringRef content) {
  llvm::SHA256 hash;
  hash.update(content);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

KeyPart part(std::string name, const std::string& content, std::string detail) {
  if (detail.size() > longest_detail) detail = detail.substr(0, longest_detail - 3) + "...";
  return {std::move(name), digest_of(content), std::move(detail)};
}

KeyPart part(std::string name, const std::map<std::string, std::string>& entries) {
  std::string content;
  std::string names;
  for (const auto& [entry, meaning] : entries) {
    content += entry + "\n" + meaning + "\n";
    names += (names.empty() ? "" : ", ") + entry;
  }
  return part(std::move(name), content, names);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Range of what the author wrote: a template's header belongs to its pattern.
clang::SourceRange written_range(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* written = &function;
  if (const auto* pattern = function.getTemplateInstantiationPattern()) written = pattern;
  if (const auto* described = written->getDescribedFunctionTemplate())
    return described->getSourceRange();
  return written->getSourceRange();
}

std::map<std::string, std::string> sources_of_callees(
    const TranslationUnit& unit, const std::vector<const clang::FunctionDecl*>& functions) {
  std::map<std::string, std::string> sources;
  for (const clang::FunctionDecl* function : functions) {
    std::string name =
        qualified_name(*function) + " " + function->getType().getCanonicalType().getAsString();
    for (const std::string& argument : template_arguments(*function)) name += " " + argument;
    sources.try_emplace(name, canonical_source(unit, written_range(*function)));
  }
  return sources;
}

/// The project's own callees; the compiler's and HIP's would crowd them out.
std::string names_of_project_functions(const std::vector<const clang::FunctionDecl*>& functions) {
  std::vector<std::string> names;
  for (const clang::FunctionDecl* function : functions)
    if (!is_in_system_header(*function)) names.push_back(qualified_name(*function));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return joined(names);
}

std::string chosen_target(const TranslationUnit& unit, const KeyOptions& options) {
  if (!options.target_id.empty()) return options.target_id;
  const auto listed = architectures(unit.command());
  return listed.empty() ? "" : listed.front();
}

KeyPart toolchain_part(const TranslationUnit& unit, const KeyOptions& options,
                       const std::string& target) {
  const auto files = toolchain_files(unit.command(), target);
  std::string names;
  for (const auto& file : files)
    if (file.extension() != ".bc") names += (names.empty() ? "" : ", ") + file.string();
  return {"toolchain", digest_of_files(files, options.digest_cache),
          names.substr(0, longest_detail)};
}

}  // namespace

Key key_of(const TranslationUnit& unit, const clang::FunctionDecl& kernel,
           const KeyOptions& options) {
  const std::vector<const clang::FunctionDecl*> functions = called_functions(kernel);
  const std::vector callees(functions.begin() + 1, functions.end());
  const UsedEntities used = used_entities(unit, functions);
  const std::string target = chosen_target(unit, options);
  const std::string arguments = joined(template_arguments(kernel));
  const std::string flags = joined(relevant_flags(unit.command()));

  Key key;
  KeyPart callees_part = part("callees", sources_of_callees(unit, callees));
  callees_part.detail = names_of_project_functions(callees).substr(0, longest_detail);
  key.parts = {
      part("source", qualified_name(kernel) + "\n" + canonical_source(unit, written_range(kernel)),
           qualified_name(kernel)),
      std::move(callees_part),
      part("types", used.types),
      part("constants", used.constants),
      part("macros", used_macros(unit, functions)),
      part("template_arguments", arguments, arguments),
      part("target_id", target, target),
      part("flags", flags, flags),
      toolchain_part(unit, options, target),
      part("verifier", options.verifier, options.verifier)};
  std::string all;
  for (const KeyPart& one : key.parts) all += one.name + "=" + one.digest + "\n";
  key.digest = digest_of(all);
  return key;
}

std::vector<KeyedKernel> keyed_kernels(const TranslationUnit& unit,
                                       const std::vector<std::string>& globs,
                                       const KeyOptions& options) {
  std::vector<KeyedKernel> keyed;
  for (const clang::FunctionDecl* definition : find_kernels(unit)) {
    const std::string name = qualified_name(*definition);
    std::vector<const clang::FunctionDecl*> functions = instantiations_of(*definition);
    if (definition->getDescribedFunctionTemplate() == nullptr) functions = {definition};
    for (const clang::FunctionDecl* function : functions) {
      const std::string full_name = instantiated_name(name, template_arguments(*function));
      if (!globs.empty() && std::ranges::none_of(globs, [&](const std::string& glob) {
            return matches_glob(glob, full_name);
          }))
        continue;
      keyed.push_back({name, definition_span(*definition, unit.command().directory).file,
                       device_symbol(*function), !function->isExternallyVisible(),
                       template_arguments(*function), key_of(unit, *function, options)});
    }
  }
  return keyed;
}

}  // namespace geak::clang_tool
