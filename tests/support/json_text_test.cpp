#include "support/json_text.h"

#include <gtest/gtest.h>

namespace geak::support {
namespace {

TEST(JsonText, BytesThatAreNoTextDoNotEndAWriter) {
  const nlohmann::json odd = {{"name", "a\xFE\x80z"}, {"plain", "größe"}};
  const auto text = json_text(odd);
  const auto read = nlohmann::json::parse(text);
  EXPECT_EQ(read["plain"], "größe");
  EXPECT_TRUE(read["name"].get<std::string>().starts_with("a\xEF\xBF\xBD"));
  EXPECT_TRUE(read["name"].get<std::string>().ends_with("z"));
}

TEST(JsonText, IndentsOnRequest) {
  EXPECT_EQ(json_text({{"a", 1}}), "{\"a\":1}");
  EXPECT_EQ(json_text({{"a", 1}}, 2), "{\n  \"a\": 1\n}");
}

TEST(JsonText, AnOrderedDocumentKeepsItsOrder) {
  nlohmann::ordered_json value;
  value["version"] = 0;
  value["roots"] = "a";
  EXPECT_EQ(json_text(value), R"({"version":0,"roots":"a"})");
}

}  // namespace
}  // namespace geak::support
