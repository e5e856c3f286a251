#include "cli/depfile.h"

#include <gtest/gtest.h>

namespace geak::cli {
namespace {

TEST(Depfile, EscapesWhatMakeMisreads) {
  EXPECT_EQ(depfile("/b/s.stamp", {"/a b.h", "/c$d#.h"}),
            "/b/s.stamp: \\\n  /a\\ b.h \\\n  /c$$d\\#.h\n");
  EXPECT_EQ(depfile("/b/s.stamp", {}), "/b/s.stamp:\n");
}

}  // namespace
}  // namespace geak::cli
