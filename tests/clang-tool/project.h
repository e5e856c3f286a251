#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clang-tool/compile_command.h"

namespace geak::clang_tool::testing {

/// A folder of its own that looks like a HIP project after configuring; gone with the object.
class Project {
 public:
  Project();
  ~Project();
  Project(const Project&) = delete;
  Project& operator=(const Project&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const;
  /// Copies files of tests/clang-tool/fixtures.
  void copy(const std::vector<std::string>& names) const;
  /// The command of clang++ (`-x hip --offload-arch=gfx90a` and `options`) or hipcc for `name`.
  CompileCommand command(const std::string& name, const std::vector<std::string>& options = {},
                         const std::string& compiler = "/usr/bin/clang++-19") const;
  /// Writes compile_commands.json with these commands.
  void write_database(const std::vector<CompileCommand>& commands) const;

 private:
  std::filesystem::path path_;
};

}  // namespace geak::clang_tool::testing
