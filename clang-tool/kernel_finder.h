#pragma once

#include <string>
#include <vector>

#include "clang-tool/source_span.h"
#include "clang-tool/translation_unit.h"

namespace clang {
class FunctionDecl;
}

namespace geak::clang_tool {

/// The definitions of all `__global__` functions outside system headers: ordinary functions, the
/// patterns of templates, explicit specializations; in the order of the source. Instantiations are
/// not among them: `instantiations_of` gives them.
std::vector<const clang::FunctionDecl*> find_kernels(const TranslationUnit& unit);

/// The implicit and explicit instantiations (with bodies) of a template's pattern; empty for an
/// ordinary function.
std::vector<const clang::FunctionDecl*> instantiations_of(const clang::FunctionDecl& pattern);

/// The definition that `kernel` (a declaration, an instantiation) was written as: what
/// `find_kernels` lists. Null where the unit only declares it.
const clang::FunctionDecl* written_definition(const clang::FunctionDecl& kernel);

/// `detail::scan`, without template arguments; `(anonymous namespace)` is spelled so.
std::string qualified_name(const clang::FunctionDecl& kernel);

/// Symbol in the device's code object. Kernels of internal linkage get a suffix (`.static.<hash>`,
/// `.intern.<hash>`) from the compiler that no parser can know. The same in both passes.
std::string device_symbol(const clang::FunctionDecl& kernel);

/// Template arguments of an instantiation or explicit specialization as clang prints them; empty
/// for an ordinary function.
std::vector<std::string> template_arguments(const clang::FunctionDecl& kernel);

/// The whole definition, from its template header or first attribute to its closing brace.
SourceSpan definition_span(const clang::FunctionDecl& definition, const std::string& directory);

/// Whether a macro's expansion makes the kernel's name or body, so that no text follows it that
/// could be edited for it alone.
bool is_defined_by_macro(const clang::FunctionDecl& definition);

/// `detail::scan<int, 4>`; the name alone where there are no arguments.
std::string instantiated_name(const std::string& name, const std::vector<std::string>& arguments);

/// Whether a kernel's name matches a glob as of `geak_optimize(KERNELS ...)`: `*` and `?` match any
/// characters, `[a-g]` one of those. A glob without template arguments matches every instantiation;
/// one with them (`detail::scan<int, *>`) is held against an instantiated name, blanks aside, and
/// `<*>` matches names without arguments too. A glob without `::` matches the unqualified name.
bool matches_glob(const std::string& glob, const std::string& name);

}  // namespace geak::clang_tool
