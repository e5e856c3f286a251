#include "cache/location.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "cache/error.h"

namespace geak::cache {
namespace {

class LocationTest : public testing::Test {
 protected:
  LocationTest() {
    for (const char* name : kNames) {
      const char* value = std::getenv(name);
      saved_.push_back(value ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
  }
  ~LocationTest() override {
    for (std::size_t n = 0; n < saved_.size(); ++n)
      if (saved_[n]) setenv(kNames[n], saved_[n]->c_str(), 1);
  }
  static constexpr const char* kNames[] = {"GEAK_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::optional<std::string>> saved_;
};

TEST_F(LocationTest, TheMoreSpecificVariableWins) {
  EXPECT_THROW(default_path(), CacheError);
  setenv("HOME", "/home/u", 1);
  EXPECT_EQ(default_path(), "/home/u/.cache/geak/geak.db");
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(default_path(), "/x/geak/geak.db");
  setenv("GEAK_CACHE_DIR", "/g", 1);
  EXPECT_EQ(default_path(), "/g/geak.db");
  setenv("GEAK_CACHE_DIR", "", 1);
  EXPECT_EQ(default_path(), "/x/geak/geak.db");
}

TEST_F(LocationTest, MissingFoldersAreJudgedByTheirParent) {
  EXPECT_FALSE(on_network_file_system("/proc/does/not/exist/geak.db"));
}

}  // namespace
}  // namespace geak::cache
