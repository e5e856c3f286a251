#include "project.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include <stdlib.h>

namespace geak::clang_tool::testing {
namespace fs = std::filesystem;

Project::Project() {
  std::string form = (fs::temp_directory_path() / "geak-clang-tool-XXXXXX").string();
  if (::mkdtemp(form.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + form);
  path_ = fs::canonical(form);
}

Project::~Project() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Project::write(const std::string& name, const std::string& text) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream stream(path_ / name, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write " + name);
}

void Project::copy(const std::vector<std::string>& names) const {
  for (const std::string& name : names)
    fs::copy_file(fs::path(GEAK_FIXTURES) / name, path_ / name,
                  fs::copy_options::overwrite_existing);
}

CompileCommand Project::command(const std::string& name, const std::vector<std::string>& options,
                                const std::string& compiler) const {
  CompileCommand command{(path_ / name).string(), path_.string(), {compiler}};
  if (!compiler.ends_with("hipcc"))
    command.arguments.insert(command.arguments.end(), {"-x", "hip"});
  command.arguments.push_back("--offload-arch=gfx90a");
  command.arguments.insert(command.arguments.end(), options.begin(), options.end());
  for (const std::string& argument :
       {std::string("-O3"), std::string("-o"), name + ".o", std::string("-c"), command.file})
    command.arguments.push_back(argument);
  return command;
}

void Project::write_database(const std::vector<CompileCommand>& commands) const {
  auto database = nlohmann::json::array();
  for (const CompileCommand& command : commands)
    database.push_back({{"file", command.file},
                        {"directory", command.directory},
                        {"arguments", command.arguments}});
  write("compile_commands.json", database.dump(2));
}

}  // namespace geak::clang_tool::testing
