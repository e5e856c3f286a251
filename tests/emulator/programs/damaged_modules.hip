// Code objects that were cut short, or in which bytes were changed, are an error or do what they
// say; none ends the process. What is refused leaves nothing behind: the whole one loads
// afterwards.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"

namespace {

using Bytes = std::vector<char>;

Bytes read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

// Loads them from a file, and looks for the kernel.
hipError_t load(const Bytes& bytes, const std::string& path) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), bytes.size());
  hipModule_t module;
  const hipError_t error = hipModuleLoad(&module, path.c_str());
  if (error != hipSuccess) return error;
  hipFunction_t kernel;
  (void)hipModuleGetFunction(&kernel, module, "module_fill");
  (void)hipModuleUnload(module);
  return hipSuccess;
}

// The code object of a bundle that holds one.
Bytes code_of(const Bytes& bundle) {
  const std::string_view elf =
      "\x7f"
      "ELF";
  return Bytes(std::search(bundle.begin(), bundle.end(), elf.begin(), elf.end()), bundle.end());
}

void damage(const Bytes& whole, const std::string& path) {
  EXPECT(load(whole, path) == hipSuccess);
  for (int cut = 0; cut < 100; ++cut) {
    const Bytes damaged(whole.begin(), whole.begin() + whole.size() * cut / 100);
    EXPECT(load(damaged, path) != hipSuccess);
  }
  std::minstd_rand random(7);
  for (int round = 0; round < 1000; ++round) {
    Bytes damaged = whole;
    for (int change = 0; change <= round % 8; ++change)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    (void)load(damaged, path);
  }
  EXPECT(load(whole, path) == hipSuccess);
}

}  // namespace

int main(int argc, char** argv) {
  EXPECT(argc == 2);  // a bundle with one code object
  const std::string path =
      std::filesystem::temp_directory_path() / ("geak-damaged-" + std::to_string(getpid()) + ".co");
  const Bytes bundle = read(argv[1]), code = code_of(bundle);
  damage(bundle, path);
  damage(code, path);
  unlink(path.c_str());

  hipModule_t module;
  Bytes other = code;
  other[18] = 62;  // e_machine: x86-64
  EXPECT(hipModuleLoadData(&module, other.data()) == hipErrorInvalidImage);
  EXPECT(hipModuleLoad(&module, (path + ".none").c_str()) == hipErrorFileNotFound);
}
