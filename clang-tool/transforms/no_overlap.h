#pragma once

#include <optional>
#include <set>
#include <vector>

#include "clang-tool/transforms/transform.h"

namespace clang {
class Expr;
class ParmVarDecl;
class Stmt;
}  // namespace clang

namespace geak::clang_tool::transforms {

/// Where a pointer comes from: a parameter and what was added to it, in elements.
struct PointerOrigin {
  const clang::ParmVarDecl* parameter = nullptr;
  std::vector<const clang::Expr*> offsets;
};

/// What the kernel adds to a parameter before `place` by statements of its own block; nothing where
/// it changes the parameter in another way.
std::optional<std::vector<const clang::Expr*>> offsets_added(const KernelView& kernel,
                                                             const clang::ParmVarDecl& parameter,
                                                             const clang::Stmt& place);
/// Follows unchanged local pointers, sums, and top-level statements `parameter += offset` that
/// stand before `place`. Nothing where the pointer may be anything else there.
std::optional<PointerOrigin> pointer_origin(const KernelView& kernel, const clang::Expr& pointer,
                                            const clang::Stmt& place);
/// The same whatever the pointer is cast to and however far it is moved: a pointer into what the
/// parameter points into. Null where it may be anything else.
const clang::ParmVarDecl* pointed_parameter(const KernelView& kernel, const clang::Expr& pointer,
                                            const clang::Stmt& place);
/// The pointer that an element or member is reached through: `p` of `p[i].x`, `*p`, `p->x`; null
/// for variables, and for what lies in an array that is one.
const clang::Expr* accessed_pointer(const clang::Expr& lvalue);

/// Parameters through which `root` may store; nothing where it may store elsewhere than to locals
/// and LDS.
std::optional<std::set<const clang::ParmVarDecl*>> stored_parameters(const KernelView& kernel,
                                                                     const clang::Stmt& root);

/// C++ condition on the host: two pointers lie in different allocations.
std::string different_allocations(const std::string& a, const std::string& b);
/// Adds the conditions under which what is reached through one parameter is not reached through the
/// other; none where one of them is restrict.
void require_apart(const clang::ParmVarDecl& a, const clang::ParmVarDecl& b, Draft& draft);

}  // namespace geak::clang_tool::transforms
