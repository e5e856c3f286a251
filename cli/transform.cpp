// geak transform: which source transforms apply to a kernel, and what a recipe of them makes.
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "clang-tool/transforms/session.h"
#include "cli/subcommand.h"
#include "support/json_text.h"

namespace geak::cli {
namespace {

using clang_tool::transforms::SeenLaunch;
using clang_tool::transforms::Session;
using nlohmann::json;

struct Options {
  std::string build = ".";
  std::string kernel, file, architecture, recipe = "[]", launches = "[]", output;
  std::vector<std::string> template_arguments;
  bool json = false, list = false;
};

json parsed(const std::string& what, const std::string& text) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    throw UsageError(what + " is no JSON: " + error.what());
  }
}

/// [{"grid": [4, 1, 1], "block": [256, 1, 1], "dynamic_lds": 0, "arguments": [null, 64]}]
std::vector<SeenLaunch> launches_of(const std::string& text) {
  std::vector<SeenLaunch> seen;
  for (const json& one : parsed("--launches", text)) {
    SeenLaunch launch;
    one.get_to(launch.launch);
    for (const json& argument : one.value("arguments", json::array()))
      launch.arguments.push_back(argument.is_number_integer()
                                     ? std::optional(argument.get<std::int64_t>())
                                     : std::nullopt);
    seen.push_back(std::move(launch));
  }
  return seen;
}

clang_tool::CompileCommand command_of(const Options& options) {
  const auto all = clang_tool::read_compile_commands(options.build);
  const auto found = clang_tool::commands_for(all, options.file);
  if (found.empty())
    throw UsageError(options.file + " is not compiled in " + options.build +
                     " (its compile_commands.json does not list it)");
  return found.front();
}

void list(Session& session, const std::vector<clang_tool::RecipeStep>& recipe,
          const Options& asked) {
  std::vector<std::string> refusals;
  const auto options =
      asked.list ? session.single_options(recipe, &refusals) : session.options(recipe, &refusals);
  if (asked.json) {
    json document{{"schema", 1}, {"options", json::array()}, {"refusals", refusals}};
    for (const auto& option : options)
      document["options"].push_back({{"step", option.step}, {"summary", option.summary}});
    std::cout << support::json_text(document, 2) << "\n";
    return;
  }
  for (const auto& option : options)
    std::cout << option.step.transform << " " << support::json_text(option.step.parameters)
              << "\n    " << option.summary << "\n";
  for (const std::string& refusal : refusals) std::cout << "not " << refusal << "\n";
}

void write_unit(const Session& session, const clang_tool::Variant& variant,
                const std::string& output) {
  std::ofstream stream(output, std::ios::binary);
  stream << session.contents_with(variant).begin()->second;
  if (!stream.flush()) throw std::runtime_error("cannot write " + output);
}

void run(const Options& options) {
  Session session({command_of(options), options.architecture, options.kernel,
                   options.template_arguments, launches_of(options.launches)});
  const auto recipe = parsed("--recipe", options.recipe).get<std::vector<clang_tool::RecipeStep>>();
  if (recipe.empty() || options.list) return list(session, recipe, options);
  const auto result = session.apply(recipe);
  if (!result) throw std::runtime_error(result.refusal);
  if (!options.output.empty()) write_unit(session, *result.variant, options.output);
  std::cout << (options.json ? support::json_text(json(*result.variant), 2) : result.variant->text)
            << "\n";
}

}  // namespace

void add_transform(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("transform", "List or apply source transforms of one kernel");
  command->add_option("-p,--build", options->build, "Folder with compile_commands.json")
      ->capture_default_str();
  command->add_option("file", options->file, "Source file that defines the kernel")->required();
  command->add_option("kernel", options->kernel, "Qualified name of the kernel")->required();
  command->add_option("--template-argument", options->template_arguments,
                      "Template arguments of the instantiation, one each");
  command->add_option("--arch", options->architecture, "Target id of the device pass");
  command->add_option("--launches", options->launches, "Launches seen, as JSON");
  command->add_option("--recipe", options->recipe,
                      "Steps to apply, as JSON; none: list what applies");
  command->add_option("-o,--output", options->output,
                      "Also write the unit's file with the variant in it");
  command->add_flag("--list", options->list,
                    "List what applies after the recipe's steps, without sequences of steps");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options] { run(*options); });
}

}  // namespace geak::cli
