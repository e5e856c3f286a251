#include "clang-tool/called_functions.h"
#include "clang-tool/extract.h"
#include "clang-tool/kernel_finder.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>

namespace geak::clang_tool {
namespace {

class SharedVariables : public clang::RecursiveASTVisitor<SharedVariables> {
 public:
  explicit SharedVariables(const clang::FunctionDecl& function) : function_(function) {}

  bool VisitVarDecl(clang::VarDecl* variable) {
    if (!variable->hasAttr<clang::CUDASharedAttr>()) return true;
    const clang::ASTContext& context = variable->getASTContext();
    const clang::QualType type = variable->getType();
    LdsVariable lds{variable->getNameAsString(), type.getAsString(context.getPrintingPolicy()), 0,
                    variable->hasExternalStorage(), qualified_name(function_)};
    if (!lds.dynamic && !type->isDependentType() && !type->isIncompleteType())
      lds.bytes = static_cast<std::uint64_t>(context.getTypeSizeInChars(type).getQuantity());
    found.push_back(std::move(lds));
    return true;
  }

  std::vector<LdsVariable> found;

 private:
  const clang::FunctionDecl& function_;
};

std::vector<LdsVariable> lds_of(const clang::FunctionDecl& kernel) {
  std::vector<LdsVariable> all;
  for (const clang::FunctionDecl* function : called_functions(kernel)) {
    SharedVariables visitor(*function);
    visitor.TraverseStmt(function->getBody());
    all.insert(all.end(), visitor.found.begin(), visitor.found.end());
  }
  return all;
}

std::optional<std::int64_t> value_of(const clang::Expr* expression,
                                     const clang::ASTContext& context) {
  if (expression == nullptr || expression->isValueDependent()) return std::nullopt;
  const auto value = expression->getIntegerConstantExpr(context);
  return value ? std::optional(value->getExtValue()) : std::nullopt;
}

LaunchBounds bounds_of(const clang::FunctionDecl& kernel) {
  const clang::ASTContext& context = kernel.getASTContext();
  LaunchBounds bounds;
  if (const auto* attribute = kernel.getAttr<clang::CUDALaunchBoundsAttr>()) {
    bounds.max_threads = value_of(attribute->getMaxThreads(), context);
    bounds.min_blocks = value_of(attribute->getMinBlocks(), context);
  }
  if (const auto* attribute = kernel.getAttr<clang::AMDGPUFlatWorkGroupSizeAttr>()) {
    bounds.min_threads = value_of(attribute->getMin(), context);
    bounds.max_threads = value_of(attribute->getMax(), context);
  }
  if (const auto* attribute = kernel.getAttr<clang::AMDGPUWavesPerEUAttr>())
    bounds.min_waves_per_eu = value_of(attribute->getMin(), context);
  return bounds;
}

Parameter parameter_of(const clang::ParmVarDecl& written) {
  const clang::ASTContext& context = written.getASTContext();
  const clang::QualType type = written.getType();
  Parameter parameter;
  parameter.name = written.getNameAsString();
  parameter.type = type.getAsString(context.getPrintingPolicy());
  parameter.is_pointer = type->isPointerType();
  parameter.is_restrict = type.isRestrictQualified();
  if (parameter.is_pointer) parameter.points_to_const = type->getPointeeType().isConstQualified();
  if (!type->isDependentType() && !type->isIncompleteType())
    parameter.bytes = static_cast<std::uint64_t>(context.getTypeSizeInChars(type).getQuantity());
  return parameter;
}

Instantiation instantiation_of(const clang::FunctionDecl& function) {
  Instantiation result;
  result.template_arguments = template_arguments(function);
  result.symbol = device_symbol(function);
  result.symbol_has_suffix = !function.isExternallyVisible();
  result.bounds = bounds_of(function);
  result.lds = lds_of(function);
  for (const LdsVariable& variable : result.lds) {
    result.static_lds_bytes += variable.bytes;
    result.has_dynamic_lds = result.has_dynamic_lds || variable.dynamic;
  }
  return result;
}

/// The written form of each template parameter: `typename T`, `int N = 4`.
std::vector<std::string> template_parameters_of(const clang::FunctionDecl& pattern) {
  std::vector<std::string> written;
  if (const auto* described = pattern.getDescribedFunctionTemplate())
    for (const clang::NamedDecl* parameter : *described->getTemplateParameters()) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      parameter->print(stream, pattern.getASTContext().getPrintingPolicy());
      written.push_back(text);
    }
  return written;
}

Kernel kernel_of(const clang::FunctionDecl& definition, const TranslationUnit& unit) {
  Kernel kernel;
  kernel.name = qualified_name(definition);
  kernel.signature = definition.getType().getAsString(unit.context().getPrintingPolicy());
  kernel.span = definition_span(definition, unit.command().directory);
  kernel.unit = unit.command().file;
  kernel.defined_by_macro = is_defined_by_macro(definition);
  kernel.is_explicit_specialization =
      definition.getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization;
  kernel.template_parameters = template_parameters_of(definition);
  for (const clang::ParmVarDecl* parameter : definition.parameters())
    kernel.parameters.push_back(parameter_of(*parameter));
  if (definition.getDescribedFunctionTemplate() == nullptr) {
    kernel.instantiations.push_back(instantiation_of(definition));
  } else {
    for (const clang::FunctionDecl* instantiation : instantiations_of(definition))
      kernel.instantiations.push_back(instantiation_of(*instantiation));
  }
  return kernel;
}

}  // namespace

std::vector<Kernel> extract_kernels(const TranslationUnit& unit) {
  std::vector<Kernel> kernels;
  for (const clang::FunctionDecl* definition : find_kernels(unit))
    kernels.push_back(kernel_of(*definition, unit));
  return kernels;
}

}  // namespace geak::clang_tool
