#include "clang-tool/guards_of_unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/ASTUnit.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "clang-tool/launch_wrapper.h"

namespace geak::clang_tool {
namespace {

class Finder : public clang::RecursiveASTVisitor<Finder> {
 public:
  Finder(const clang::ASTContext& context, const std::vector<std::string>& names)
      : context_(context), names_(names.begin(), names.end()) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitVarDecl(clang::VarDecl* variable) {
    const std::string name = variable->getNameAsString();
    if (!names_.contains(name) || !variable->hasInit() ||
        variable->getInit()->isInstantiationDependent())
      return true;
    found.insert_or_assign(name, read_guard(*variable->getInit(), context_));
    return true;
  }

  std::map<std::string, GuardReading> found;

 private:
  const clang::ASTContext& context_;
  std::set<std::string> names_;
};

}  // namespace

std::map<std::string, GuardReading> read_variables(const TranslationUnit& unit,
                                                   const std::vector<std::string>& names) {
  Finder finder(unit.context(), names);
  // What was parsed for this unit alone: the declarations of a preamble hold none of them.
  for (auto at = unit.unit().top_level_begin(); at != unit.unit().top_level_end(); ++at)
    finder.TraverseDecl(*at);
  return std::move(finder.found);
}

std::map<std::string, GuardReading> read_guards(const CompileCommand& command,
                                                const Rewriting& rewriting,
                                                const std::vector<Variant>& variants,
                                                Preamble* preamble) {
  std::vector<std::string> names;
  for (const Variant& variant : variants)
    if (!variant.guard.empty()) names.push_back(guard_name(variant));
  if (names.empty()) return {};
  ParseOptions options;
  options.preamble = preamble;
  for (const RewrittenFile& file : rewriting.files) options.contents[file.path] = file.text;
  const auto unit = TranslationUnit::parse(command, Pass::host, options);
  if (!unit.errors().empty())
    throw std::runtime_error("the rewritten unit is not valid: " + unit.errors().front());
  auto found = read_variables(unit, names);
  std::map<std::string, GuardReading> guards;
  for (const Variant& variant : variants)
    if (const auto guard = found.find(guard_name(variant)); guard != found.end())
      guards.emplace(variant.name, std::move(guard->second));
  return guards;
}

}  // namespace geak::clang_tool
