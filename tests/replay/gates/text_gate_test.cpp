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

TEST(TextGate, AcceptsOrdinaryNames) {
  EXPECT_EQ(attack("__global__ void k(int* used) { int module = used[0], section = 1, import = 2;"
                   " used[module] = section + import; }"),
            "accepted");
}

TEST(TextGate, AcceptsNamespacesTypesAndDynamicLds) {
  EXPECT_EQ(attack("namespace a {\nnamespace b {\n__device__ int f() { return 1; }\n"
                   "enum class Kind { one, two };\n}\n}\nextern __shared__ float s[];\n"
                   "extern \"C\" {\n__global__ void k() {}\n}\n"
                   "template <typename T> struct Pair { T a, b; };\n"),
            "accepted");
}

TEST(TextGate, WhatTheOriginalSaysMayBeSaidAgain) {
  const char* host = "int main() { return run(); }\n";
  EXPECT_TRUE(attack(host).starts_with("1"));
  EXPECT_EQ(attack(host, "#define A 1\nint main() { return run(); }"), "accepted");
  const char* conditional = "__global__ void k() {\n#ifdef WIDE\n  f();\n#endif\n}\n";
  EXPECT_TRUE(attack(conditional).starts_with("25"));
  EXPECT_EQ(attack(conditional, conditional), "accepted");
}

TEST(TextGate, HostCodeInNamespacesIsRefused) {
  EXPECT_TRUE(attack("namespace { int x = start(); }").starts_with("1, 2"));
  EXPECT_TRUE(attack("namespace a { namespace b { void f() { start(); } } }").starts_with("1, 2"));
  EXPECT_TRUE(attack("extern \"C\" { int atexit_handler() { return 1; } }").starts_with("1, 2"));
  EXPECT_TRUE(attack("struct A { A() { start(); } } a;").starts_with("1, 2"));
}

TEST(TextGate, OtherSymbolsOfTheProgramAreRefused) {
  EXPECT_TRUE(
      attack("extern __device__ int calls;\n__global__ void k() { ++calls; }").starts_with("3, 5"));
}

TEST(TextGate, TheWaysToItsOwnPacketAreRefused) {
  for (const char* name : {"__builtin_amdgcn_dispatch_ptr", "__builtin_amdgcn_implicitarg_ptr",
                           "__builtin_amdgcn_kernarg_segment_ptr", "__ockl_hostcall_internal",
                           "__builtin_amdgcn_s_getreg"}) {
    EXPECT_TRUE(
        attack(("__global__ void k() { " + std::string(name) + "(); }").c_str()).starts_with("4"))
        << name;
  }
  EXPECT_TRUE(attack("__global__ void k(int** p) { *p = new int; }").starts_with("5"));
}

TEST(Guard, IsAPlainCondition) {
  EXPECT_FALSE(check_guard(""));
  EXPECT_FALSE(check_guard("(N) == (4) && n % 4 == 0 && (std::uintptr_t(x) & 15) == 0"));
  EXPECT_FALSE(check_guard("geak_grid.x <= 64 || n >= 3"));
  EXPECT_FALSE(check_guard("__is_same(T, float) && geak_swap::apart(a, b)"));
  EXPECT_FALSE(check_guard("__is_same(std::integral_constant<decltype(F), F>, "
                           "std::integral_constant<decltype(F), &act::twice<float>>)"));
  EXPECT_TRUE(check_guard("sizeof(decltype(poke(a))) == 4"));
  EXPECT_FALSE(check_guard("geak_swap::readable(a, 4.0 * ((double)(n) + 1.0))"));
  EXPECT_TRUE(check_guard("evil::geak_swap::apart(a, b)"));
  EXPECT_TRUE(check_guard("apart(a, b)"));
  EXPECT_TRUE(check_guard("geak_swap::enabled()"));
  EXPECT_TRUE(check_guard("system(\"x\")"));
  EXPECT_TRUE(check_guard("run() > 0"));
  EXPECT_TRUE(check_guard("n = 4"));
  EXPECT_TRUE(check_guard("++n > 1"));
  EXPECT_TRUE(check_guard("true); std::exit(0"));
  EXPECT_TRUE(check_guard("[] { return true; }()"));
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
