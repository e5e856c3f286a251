// How a subcommand of `geak` joins the program: one file each, and one line in subcommands.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>

namespace geak::cli {

// Thrown for a user's error after parsing: printed as "geak SUBCOMMAND: error: what()", exit code
// 2 unless another is given.
struct UsageError : std::runtime_error {
  explicit UsageError(const std::string& what, int exit_code = 2)
      : std::runtime_error(what), exit_code(exit_code) {}
  int exit_code;
};

// Each `add_<name>(app)` adds its subcommand with options and a callback (CLI::App::callback). The
// callback does the work; it ends the program with another code than 0 by throwing
// CLI::RuntimeError(code), and reports errors by throwing UsageError or any std::exception
// (exit code 1).
void add_bundle(CLI::App& app);
void add_check(CLI::App& app);
void add_diff(CLI::App& app);
void add_explain(CLI::App& app);
void add_extract(CLI::App& app);
void add_import(CLI::App& app);
void add_optimize(CLI::App& app);
void add_profile(CLI::App& app);
void add_record(CLI::App& app);
void add_remake(CLI::App& app);
void add_run(CLI::App& app);
void add_status(CLI::App& app);
void add_transform(CLI::App& app);
void add_trial(CLI::App& app);
void add_swap(CLI::App& app);
void add_verify(CLI::App& app);

// Adds all of the above.
void add_subcommands(CLI::App& app);

}  // namespace geak::cli
