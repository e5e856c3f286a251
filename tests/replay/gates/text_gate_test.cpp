#include "replay/gates/text_gate.h"

#include <gtest/gtest.h>

namespace geak::replay {
namespace {

std::string attack(const char* candidate, const char* original = "") {
  const auto refusal = check_text(candidate, original);
  return refusal ? refusal->attack : "accepted";
}

TEST(TextGate, AcceptsDeviceCode) {
  EXPECT_EQ(attack("template <int N>\n__global__ void k(float* x) {\n#pragma unroll\n"
                   "  for (int i = 0; i < N; ++i) x[i] = 1'000 + 'a';  // no #include here\n}\n"
                   "static __device__ float f(float v) { return v; }\n"
                   "struct Pair { float a, b; };\nconstexpr int kWidth = 4;\n"),
            "accepted");
}

// Attacks that the form of a candidate forbids.
TEST(Attack01SideStream, HostCodeIsRefused) {
  EXPECT_TRUE(attack("void launch() { hipStream_t s; hipStreamCreate(&s); }").starts_with("1"));
}
TEST(Attack02Threads, InitialisersOfTheHostAreRefused) {
  EXPECT_TRUE(attack("static std::thread worker(run);").starts_with("1, 2"));
  EXPECT_TRUE(attack("struct A { static inline int x = start(); };").starts_with("1, 2"));
}
TEST(Attack04Timer, ReplacedFunctionsAreRefused) {
  EXPECT_TRUE(attack("extern \"C\" int hipEventElapsedTime(float* ms, void*, void*) "
                     "{ *ms = 0; return 0; }")
                  .starts_with("1, 2, 4"));
  EXPECT_TRUE(attack("__global__ void k(long* x) { *x = clock64(); }").starts_with("4"));
}
TEST(Attack09CachePolicy, AssemblyIsRefusedUnlessTheOriginalHasIt) {
  const char* text = "__global__ void k() { asm volatile(\"buffer_wbinvl1\"); }";
  EXPECT_TRUE(attack(text).starts_with("9"));
  EXPECT_EQ(attack(text, "asm(\"s_nop 0\");"), "accepted");
}
TEST(Attack25BuildFiles, DirectivesAreRefused) {
  EXPECT_TRUE(attack("#include \"/etc/passwd\"\n").starts_with("25"));
  EXPECT_TRUE(attack("# define n 1\n").starts_with("25"));
  EXPECT_TRUE(attack("%:include <x>\n").starts_with("25"));
  EXPECT_TRUE(attack("__global__ void k() {}\n#pragma push_macro(\"n\")\n").starts_with("25"));
  EXPECT_TRUE(attack("__global__ void k() {} } int x;").starts_with("25"));
  EXPECT_TRUE(attack("// a \\\n#include <x>\n").starts_with("accepted") ||
              attack("// a \\\n#include <x>\n").starts_with("25"));
}
TEST(Attack26Printing, ExitHandlersAndPrintingAreRefused) {
  EXPECT_TRUE(
      attack("__attribute__((destructor)) static void end() {}").starts_with("1, 2, 4, 26"));
  EXPECT_TRUE(attack("__global__ void k() { printf(\"PASS\"); }").starts_with("26"));
}

}  // namespace
}  // namespace geak::replay
