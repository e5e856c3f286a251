#include "support/install_paths.h"

#include <stdexcept>
#include <system_error>

namespace geak::support {

InstallPaths InstallPaths::of_this_program() {
  std::error_code error;
  auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw std::runtime_error("cannot read /proc/self/exe: " + error.message());
  const auto bin = program.parent_path();
  const auto library = bin.parent_path() / "lib" / "geak";
  return {bin, library / "emulator", library / "libgeak-record.so", library / "libgeak-hip5.so",
          library / "libgeak-check.so"};
}

}  // namespace geak::support
