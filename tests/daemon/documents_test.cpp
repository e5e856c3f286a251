#include "daemon/documents.h"

#include <gtest/gtest.h>

namespace geak::daemon {
namespace {

TEST(Documents, AKernelMovedByUnsavedLinesIsFoundAgain) {
  Documents documents;
  documents.open("/a.hip",
                 "// new\n// lines\n__global__ void blur(int) {}\nvoid f() { blur_all(); }\n");
  EXPECT_EQ(documents.line_of("/a.hip", "blur", 0), 2);
}

TEST(Documents, OnlyWholeWordsCount) {
  Documents documents;
  documents.open("/a.hip", "int blur2;\nint my_blur;\nint blur;\n");
  EXPECT_EQ(documents.line_of("/a.hip", "blur", 0), 2);
}

TEST(Documents, TheNearestOfSeveralIsTaken) {
  Documents documents;
  documents.open("/a.hip", "blur\n\n\nblur\n\n\n\n\nblur\n");
  EXPECT_EQ(documents.line_of("/a.hip", "blur", 4), 3);
  EXPECT_EQ(documents.line_of("/a.hip", "blur", 7), 8);
}

TEST(Documents, ADeletedKernelHasNoLine) {
  Documents documents;
  documents.open("/a.hip", "int x;\n");
  EXPECT_EQ(documents.line_of("/a.hip", "blur", 0), std::nullopt);
}

TEST(Documents, AFileThatIsNotOpenKeepsTheSavedLine) {
  Documents documents;
  documents.open("/a.hip", "");
  documents.close("/a.hip");
  EXPECT_EQ(documents.line_of("/a.hip", "blur", 7), 7);
}

TEST(Documents, WordUnderThePosition) {
  Documents documents;
  documents.open("/a.hip", "void blur_x(int n)\n");
  EXPECT_EQ(documents.word_at("/a.hip", 0, 5), "blur_x");
  EXPECT_EQ(documents.word_at("/a.hip", 0, 11), "blur_x");
  EXPECT_EQ(documents.word_at("/a.hip", 0, 900), "");
  EXPECT_EQ(documents.word_at("/a.hip", 9, 0), "");
  EXPECT_EQ(documents.word_at("/a.hip", -1, -1), "");
}

}  // namespace
}  // namespace geak::daemon
