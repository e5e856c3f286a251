#include "clang-tool/variant.h"

#include <gtest/gtest.h>

namespace geak::clang_tool {
namespace {

Variant sample() {
  Variant variant;
  variant.text = "__global__ void __geak_variant_name__(float* out) { out[0] = 1; }";
  variant.launch.axes[0].block = support::BlockRule::set;
  variant.launch.axes[0].block_value = 128;
  variant.recipe = {{"block_size", {{"x", 128}}}};
  return variant;
}

TEST(Variant, IsNamedByItsContent) {
  const Variant first = finish_variant("blur", sample());
  EXPECT_EQ(variant_digest(first).size(), 8U);
  EXPECT_EQ(first.name, "blur__geak_" + variant_digest(first));
  EXPECT_NE(first.text.find("void " + first.name + "(float"), std::string::npos);
  EXPECT_EQ(finish_variant("blur", sample()), first);

  Variant other = sample();
  other.launch.axes[0].block_value = 64;
  EXPECT_NE(finish_variant("blur", other).name, first.name);
}

TEST(Variant, SurvivesJson) {
  const Variant variant = finish_variant("blur", sample());
  EXPECT_EQ(nlohmann::json(variant).get<Variant>(), variant);
}

TEST(Variant, HasNoDigestWithoutTheForm) {
  Variant variant;
  variant.name = "blur";
  EXPECT_EQ(variant_digest(variant), "");
}

}  // namespace
}  // namespace geak::clang_tool
