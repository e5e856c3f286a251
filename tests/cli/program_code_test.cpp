#include "cli/program_code.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace geak::cli {
namespace {

std::string problem(const std::string& section) {
  return problem_of_hip5_code(std::as_bytes(std::span(section)));
}

std::string number(std::uint64_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// A host entry, and a code object whose ELF header says this ABI version.
std::string bundle(char abi_version) {
  const std::string host = "host-x86_64-unknown-linux--",
                    device = "hipv4-amdgcn-amd-amdhsa--gfx90a";
  std::string elf = "\177ELF\2\1\1\100";
  elf += abi_version;
  elf.resize(64, '\0');
  const std::uint64_t end = 32 + 48 + host.size() + device.size();
  return "__CLANG_OFFLOAD_BUNDLE__" + number(2) + number(end) + number(0) + number(host.size()) +
         host + number(end) + number(elf.size()) + number(device.size()) + device + elf;
}

TEST(ProgramCode, DamagedCompressedCodeIsRefused) {
  EXPECT_NE(problem("CCOB" + std::string(28, '\0')).find("--offload-compress"), std::string::npos);
}

TEST(ProgramCode, NewerCodeObjectsAreRefused) {
  EXPECT_EQ(problem(bundle(1)), "");
  EXPECT_EQ(problem(bundle(2)), "");
  EXPECT_EQ(problem(bundle(3)), "");
  EXPECT_EQ(problem(bundle(4)), "");
  EXPECT_NE(problem(bundle(5)).find("version 7"), std::string::npos);
  EXPECT_NE(problem(bundle(5)).find("-mcode-object-version=6"), std::string::npos);
}

// Cut anywhere, or with impossible numbers, it says nothing and reads nothing beyond.
TEST(ProgramCode, DamagedBundlesAreLeftToTheRuntime) {
  const std::string whole = bundle(2);
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const std::vector<char> exact(whole.begin(),
                                  whole.begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_EQ(problem_of_hip5_code(std::as_bytes(std::span(exact))), "");
  }
  for (std::size_t at = 24; at + 8 < whole.size(); at += 8) {
    std::string damaged = whole;
    std::memset(damaged.data() + at, 0xff, 8);
    EXPECT_EQ(problem(damaged).find("compressed"), std::string::npos);
  }
}

TEST(ProgramCode, ProgramsWithoutDeviceCodeHaveNoProblem) {
  EXPECT_EQ(problem_of_program("/proc/self/exe"), "");
  EXPECT_EQ(problem_of_program("/does/not/exist"), "");
  EXPECT_EQ(problem_of_program(__FILE__), "");
}

}  // namespace
}  // namespace geak::cli
