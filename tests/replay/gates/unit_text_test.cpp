#include "replay/gates/unit_text.h"

#include <gtest/gtest.h>

namespace geak::replay {
namespace {

TEST(UnitText, TextOfSystemHeadersIsNotOwn) {
  const auto text = own_text(
      "# 1 \"/p/a.hip\"\n# 1 \"<built-in>\" 1\nbuilt in\n# 1 \"/p/a.hip\" 2\nfirst\n"
      "# 1 \"/usr/include/x.h\" 1 3\nsystem\n# 3 \"/p/a.hip\" 2\nthird\nfourth\n"
      "# 1 \"/p/own.h\" 1\nheader\n# 6 \"/p/a.hip\" 2\nsixth\n");
  EXPECT_EQ(text.own, "first\nthird\nfourth\nheader\nsixth\n");
  EXPECT_EQ(text.includes, std::vector<std::string>{"/p/own.h"});
  EXPECT_EQ(text.place_of(1), "a.hip:1");
  EXPECT_EQ(text.place_of(3), "a.hip:4");
  EXPECT_EQ(text.place_of(4), "own.h:1");
  EXPECT_EQ(text.place_of(5), "a.hip:6");
  EXPECT_EQ(text.place_of(6), "");
  EXPECT_EQ(text.place_of(0), "");
}

// A system's header that includes what a macro names, which is the source itself.
TEST(UnitText, TheSourceIsOwnHoweverItIsReached) {
  const auto text = own_text(
      "# 1 \"/p/a.hip\"\nfirst\n# 1 \"/usr/include/x.h\" 1 3\n"
      "# 1 \"/p/../p/a.hip\" 1 3\nhidden\n# 2 \"/usr/include/x.h\" 2 3\nsystem\n"
      "# 3 \"/p/a.hip\" 2\nlast\n");
  EXPECT_EQ(text.own, "first\nhidden\nlast\n");
}

}  // namespace
}  // namespace geak::replay
