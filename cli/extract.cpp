// geak extract: the kernels of a project and the launches of them.
#include "clang-tool/extract.h"

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/subcommand.h"
#include "support/json_text.h"

namespace geak::cli {
namespace {

struct Options {
  std::string build = ".";
  std::vector<std::string> files;
  bool json = false;
};

std::vector<clang_tool::CompileCommand> chosen_commands(const Options& options) {
  const auto all = clang_tool::read_compile_commands(options.build);
  if (options.files.empty()) return all;
  std::vector<clang_tool::CompileCommand> chosen;
  for (const std::string& file : options.files) {
    const auto found = clang_tool::commands_for(all, file);
    if (found.empty())
      throw UsageError(file + " is not compiled in " + options.build +
                       " (its compile_commands.json does not list it); headers are listed with "
                       "the sources that include them");
    chosen.insert(chosen.end(), found.begin(), found.end());
  }
  return chosen;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string place(const clang_tool::SourceSpan& span) {
  return span.file + ":" + std::to_string(span.begin_line);
}

void print_kernel(const clang_tool::Kernel& kernel) {
  std::string parameters;
  for (const auto& parameter : kernel.parameters)
    parameters += (parameters.empty() ? "" : ", ") + parameter.type + " " + parameter.name;
  std::cout << "kernel " << kernel.name << "(" << parameters << ")\n  at " << place(kernel.span)
            << "\n";
  for (const auto& instantiation : kernel.instantiations) {
    std::cout << "  " << instantiation.symbol;
    if (!instantiation.template_arguments.empty())
      std::cout << "  <" << joined(instantiation.template_arguments) << ">";
    if (instantiation.bounds.max_threads)
      std::cout << "  launch bounds " << *instantiation.bounds.max_threads;
    std::cout << "  LDS " << instantiation.static_lds_bytes << " B"
              << (instantiation.has_dynamic_lds ? " and dynamic" : "") << "\n";
  }
}

void print_launch(const clang_tool::LaunchSite& site) {
  std::cout << "launch " << (site.kernel.empty() ? "through a pointer" : site.kernel);
  if (!site.template_arguments.empty()) std::cout << "<" << joined(site.template_arguments) << ">";
  std::cout << "\n  at " << place(site.span) << (site.function.empty() ? "" : " in ")
            << site.function << "\n  grid " << site.grid << "; block " << site.block << "; LDS "
            << site.dynamic_lds << "; stream " << site.stream << "\n";
}

void run(const Options& options) {
  const auto extraction = clang_tool::extract(chosen_commands(options));
  if (options.json) {
    std::cout << support::json_text(clang_tool::to_document(extraction), 2) << "\n";
  } else {
    for (const auto& kernel : extraction.kernels) print_kernel(kernel);
    for (const auto& launch : extraction.launches)
      if (!launch.is_pattern) print_launch(launch);
    std::cout << extraction.kernels.size() << " kernels\n";
  }
  for (const std::string& problem : extraction.problems)
    std::cerr << "geak extract: error: " << problem << "\n";
  if (!extraction.problems.empty()) throw CLI::RuntimeError(1);
}

}  // namespace

void add_extract(CLI::App& app) {
  auto* command =
      app.add_subcommand("extract", "List the kernels of a project and their launch sites");
  auto options = std::make_shared<Options>();
  command->add_option("-p,--build", options->build,
                      "Build folder, which holds compile_commands.json (default: here)");
  command->add_flag("--json", options->json, "Print the document that docs/schemas.md describes");
  command->add_option("files", options->files, "Only these sources");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli
