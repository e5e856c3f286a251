#include "clang-tool/preamble.h"

#include <clang/AST/Decl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "clang-tool/kernel_finder.h"
#include "clang-tool/launch_finder.h"
#include "clang-tool/translation_unit.h"
#include "project.h"

namespace geak::clang_tool {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr const char* kHead = "#include <hip/hip_runtime.h>\n#include \"scale.h\"\n";
constexpr const char* kHeader =
    "#pragma once\n#define FACTOR 3\n"
    "__global__ inline void clear(int* to) { to[threadIdx.x] = 0; }\n"
    "inline void clear_all(int* to) { clear<<<1, 64>>>(to); }\n";
constexpr const char* kBody = "__global__ void scale(int* to) { to[threadIdx.x] *= FACTOR; }\n";

class PreambleTest : public ::testing::Test {
 protected:
  PreambleTest() {
    project_.write("scale.h", kHeader);
    project_.write("main.hip", std::string(kHead) + kBody);
  }

  TranslationUnit parse(const std::string& text) {
    ParseOptions options;
    options.contents[(project_.path() / "main.hip").string()] = text;
    options.preamble = &preamble_;
    return TranslationUnit::parse(project_.command("main.hip"), Pass::device, options);
  }

  static std::vector<std::string> kernels(const TranslationUnit& unit) {
    std::vector<std::string> names;
    for (const auto* kernel : find_kernels(unit)) names.push_back(qualified_name(*kernel));
    return names;
  }

  testing::Project project_;
  Preamble preamble_;
};

TEST_F(PreambleTest, EachParseSeesItsOwnText) {
  for (const char* name : {"first", "second", "third"}) {
    const auto unit = parse(std::string(kHead) + "__global__ void " + name + "(int* p) {}\n");
    EXPECT_THAT(unit.errors(), IsEmpty());
    EXPECT_THAT(kernels(unit), UnorderedElementsAre("clear", name));
  }
}

TEST_F(PreambleTest, WhatTheUsersHeadersHoldIsSeen) {
  parse(std::string(kHead) + kBody);
  const auto unit =
      parse(std::string(kHead) + kBody + "void launch(int* p) { scale<<<1, FACTOR>>>(p); }\n");
  std::vector<std::string> launched;
  for (const auto& launch : find_launches(unit)) launched.push_back(qualified_name(*launch.kernel));
  EXPECT_THAT(launched, UnorderedElementsAre("clear", "scale"));
}

TEST_F(PreambleTest, FindsTheSameAsAWholeParse) {
  const std::string text = std::string(kHead) + kBody;
  parse(text);
  const auto again = parse(text);
  const auto whole = TranslationUnit::parse(project_.command("main.hip"), Pass::device);
  EXPECT_EQ(kernels(again), kernels(whole));
  const auto span_in = [&](const TranslationUnit& unit) {
    return definition_span(*find_kernels(unit).back(), project_.path().string());
  };
  EXPECT_EQ(span_in(again), span_in(whole));
}

TEST_F(PreambleTest, AChangedHeaderIsReadAgain) {
  parse(std::string(kHead) + kBody);
  project_.write("scale.h", "#pragma once\n#define FACTOR no_such_name\n");
  EXPECT_THAT(parse(std::string(kHead) + kBody).errors(),
              ElementsAre(::testing::HasSubstr("no_such_name")));
}

TEST_F(PreambleTest, AnotherHeadIsReadAgain) {
  parse(std::string(kHead) + kBody);
  EXPECT_THAT(
      kernels(parse("#include <hip/hip_runtime.h>\n#define FACTOR 2\n" + std::string(kBody))),
      ElementsAre("scale"));
}

TEST_F(PreambleTest, ErrorsInHeadersAreToldAsWithout) {
  project_.write("scale.h", "#pragma once\n#define FACTOR 3\nint broken = no_such_name;\n");
  EXPECT_THAT(parse(std::string(kHead) + kBody).errors(),
              ElementsAre(::testing::HasSubstr("scale.h:3:14")));
}

TEST_F(PreambleTest, ATextWithoutIncludesNeedsNone) {
  EXPECT_THAT(kernels(parse("__attribute__((global)) void alone() {}\n")), ElementsAre("alone"));
}

TEST(HeadOf, EndsBeforeTheFirstDeclaration) {
  EXPECT_EQ(head_of("// a\n#include <b>\n#define C 1\n\nint d;\n#include <e>\n"),
            "// a\n#include <b>\n#define C 1\n\n");
  EXPECT_EQ(head_of("int d;\n"), "");
}

}  // namespace
}  // namespace geak::clang_tool
