// Sources of a bundle: each unit with the user's own headers, below one folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "clang-tool/compile_command.h"
#include "clang-tool/translation_unit.h"
#include "worker/bundle.h"

namespace geak::optimizer {

class BundleUnits {
 public:
  // Takes the unit in, once each. `host`: its host pass.
  void add(const clang_tool::TranslationUnit& host);

  // After all were added: the folder that all files have in common becomes the bundle's.
  void finish(worker::Bundle& bundle) const;
  std::size_t index_of(const clang_tool::CompileCommand& command) const;
  // The path in the bundle of a file of the user's; empty for files outside of the common folder.
  std::string path_of(const std::filesystem::path& file) const;

 private:
  std::filesystem::path root() const;

  struct Source {
    clang_tool::CompileCommand command;
    std::vector<std::string> files;
  };
  std::vector<Source> sources_;
};

// The options of a command that nvcc understands and that change what a kernel computes.
std::vector<std::string> nvcc_options(const clang_tool::CompileCommand& command);

}  // namespace geak::optimizer
