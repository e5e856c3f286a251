#include "clang-tool/extract.h"

#include <nlohmann/json.hpp>

namespace geak::clang_tool {
namespace {

using nlohmann::json;

json to_value(const Parameter& parameter);
json to_value(const LdsVariable& variable);
json to_value(const Instantiation& instantiation);
json to_value(const Kernel& kernel);
json to_value(const LaunchArgument& argument);
json to_value(const LaunchSite& site);

template <typename Range>
json list_of(const Range& range) {
  auto list = json::array();
  for (const auto& entry : range) list.push_back(to_value(entry));
  return list;
}

json to_value(const Parameter& parameter) {
  return {{"name", parameter.name},
          {"type", parameter.type},
          {"bytes", parameter.bytes},
          {"pointer", parameter.is_pointer},
          {"points_to_const", parameter.points_to_const},
          {"restrict", parameter.is_restrict}};
}

json to_value(const LdsVariable& variable) {
  return {{"name", variable.name},
          {"type", variable.type},
          {"bytes", variable.bytes},
          {"dynamic", variable.dynamic},
          {"function", variable.function}};
}

json to_value(const LaunchBounds& bounds) {
  auto value = json::object();
  const auto put = [&](const char* name, const std::optional<std::int64_t>& number) {
    if (number) value[name] = *number;
  };
  put("max_threads", bounds.max_threads);
  put("min_threads", bounds.min_threads);
  put("min_blocks", bounds.min_blocks);
  put("min_waves_per_eu", bounds.min_waves_per_eu);
  return value;
}

json to_value(const Instantiation& instantiation) {
  return {{"template_arguments", instantiation.template_arguments},
          {"symbol", instantiation.symbol},
          {"symbol_has_suffix", instantiation.symbol_has_suffix},
          {"launch_bounds", to_value(instantiation.bounds)},
          {"lds", list_of(instantiation.lds)},
          {"static_lds_bytes", instantiation.static_lds_bytes},
          {"dynamic_lds", instantiation.has_dynamic_lds}};
}

json to_value(const Kernel& kernel) {
  return {{"name", kernel.name},
          {"signature", kernel.signature},
          {"range", kernel.span},
          {"unit", kernel.unit},
          {"defined_by_macro", kernel.defined_by_macro},
          {"explicit_specialization", kernel.is_explicit_specialization},
          {"template_parameters", kernel.template_parameters},
          {"parameters", list_of(kernel.parameters)},
          {"instantiations", list_of(kernel.instantiations)}};
}

json to_value(const LaunchArgument& argument) {
  return {{"text", argument.text}, {"side_effects", argument.has_side_effects}};
}

const char* name_of(LaunchForm form) {
  switch (form) {
    case LaunchForm::chevrons:
      return "chevrons";
    case LaunchForm::launch_macro:
      return "launch_macro";
    case LaunchForm::launch_call:
      return "launch_call";
    case LaunchForm::cooperative_call:
      return "cooperative_call";
    case LaunchForm::extended_call:
      return "extended_call";
    case LaunchForm::module_call:
      return "module_call";
  }
  return "unknown";
}

json or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json to_value(const LaunchSite& site) {
  return {{"kernel", or_null(site.kernel)},
          {"template_arguments", site.template_arguments},
          {"form", name_of(site.form)},
          {"api", or_null(site.api)},
          {"range", site.span},
          {"unit", site.unit},
          {"function", or_null(site.function)},
          {"grid", site.grid},
          {"block", site.block},
          {"dynamic_lds", site.dynamic_lds},
          {"stream", site.stream},
          {"arguments", list_of(site.arguments)},
          {"side_effect_free", site.side_effect_free},
          {"macro", or_null(site.macro)},
          {"in_template", site.in_template},
          {"pattern", site.is_pattern},
          {"kernel_declared_only", site.kernel_is_declared_only}};
}

}  // namespace

nlohmann::json to_document(const Extraction& extraction) {
  return {{"schema", 1},
          {"kernels", list_of(extraction.kernels)},
          {"launches", list_of(extraction.launches)},
          {"problems", extraction.problems}};
}

}  // namespace geak::clang_tool
