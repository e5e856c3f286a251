// A folder of its own for each test, and rows to put into the cache.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "cache/cache.h"

namespace geak::cache {

class CacheTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("geak-cache-") + info->name() + "-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "geak.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Key key(const std::string& digest, const std::string& source_digest = "s") {
    return {digest, {{"source", source_digest, "blur"}, {"flags", "f", "-O3"}}};
  }
  static Variant variant(const std::string& digest) {
    return {"blur__geak_" + digest,
            digest,
            "__global__ void f() {}",
            "{\"block\":[64]}",
            "n % 4 == 0",
            "[{\"transform\":\"unroll\"}]",
            "rules",
            ""};
  }
  static Evidence evidence(double gain, const EvidenceType& type) {
    Evidence evidence;
    evidence.type = type;
    evidence.verification = {true, "gfx90a"};
    evidence.original_ns = 1000;
    evidence.variant_ns = 1000 / gain;
    evidence.gain = gain;
    evidence.inputs_tried = 7;
    evidence.limiter = "memory transactions";
    evidence.counters = "{}";
    return evidence;
  }

  const EvidenceType modelled_{EvidenceType::Kind::modelled, "gfx90a"};
  const EvidenceType measured_{EvidenceType::Kind::measured, "AMD Instinct MI300X"};
  const KernelName blur_{"/src/blur.hip", "blur", "_Z4blurPf"};
  std::filesystem::path folder_, path_;
};

}  // namespace geak::cache
