#include "clang-tool/extract.h"

#include <algorithm>
#include <exception>
#include <tuple>

namespace geak::clang_tool {
namespace {

void merge_instantiations(Kernel& into, std::vector<Instantiation> more) {
  for (Instantiation& instantiation : more)
    if (std::ranges::none_of(into.instantiations, [&](const Instantiation& known) {
          return known.symbol == instantiation.symbol;
        }))
      into.instantiations.push_back(std::move(instantiation));
}

void merge(std::vector<Kernel>& into, std::vector<Kernel> more) {
  for (Kernel& kernel : more) {
    const auto known = std::ranges::find_if(into, [&](const Kernel& other) {
      return other.span == kernel.span && other.name == kernel.name;
    });
    if (known == into.end())
      into.push_back(std::move(kernel));
    else
      merge_instantiations(*known, std::move(kernel.instantiations));
  }
}

bool same_site(const LaunchSite& left, const LaunchSite& right) {
  const auto identity = [](const LaunchSite& site) {
    return std::tie(site.span, site.kernel, site.template_arguments, site.is_pattern);
  };
  return identity(left) == identity(right);
}

void merge(std::vector<LaunchSite>& into, std::vector<LaunchSite> more) {
  for (LaunchSite& site : more)
    if (std::ranges::none_of(into, [&](const LaunchSite& known) { return same_site(known, site); }))
      into.push_back(std::move(site));
}

void add_problems(const TranslationUnit& unit, std::vector<std::string>& problems) {
  for (const std::string& error : unit.errors())
    if (std::ranges::find(problems, error) == problems.end()) problems.push_back(error);
}

}  // namespace

Extraction extract(const std::vector<CompileCommand>& commands, const ParseOptions& options) {
  Extraction extraction;
  for (const CompileCommand& command : commands) {
    if (!is_hip(command)) continue;
    try {
      const auto device = TranslationUnit::parse(command, Pass::device, options);
      const auto host = TranslationUnit::parse(command, Pass::host, options);
      merge(extraction.kernels, extract_kernels(device));
      merge(extraction.launches, extract_launches(host));
      add_problems(device, extraction.problems);
      add_problems(host, extraction.problems);
    } catch (const std::exception& error) {
      extraction.problems.emplace_back(error.what());
    }
  }
  return extraction;
}

}  // namespace geak::clang_tool
