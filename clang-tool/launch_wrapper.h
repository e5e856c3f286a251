#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang-tool/swap.h"

namespace clang {
class FunctionDecl;
}

namespace geak::clang_tool {

/// `::detail::`, for names that stand beside `kernel`: valid wherever they are visible at all.
/// Nothing for a member of a class.
std::optional<std::string> enclosing_scope(const clang::FunctionDecl& kernel);

/// Unqualified name of the function that launches `kernel` or one of its variants.
std::string wrapper_name(const clang::FunctionDecl& kernel);

/// That of the function which launches several passes at once where a variant can, and returns how
/// many it launched.
std::string pass_wrapper_name(const clang::FunctionDecl& kernel);

/// Name of the variable in a wrapper that says whether the variant's guard holds.
std::string guard_name(const Variant& variant);

/// `static inline void kernel__geak_launch(dim3 geak_grid, ..., <parameters>)`, as `declaration`
/// (of the kernel: the definition or one before it) spells parameters, defaults and template
/// header.
std::string wrapper_signature(const clang::FunctionDecl& declaration);
/// `static inline unsigned kernel__geak_launch_passes(unsigned geak_left, dim3 geak_grid, ...)`.
std::string pass_wrapper_signature(const clang::FunctionDecl& declaration);

/// A variant with the instantiation that it is for.
struct InstantiatedVariant {
  const clang::FunctionDecl* instantiation;  ///< the kernel itself where it is no template
  const Variant* variant;
};

/// Whether any of them stands for several launches, so that the second wrapper exists.
bool any_passes(const std::vector<InstantiatedVariant>& variants);

/// What goes after `definition`: texts of the variants and the wrappers' definitions. Throws
/// std::invalid_argument with the reason where a variant cannot be chosen so.
std::string variants_and_wrapper(const clang::FunctionDecl& definition,
                                 const std::vector<InstantiatedVariant>& variants);

}  // namespace geak::clang_tool
