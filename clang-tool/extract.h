#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "clang-tool/source_span.h"
#include "clang-tool/translation_unit.h"

namespace geak::clang_tool {

struct Parameter {
  std::string name;  ///< empty where the definition gives none
  std::string type;  ///< as written
  /// Bytes in the kernarg segment; 0 where the type depends on a template parameter.
  std::uint64_t bytes = 0;
  bool is_pointer = false;
  bool points_to_const = false;
  bool is_restrict = false;
};

/// A `__shared__` variable of a kernel or of a function that it calls.
struct LdsVariable {
  std::string name;
  std::string type;
  std::uint64_t bytes = 0;  ///< 0 where dynamic, or where the size depends on a template parameter
  bool dynamic = false;     ///< `extern __shared__`: sized by the launch
  std::string function;     ///< qualified name of the function that declares it
};

/// What the kernel states about its launches. HIP's `__launch_bounds__(max, waves)` expands to
/// attributes of AMD's or to CUDA's own, by release; both are read into the same fields.
struct LaunchBounds {
  std::optional<std::int64_t> max_threads;  ///< of a workgroup
  std::optional<std::int64_t> min_threads;
  std::optional<std::int64_t> min_blocks;        ///< second argument of CUDA's launch_bounds
  std::optional<std::int64_t> min_waves_per_eu;  ///< wavefronts for each SIMD
};

/// One kernel as the device sees it: an ordinary kernel, or one set of template arguments.
struct Instantiation {
  std::vector<std::string> template_arguments;
  std::string symbol;
  /// The compiler appends a suffix to the symbol (internal linkage).
  bool symbol_has_suffix = false;
  std::vector<LdsVariable> lds;
  std::uint64_t static_lds_bytes = 0;
  bool has_dynamic_lds = false;
  LaunchBounds bounds;
};

struct Kernel {
  std::string name;       ///< qualified, without template arguments
  std::string signature;  ///< `void (const float *, float *)`
  SourceSpan span;        ///< the whole definition, template header included
  std::string unit;       ///< main file of the translation unit that was parsed
  bool defined_by_macro = false;
  bool is_explicit_specialization = false;
  std::vector<std::string> template_parameters;  ///< as written; empty: no template
  std::vector<Parameter> parameters;
  std::vector<Instantiation> instantiations;  ///< an ordinary kernel has exactly one
};

enum class LaunchForm {
  chevrons,          ///< kernel<<<...>>>(...)
  launch_macro,      ///< hipLaunchKernelGGL(...)
  launch_call,       ///< hipLaunchKernel(...) and its relatives that take void**
  cooperative_call,  ///< hipLaunchCooperativeKernel(...)
  extended_call,     ///< hipExtLaunchKernel, hipExtLaunchKernelGGL
  module_call,       ///< hipModuleLaunchKernel: the kernel is known at run time alone
};

struct LaunchArgument {
  std::string text;
  bool has_side_effects = false;
};

/// One launch site. A site within a template, or one that a macro repeats, stands once for every
/// specialization that it launches.
struct LaunchSite {
  std::string kernel;  ///< qualified name; empty where only run time knows (function pointer)
  std::vector<std::string> template_arguments;
  LaunchForm form = LaunchForm::chevrons;
  std::string api;  ///< name of the macro or function; empty for plain chevrons
  SourceSpan span;  ///< in a macro: the macro's use
  std::string unit;
  std::string function;                          ///< qualified name of the enclosing function
  std::string grid, block, dynamic_lds, stream;  ///< source text; "0" where left out
  std::vector<LaunchArgument> arguments;         ///< empty for forms that take void**
  bool side_effect_free = true;                  ///< configuration and arguments alike
  std::string macro;         ///< the macro (other than HIP's own) that the launch stands in
  bool in_template = false;  ///< within a template: the pattern or one of its instantiations
  bool is_pattern = false;   ///< the uninstantiated form; `kernel` may be empty for it
  bool kernel_is_declared_only = false;  ///< the unit does not define the kernel
};

struct Extraction {
  std::vector<Kernel> kernels;
  std::vector<LaunchSite> launches;
  std::vector<std::string> problems;  ///< what could not be parsed, and why
};

/// Kernels of a device pass.
std::vector<Kernel> extract_kernels(const TranslationUnit& unit);
/// Launch sites of a host pass, in the order of the source.
std::vector<LaunchSite> extract_launches(const TranslationUnit& unit);

/// Both passes of each command that compiles HIP. Kernels and launches of headers are listed once,
/// with the instantiations of all units. A unit that cannot be parsed is a problem, not the end.
Extraction extract(const std::vector<CompileCommand>& commands, const ParseOptions& options = {});

/// The document that docs/schemas.md describes under `geak extract`.
nlohmann::json to_document(const Extraction& extraction);

}  // namespace geak::clang_tool
