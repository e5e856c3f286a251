// What was selected for a source file: geak-cc's view of <build>/geak/select (docs/build_files.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace geak::cmake_module {

struct Selection {
  std::string variant;                        // digest; empty: compile the original
  std::string overlay;                        // file for -ivfsoverlay
  std::vector<std::filesystem::path> needed;  // generated files that the overlay maps to
};

// Reads a selection file. A missing or empty one selects the original. Throws std::runtime_error
// with the place and the reason when it cannot be understood.
Selection read_selection(const std::filesystem::path& file);

struct IndexEntry {
  std::string argument;  // how the source stands in the compile command
  std::filesystem::path selection_file;
};

// Finds the one source of the index (lines `<source>\t<selection file>`) that is an argument of the
// command. Sources are compared as paths, so a relative or symlinked spelling is found too.
// Throws std::runtime_error when the index cannot be read.
std::optional<IndexEntry> find_source(const std::filesystem::path& index,
                                      const std::vector<std::string>& arguments);

}  // namespace geak::cmake_module
