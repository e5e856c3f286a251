#include "clang-tool/swap.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "clang-tool/kernel_finder.h"
#include "clang-tool/launch_edit.h"
#include "clang-tool/launch_finder.h"
#include "clang-tool/launch_wrapper.h"
#include "clang-tool/source_edits.h"
#include "clang-tool/swap_prelude.h"

namespace geak::clang_tool {
namespace {

/// One kernel's definition with all that was chosen for it.
struct Swap {
  const clang::FunctionDecl* definition;
  std::vector<InstantiatedVariant> variants;
};

const clang::Decl& outermost(const clang::FunctionDecl& function) {
  if (const auto* described = function.getDescribedFunctionTemplate()) return *described;
  return function;
}

/// Whether a kernel is what a template explicitly is for some arguments: for these the template's
/// wrapper launches it.
bool specializes(const clang::FunctionDecl& kernel, const clang::FunctionDecl& pattern) {
  const auto* described = pattern.getDescribedFunctionTemplate();
  const auto* primary = kernel.getPrimaryTemplate();
  return kernel.getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization &&
         described != nullptr && primary != nullptr &&
         primary->getCanonicalDecl() == described->getCanonicalDecl();
}

/// Launches of one place in the text: one, or all that a template or macro makes of it.
using Site = std::vector<const LaunchNode*>;

class Rewriter {
 public:
  Rewriter(const TranslationUnit& unit, const std::vector<ChosenVariant>& chosen)
      : unit_(unit), context_(unit.context()), chosen_(chosen), edits_(unit) {}

  Rewriting rewrite() {
    const std::vector<LaunchNode> launches = find_launches(unit_);
    for (const LaunchNode& launch : launches)
      if (launch.kernel != nullptr) sites_[place_of(launch)].push_back(&launch);
    for (const clang::FunctionDecl* definition : find_kernels(unit_)) {
      const Swap swap{definition, variants_of(*definition)};
      if (!swap.variants.empty()) attempt(swap);
    }
    for (const ChosenVariant& one : chosen_)
      if (!found_.contains(&one))
        result_.refusals.push_back({one.kernel, {}, "this unit's host pass does not define it"});
    const bool passes = std::ranges::any_of(
        chosen_, [](const ChosenVariant& one) { return one.variant.launch.passes.has_value(); });
    edits_.begin_files_with(swap_prelude() + (passes ? pass_prelude() : ""));
    for (auto& [path, text] : edits_.result()) result_.files.push_back({path, std::move(text)});
    return std::move(result_);
  }

 private:
  clang::SourceLocation place_of(const LaunchNode& launch) const {
    return launch.spelled.isValid()
               ? launch.spelled.getBegin()
               : unit_.sources().getExpansionLoc(launch.expression->getBeginLoc());
  }

  std::vector<InstantiatedVariant> variants_of(const clang::FunctionDecl& definition) {
    std::vector<InstantiatedVariant> variants;
    std::vector<const clang::FunctionDecl*> functions = instantiations_of(definition);
    if (definition.getDescribedFunctionTemplate() == nullptr) functions = {&definition};
    for (const ChosenVariant& one : chosen_)
      for (const clang::FunctionDecl* function : functions)
        if (qualified_name(*function) == one.kernel && device_symbol(*function) == one.symbol) {
          variants.push_back({function, &one.variant});
          found_.insert({&one, true});
        }
    return variants;
  }

  void attempt(const Swap& swap) {
    const clang::FunctionDecl& definition = *swap.definition;
    try {
      check_definition(definition);
      // All that can fail comes first: what cannot be done must leave no edit behind.
      const std::string after = variants_and_wrapper(definition, swap.variants);
      std::string before = declaration_before(definition);
      if (!before.empty() && any_passes(swap.variants))
        before += "\n" + pass_wrapper_signature(*definition.getFirstDecl()) + ";";
      const clang::SourceLocation end = end_of(definition);
      const clang::SourceLocation first_end = end_of(*definition.getFirstDecl());
      if (rewrite_launches(swap) == 0)
        throw std::invalid_argument("no launch of it in this unit can be rewritten");
      edits_.insert_lines_after(end, after);
      if (!before.empty()) edits_.insert_lines_after(first_end, before);
    } catch (const std::invalid_argument& reason) {
      refuse(definition, reason.what());
    }
  }

  static void check_definition(const clang::FunctionDecl& definition) {
    if (is_defined_by_macro(definition)) throw std::invalid_argument("a macro defines it");
    if (!enclosing_scope(definition)) throw std::invalid_argument("it is a member of a class");
    if (definition.getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
      throw std::invalid_argument("it is an explicit specialization");
  }

  /// The wrapper's declaration for launches between the kernel's first declaration and its
  /// definition; empty where there is none.
  static std::string declaration_before(const clang::FunctionDecl& definition) {
    const clang::FunctionDecl* first = definition.getFirstDecl();
    return first == &definition ? "" : wrapper_signature(*first) + ";";
  }

  /// One past the closing brace, or past a declaration's semicolon.
  clang::SourceLocation end_of(const clang::FunctionDecl& function) const {
    const clang::SourceManager& sources = unit_.sources();
    const clang::SourceLocation last = outermost(function).getEndLoc();
    if (last.isMacroID() || sources.isInSystemHeader(last))
      throw std::invalid_argument("its declaration stands in a macro or a system header");
    if (function.isThisDeclarationADefinition())
      return clang::Lexer::getLocForEndOfToken(last, 0, sources, context_.getLangOpts());
    const clang::SourceLocation end = clang::Lexer::findLocationAfterToken(
        last, clang::tok::semi, sources, context_.getLangOpts(), false);
    if (end.isInvalid())
      throw std::invalid_argument("its declaration does not end with a semicolon of its own");
    return end;
  }

  std::size_t rewrite_launches(const Swap& swap) {
    std::size_t rewritten = 0;
    for (const auto& [place, site] : sites_) {
      const auto launches_this = [&](const LaunchNode* launch) {
        return written_definition(*launch->kernel) == swap.definition;
      };
      if (std::ranges::none_of(site, launches_this)) continue;
      try {
        if (!std::ranges::all_of(site, [&](const LaunchNode* launch) {
              return launches_this(launch) || specializes(*launch->kernel, *swap.definition);
            }))
          throw std::invalid_argument("this place launches several kernels");
        rewrite_site(swap, site);
        ++rewritten;
      } catch (const std::invalid_argument& reason) {
        refuse_at(qualified_name(*swap.definition), site.front()->expression->getSourceRange(),
                  std::string("this launch stays: ") + reason.what());
      }
    }
    return rewritten;
  }

  void rewrite_site(const Swap& swap, const Site& site) {
    const LaunchNode& launch = *site.front();
    if (launch.form == LaunchForm::chevrons || launch.form == LaunchForm::launch_macro) {
      call(swap, site);
      for (const LaunchNode* one : site)
        for (const InstantiatedVariant& variant : swap.variants)
          if (one->kernel->getDefinition() == variant.instantiation) note(*variant.variant);
      return;
    }
    if (site.size() > 1) throw std::invalid_argument("it launches several instantiations");
    for (const InstantiatedVariant& variant : swap.variants)
      if (launch.kernel->getDefinition() == variant.instantiation) {
        pass_variant(launch, *variant.variant, context_, edits_);
        note(*variant.variant);
        return;
      }
    throw std::invalid_argument("nothing was chosen for what it launches");
  }

  /// Loops over passes are for a variant that does several at once; other launches are for the
  /// rest.
  void call(const Swap& swap, const Site& site) {
    const auto fused = std::ranges::find_if(swap.variants, [](const InstantiatedVariant& one) {
      return one.variant->launch.passes.has_value();
    });
    if (fused == swap.variants.end()) return call_wrapper(*site.front(), context_, edits_);
    try {
      for (const InstantiatedVariant& one : swap.variants)
        if (one.variant->launch.passes &&
            !same_count(*one.variant->launch.passes, *fused->variant->launch.passes))
          throw std::invalid_argument("its instantiations count passes in different ways");
      if (site.size() > 1) throw std::invalid_argument("it launches several instantiations");
      call_pass_wrapper(*site.front(), *fused->variant->launch.passes, context_, edits_);
    } catch (const std::invalid_argument&) {
      if (std::ranges::all_of(swap.variants, [](const InstantiatedVariant& one) {
            return one.variant->launch.passes.has_value();
          }))
        throw;
      call_wrapper(*site.front(), context_, edits_);
    }
  }

  static bool same_count(const support::PassRule& a, const support::PassRule& b) {
    return a.argument == b.argument && a.advance == b.advance && a.step == b.step;
  }

  void note(const Variant& variant) {
    if (std::ranges::find(result_.swapped, variant.name) == result_.swapped.end())
      result_.swapped.push_back(variant.name);
  }

  void refuse(const clang::FunctionDecl& kernel, const std::string& reason) {
    refuse_at(qualified_name(kernel), outermost(kernel).getSourceRange(), reason);
  }
  void refuse_at(const std::string& kernel, clang::SourceRange range, const std::string& reason) {
    result_.refusals.push_back(
        {kernel, span_of(unit_.sources(), range, unit_.command().directory), reason});
  }

  const TranslationUnit& unit_;
  const clang::ASTContext& context_;
  const std::vector<ChosenVariant>& chosen_;
  SourceEdits edits_;
  std::map<clang::SourceLocation, Site> sites_;
  std::map<const ChosenVariant*, bool> found_;
  Rewriting result_;
};

}  // namespace

Rewriting rewrite(const TranslationUnit& host, const std::vector<ChosenVariant>& chosen) {
  return Rewriter(host, chosen).rewrite();
}

}  // namespace geak::clang_tool
