#include "tests/emulator/hsa/assemble.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "support/child_process.h"
#include "support/scratch_folder.h"

namespace geak::emulator {
namespace {

void run(std::vector<std::string> command) {
  support::ChildOptions options;
  options.command = std::move(command);
  const auto result = support::run_child(options);
  if (!result.succeeded()) throw std::runtime_error(options.command[0] + ": " + result.err);
}

}  // namespace

std::vector<std::byte> assemble(const std::string& source, const std::string& processor,
                                unsigned code_object_version) {
  const support::ScratchFolder folder("geak-assemble");
  const auto& at = folder.path();
  std::ofstream(at / "a.s") << source;
  run({"clang-19", "--target=amdgcn-amd-amdhsa", "-mcpu=" + processor,
       "-mcode-object-version=" + std::to_string(code_object_version), "-c", (at / "a.s").string(),
       "-o", (at / "a.o").string()});
  run({"ld.lld-19", "-shared", (at / "a.o").string(), "-o", (at / "a.co").string()});
  std::ifstream file(at / "a.co", std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

}  // namespace geak::emulator
