#include "cache/types.h"

#include <gtest/gtest.h>

#include "cache/error.h"

namespace geak::cache {
namespace {

TEST(EvidenceType, TextRoundTrip) {
  for (const char* text : {"modelled(gfx90a)", "measured(NVIDIA H200 (SXM))"})
    EXPECT_EQ(EvidenceType::parse(text).text(), text);
}

TEST(EvidenceType, RefusesOtherText) {
  for (const char* text : {"", "modelled", "modelled()", "modelled(gfx90a", "guessed(gfx90a)"})
    EXPECT_THROW(EvidenceType::parse(text), CacheError) << text;
}

TEST(Verification, KeepsEmulatedApart) {
  const auto emulated = Verification::parse("verified(emulated gfx90a)");
  EXPECT_TRUE(emulated.emulated);
  EXPECT_EQ(emulated.where, "gfx90a");
  const auto real = Verification::parse("verified(gfx90a)");
  EXPECT_FALSE(real.emulated);
  EXPECT_NE(real, emulated);
  EXPECT_THROW(Verification::parse("emulated"), CacheError);
}

}  // namespace
}  // namespace geak::cache
