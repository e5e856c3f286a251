#include "cli/raw_text.h"

#include <gtest/gtest.h>

namespace geak::cli {
namespace {

unsigned line_of(std::string_view source, std::string_view original = "") {
  const auto problem = check_raw_text(source, original);
  return problem ? problem->line : 0;
}

TEST(RawText, LineMarkersAreFoundHoweverTheyAreSpelled) {
  EXPECT_EQ(line_of("int a;\n# 1 \"/usr/include/x.h\" 1 3\nint b;\n"), 2u);
  EXPECT_EQ(line_of("int a;\n#line 7\n"), 2u);
  EXPECT_EQ(line_of("int a;\n\n  #  line 7 \"x\"\n"), 3u);
  EXPECT_EQ(line_of("%: 1 \"x\" 3\n"), 1u);
  EXPECT_EQ(line_of("%:line 1\n"), 1u);
  EXPECT_EQ(line_of("?\?=line 1\n"), 1u);
  EXPECT_EQ(line_of("/* a\n */ # /* b */ 1 \"x\" 3\n"), 2u);
  EXPECT_EQ(line_of("#\\\n1 \"x\" 3\n"), 1u);
  EXPECT_EQ(line_of("#li\\\nne 1\n"), 1u);
  EXPECT_EQ(line_of("int a; // \\\n#line 2\n\n#line 3\n"), 4u);
}

TEST(RawText, WhatIsNoDirectiveIsLeftAlone) {
  EXPECT_EQ(line_of("const char* a = \"\\n# 1 x\";\n// # 1\n/*\n#line 1\n*/\n"), 0u);
  EXPECT_EQ(line_of("const char* a = R\"(\n#line 1\n)\";\n"), 0u);
  EXPECT_EQ(line_of("#define line 3\n#include <x>\n#pragma unroll\nint line = 2;\n"), 0u);
  EXPECT_EQ(line_of("#define a(b) \\\n  # b\n#\nint c;\n"), 0u);
}

TEST(RawText, WhatDependsOnThePlaceIsTheOriginalsAlone) {
  EXPECT_EQ(line_of("\nchar c = __TIME__[7];\n"), 2u);
  EXPECT_EQ(line_of("#if __has_include(\"/tmp/x\")\n#endif\n"), 1u);
  EXPECT_EQ(line_of("const char* a = __FILE__;\n", "f(__FILE__);"), 0u);
  EXPECT_EQ(line_of("#embed \"/etc/passwd\"\n"), 1u);
}

TEST(RawText, SaysTheLine) {
  const auto problem = check_raw_text("int a;\n# 1 \"x.h\" 1 3\n", "");
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->text, "# 1 \"x.h\" 1 3");
}

}  // namespace
}  // namespace geak::cli
