#include "emulator/preload/code_check.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/emulator/hsa/assemble.h"
#include "tests/emulator/preload/bundle.h"

namespace geak::emulator {
namespace {

void check(const std::string& image) { check_code(std::as_bytes(std::span(image)), "gfx90a"); }

std::string problem_of(const std::string& image) {
  try {
    check(image);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kHost = "host-x86_64-unknown-linux";
constexpr const char* kId = "hipv4-amdgcn-amd-amdhsa--gfx90a";

TEST(CodeCheck, ABundleWithNothingForTheDeviceIsToldApart) {
  EXPECT_THROW(check(bundle({{kHost, ""}})), NoCodeForDevice);
  EXPECT_THROW(check(bundle({{"hipv4-amdgcn-amd-amdhsa--gfx908", "code"}})), NoCodeForDevice);
  EXPECT_THROW(check(bundle({{std::string(kId) + ":xnack+", "code"}})), NoCodeForDevice);
}

TEST(CodeCheck, WhatIsCutShortIsNamed) {
  const auto whole = bundle({{kHost, ""}, {kId, "code"}});
  EXPECT_EQ(problem_of(whole.substr(0, whole.size() - 1)), "an entry lies beyond its end");
  EXPECT_EQ(problem_of(whole.substr(0, 60)), "the bundle's table is cut short or damaged");
  EXPECT_EQ(problem_of(whole), "it is no ELF file, or cut short");
  EXPECT_EQ(problem_of(""), "it is no ELF file, or cut short");
}

std::string code_with(const std::string& metadata) {
  const auto bytes = assemble(".text\nk:\ns_endpgm\n.amdgpu_metadata\namdhsa.version: [1, 1]\n" +
                                  metadata + ".end_amdgpu_metadata\n",
                              "gfx90a");
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(CodeCheck, ASoundCodeObjectPassesAlone) {
  const auto code = code_with("amdhsa.kernels: []\n");
  EXPECT_EQ(problem_of(code), "");
  EXPECT_EQ(problem_of(bundle({{kHost, ""}, {std::string(kId) + ":sramecc+:xnack-", code}})), "");
  for (std::size_t cut = 0; cut < code.size(); ++cut)
    EXPECT_NE(problem_of(code.substr(0, cut)), "") << cut;
}

TEST(CodeCheck, AKernelWithoutASymbolIsRefused) {
  const auto code = code_with(
      "amdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n    .kernarg_segment_size: 0\n"
      "    .group_segment_fixed_size: 0\n    .private_segment_fixed_size: 0\n"
      "    .kernarg_segment_align: 8\n    .wavefront_size: 64\n    .sgpr_count: 8\n"
      "    .vgpr_count: 4\n    .max_flat_workgroup_size: 1024\n");
  EXPECT_EQ(problem_of(code), "a kernel of its metadata is not among its symbols");
}

}  // namespace
}  // namespace geak::emulator
