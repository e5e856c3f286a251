#include <exception>
#include <iostream>
#include <string>

#include "cli/subcommand.h"

namespace {

std::string subcommand_name(const CLI::App& app) {
  const auto used = app.get_subcommands();
  return used.empty() ? "geak" : "geak " + used.front()->get_name();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"geak: faster GPU kernels inside the build that people already have", "geak"};
  app.set_version_flag("--version", GEAK_VERSION);
  app.require_subcommand(1);
  geak::cli::add_subcommands(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Error& error) {
    return app.exit(error);  // help, version, parse errors, and a subcommand's own exit code
  } catch (const geak::cli::UsageError& error) {
    std::cerr << subcommand_name(app) << ": error: " << error.what() << '\n';
    return error.exit_code;
  } catch (const std::exception& error) {
    std::cerr << subcommand_name(app) << ": error: " << error.what() << '\n';
    return 1;
  }
}
