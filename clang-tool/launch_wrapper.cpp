#include "clang-tool/launch_wrapper.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/QualTypeNames.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "clang-tool/kernel_finder.h"
#include "clang-tool/swap_prelude.h"

namespace geak::clang_tool {
namespace {

std::string spelled(const clang::ASTContext& context, clang::SourceRange range) {
  const auto in_file =
      clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(range),
                                      context.getSourceManager(), context.getLangOpts());
  if (in_file.isInvalid()) return {};
  return clang::Lexer::getSourceText(in_file, context.getSourceManager(), context.getLangOpts())
      .str();
}

std::string name_of(const clang::ParmVarDecl& parameter) {
  const std::string name = parameter.getNameAsString();
  return name.empty() ? "geak_p" + std::to_string(parameter.getFunctionScopeIndex()) : name;
}

std::vector<std::string> names_of(const clang::FunctionDecl& function) {
  std::vector<std::string> names;
  for (const clang::ParmVarDecl* parameter : function.parameters())
    names.push_back(name_of(*parameter));
  return names;
}

/// As written, which needs no guessing at scopes; printed by clang where a macro or nobody wrote
/// it.
std::string declared(const clang::ParmVarDecl& parameter) {
  const clang::ASTContext& context = parameter.getASTContext();
  if (!parameter.getNameAsString().empty())
    if (std::string text = spelled(context, parameter.DeclaratorDecl::getSourceRange());
        !text.empty())
      return text;
  std::string text = name_of(parameter);
  parameter.getType().getAsStringInternal(text, context.getPrintingPolicy());
  return text;
}

std::string default_of(const clang::ParmVarDecl& parameter) {
  if (!parameter.hasDefaultArg() || parameter.hasInheritedDefaultArg()) return {};
  const std::string text = spelled(parameter.getASTContext(), parameter.getDefaultArgRange());
  if (text.empty())
    throw std::invalid_argument("the default of parameter " + name_of(parameter) +
                                " comes out of a macro");
  return " = " + text;
}

std::string arguments_of(const clang::FunctionDecl& function) {
  std::string text;
  for (const clang::ParmVarDecl* parameter : function.parameters())
    text += (text.empty() ? "" : ", ") + name_of(*parameter) +
            (parameter->isParameterPack() ? "..." : "");
  return text;
}

/// `<T, N>` within the template itself, as far as its parameters have names; the rest is deduced.
std::string own_template_arguments(const clang::FunctionDecl& function) {
  const auto* described = function.getDescribedFunctionTemplate();
  if (described == nullptr) return {};
  std::string text;
  for (const clang::NamedDecl* parameter : *described->getTemplateParameters()) {
    if (parameter->getName().empty()) break;
    text += (text.empty() ? "" : ", ") + parameter->getNameAsString() +
            (parameter->isParameterPack() ? "..." : "");
  }
  return text.empty() ? "" : "<" + text + ">";
}

/// Whether code outside of the argument's own place can name it.
bool can_be_told(const clang::NamedDecl& parameter, const clang::TemplateArgument& argument) {
  if (parameter.getName().empty()) return false;
  if (argument.getKind() == clang::TemplateArgument::Integral) return true;
  if (argument.getKind() != clang::TemplateArgument::Type) return false;
  const auto* record = argument.getAsType()->getAsCXXRecordDecl();
  return record == nullptr || (!record->isLambda() && record->isLocalClass() == nullptr);
}

std::string matches(const clang::NamedDecl& parameter, const clang::TemplateArgument& argument) {
  const clang::ASTContext& context = parameter.getASTContext();
  const std::string name = parameter.getNameAsString();
  if (argument.getKind() == clang::TemplateArgument::Type)
    return "__is_same(" + name + ", " +
           clang::TypeName::getFullyQualifiedName(argument.getAsType(), context,
                                                  context.getPrintingPolicy(),
                                                  /*WithGlobalNsPrefix=*/true) +
           ")";
  const std::string value = llvm::toString(argument.getAsIntegral(), 10);
  return argument.getAsIntegral().isUnsigned()
             ? "(unsigned long long)" + name + " == " + value + "ULL"
             : "(long long)" + name + " == " + value + "LL";
}

/// What can be asked in the wrapper's instantiation that corresponds to `instantiation`; empty for
/// no template.
std::string is_instantiation(const clang::FunctionDecl& pattern,
                             const clang::FunctionDecl& instantiation) {
  const auto* described = pattern.getDescribedFunctionTemplate();
  if (described == nullptr) return {};
  const auto arguments = instantiation.getTemplateSpecializationArgs()->asArray();
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const clang::NamedDecl* parameter =
        described->getTemplateParameters()->getParam(static_cast<unsigned>(i));
    if (!can_be_told(*parameter, arguments[i])) continue;
    text += (text.empty() ? "" : " && ") + matches(*parameter, arguments[i]);
  }
  return text.empty() ? "true" : text;
}

/// Lambdas, local types and packs cannot be asked for: then all instantiations that look the same
/// must have been given the same variant.
void check_that_choice_is_clear(const clang::FunctionDecl& definition,
                                const InstantiatedVariant& one,
                                const std::vector<InstantiatedVariant>& variants) {
  const std::string looks = is_instantiation(definition, *one.instantiation);
  for (const clang::FunctionDecl* other : instantiations_of(definition)) {
    if (is_instantiation(definition, *other) != looks) continue;
    if (std::ranges::none_of(variants, [&](const InstantiatedVariant& variant) {
          return variant.instantiation == other && variant.variant->name == one.variant->name;
        }))
      throw std::invalid_argument(
          "its instantiations differ in lambdas, local types or packs, and not all of them have "
          "this variant");
  }
}

/// `const long long geak_arguments[]` and how many passes it allows.
std::string count_of_passes(const clang::FunctionDecl& definition, const Variant& variant) {
  std::string values;
  for (const clang::ParmVarDecl* parameter : definition.parameters())
    values += (values.empty() ? "" : ", ") +
              (parameter->getType()->isIntegerType() ? "(long long)" + name_of(*parameter) : "0");
  return "      long long geak_arguments[] = {" + values +
         "};\n      const geak_swap::PassLaunch geak_shape = {{geak_g.x, geak_g.y, geak_g.z}, "
         "{geak_b.x, geak_b.y, geak_b.z}};\n" +
         render_passes(*variant.launch.passes);
}

std::string pass_choice(const clang::FunctionDecl& definition, const Variant& variant) {
  const auto position = variant.launch.passes->argument;
  if (position >= definition.getNumParams())
    throw std::invalid_argument("the variant numbers passes by a parameter that is none");
  std::string arguments;
  for (const clang::ParmVarDecl* parameter : definition.parameters()) {
    const std::string name = name_of(*parameter);
    const bool numbers = parameter->getFunctionScopeIndex() == position;
    arguments += (arguments.empty() ? "" : ", ") +
                 (numbers ? "(" + name + " + ((__decltype(" + name + " + 0))geak_n << 16))" : name);
  }
  return count_of_passes(definition, variant) + "      if (geak_n > 1) {\n        " +
         *enclosing_scope(definition) + variant.name + own_template_arguments(definition) +
         "<<<geak_g, geak_b, geak_l, geak_stream>>>(" + arguments +
         ");\n        return geak_n;\n      }\n    }\n  }\n";
}

std::string choice(const clang::FunctionDecl& definition, const InstantiatedVariant& one) {
  const std::string instantiation = is_instantiation(definition, *one.instantiation);
  const Variant& variant = *one.variant;
  std::string text = "  if (geak_swap::enabled()) {\n";
  text += "    dim3 geak_g = geak_grid, geak_b = geak_block; size_t geak_l = geak_lds;\n";
  text += "    (void)geak_g, (void)geak_b, (void)geak_l;\n";
  if (!variant.guard.empty())
    text += "    const bool " + guard_name(variant) + " = (" + variant.guard + ");\n";
  text += "    if (" + (variant.guard.empty() ? "" : guard_name(variant) + " && ") +
          render(variant.launch, names_of(definition)) + ") {\n";
  if (variant.launch.passes)
    text += pass_choice(definition, variant);
  else
    text += "      " + *enclosing_scope(definition) + variant.name +
            own_template_arguments(definition) + "<<<geak_g, geak_b, geak_l, geak_stream>>>(" +
            arguments_of(definition) + ");\n      return;\n    }\n  }\n";
  // The variant is instantiated for these template arguments alone.
  return instantiation.empty() ? text
                               : "  if constexpr (" + instantiation + ") {\n" + text + "  }\n";
}

/// Those of the variants that stand for one launch, or for several.
std::string choices(const clang::FunctionDecl& definition,
                    const std::vector<InstantiatedVariant>& variants, bool passes) {
  std::string text;
  for (const InstantiatedVariant& one : variants)
    if (one.variant->launch.passes.has_value() == passes) text += choice(definition, one);
  return text;
}

std::string after_comma(const std::string& list) { return list.empty() ? "" : ", " + list; }

/// Namespaces that must be opened again for a kernel that is defined outside of them.
std::vector<std::string> namespaces_to_open(const clang::FunctionDecl& definition) {
  const clang::Decl* outer = &definition;
  if (const auto* described = definition.getDescribedFunctionTemplate()) outer = described;
  std::vector<std::string> names;
  if (outer->getLexicalDeclContext()->Equals(outer->getDeclContext())) return names;
  for (const clang::DeclContext* scope = outer->getDeclContext();
       scope != nullptr && !scope->isTranslationUnit() &&
       !scope->Equals(outer->getLexicalDeclContext());
       scope = scope->getParent())
    if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(scope)) {
      if (space->isAnonymousNamespace())
        throw std::invalid_argument("it is defined outside of its unnamed namespace");
      names.insert(names.begin(), (space->isInline() ? "inline namespace " : "namespace ") +
                                      space->getNameAsString());
    }
  return names;
}

/// Of a wrapper whose first words, up to its first parameters, are `begin`.
std::string signature(const clang::FunctionDecl& declaration, const std::string& begin) {
  const clang::ASTContext& context = declaration.getASTContext();
  std::string text;
  if (const auto* described = declaration.getDescribedFunctionTemplate()) {
    const clang::TemplateParameterList* parameters = described->getTemplateParameters();
    text = spelled(context, {parameters->getTemplateLoc(), parameters->getRAngleLoc()});
    if (text.empty() || parameters->getRequiresClause() != nullptr)
      throw std::invalid_argument("its template header comes out of a macro or has constraints");
    text += "\n";
  }
  text += "static inline " + begin +
          "dim3 geak_grid, dim3 geak_block, size_t geak_lds, hipStream_t geak_stream";
  for (const clang::ParmVarDecl* parameter : declaration.parameters())
    text += ", " + declared(*parameter) + default_of(*parameter);
  return text + ")";
}

}  // namespace

std::optional<std::string> enclosing_scope(const clang::FunctionDecl& kernel) {
  std::string scope;
  for (const clang::DeclContext* context = kernel.getDeclContext(); !context->isTranslationUnit();
       context = context->getParent()) {
    if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(context)) {
      if (!space->isAnonymousNamespace()) scope = space->getNameAsString() + "::" + scope;
    } else if (!llvm::isa<clang::LinkageSpecDecl>(context)) {
      return std::nullopt;
    }
  }
  return "::" + scope;
}

std::string wrapper_name(const clang::FunctionDecl& kernel) {
  return kernel.getNameAsString() + "__geak_launch";
}

std::string guard_name(const Variant& variant) { return variant.name + "_guard"; }

std::string pass_wrapper_name(const clang::FunctionDecl& kernel) {
  return wrapper_name(kernel) + "_passes";
}

std::string wrapper_signature(const clang::FunctionDecl& declaration) {
  return signature(declaration, "void " + wrapper_name(declaration) + "(");
}

std::string pass_wrapper_signature(const clang::FunctionDecl& declaration) {
  return signature(declaration,
                   "unsigned " + pass_wrapper_name(declaration) + "(unsigned geak_left, ");
}

bool any_passes(const std::vector<InstantiatedVariant>& variants) {
  return std::ranges::any_of(variants, [](const InstantiatedVariant& one) {
    return one.variant->launch.passes.has_value();
  });
}

std::string variants_and_wrapper(const clang::FunctionDecl& definition,
                                 const std::vector<InstantiatedVariant>& variants) {
  std::string text =
      "#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Weverything\"\n";
  const auto namespaces = namespaces_to_open(definition);
  for (const std::string& space : namespaces) text += space + " {\n";
  std::set<std::string> written;
  for (const auto& [instantiation, variant] : variants)
    if (written.insert(variant->name).second) text += variant->text + "\n";
  for (const InstantiatedVariant& one : variants)
    check_that_choice_is_clear(definition, one, variants);
  text += wrapper_signature(definition) + " {\n" + choices(definition, variants, false) + "  " +
          *enclosing_scope(definition) + definition.getNameAsString() +
          own_template_arguments(definition) +
          "<<<geak_grid, geak_block, geak_lds, geak_stream>>>(" + arguments_of(definition) +
          ");\n}\n";
  if (any_passes(variants))
    text += pass_wrapper_signature(definition) + " {\n" + choices(definition, variants, true) +
            "  " + *enclosing_scope(definition) + wrapper_name(definition) +
            own_template_arguments(definition) + "(geak_grid, geak_block, geak_lds, geak_stream" +
            after_comma(arguments_of(definition)) + ");\n  return 1;\n}\n";
  for (std::size_t i = 0; i < namespaces.size(); ++i) text += "}\n";
  return text + "#pragma clang diagnostic pop\n";
}

}  // namespace geak::clang_tool
