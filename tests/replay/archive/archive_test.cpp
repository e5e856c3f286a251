#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "replay/archive/reader.h"
#include "replay/archive/writer.h"

namespace geak::replay {
namespace {

using testing::HasSubstr;

std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<std::byte> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(generator());
  return bytes;
}

std::vector<std::byte> read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

class Archive : public testing::Test {
 protected:
  Archive()
      : file_(std::filesystem::path(testing::TempDir()) /
              ("archive_" + std::to_string(::getpid()) + ".geakrec")) {
    create_archive(file_);
  }
  ~Archive() override { std::filesystem::remove(file_); }

  LaunchRecord write_launch() {
    ArchiveWriter writer(file_);
    contents_ = random_bytes(kChunkBytes * 2 + 100, 1);
    LaunchRecord launch;
    launch.kernel = "_Z4blurPf";
    launch.launch_class = "c";
    launch.ordinal = 1;
    launch.grid = {512, 1, 1};
    launch.block = {256, 1, 1};
    launch.kernarg = {1, 2, 3, 4, 5, 6, 7, 8};
    launch.pointers = {{0, 0, 16}};
    Region region;
    region.base = 0x7f0000001000;
    region.bytes = contents_.size();
    region.before = writer.put(contents_);
    region.after = region.before;
    launch.regions = {region};
    writer.put(launch);
    return launch;
  }

  std::filesystem::path file_;
  std::vector<std::byte> contents_;
};

TEST_F(Archive, GivesBackWhatWasWritten) {
  const auto launch = write_launch();
  const auto reader = ArchiveReader::open(file_);
  EXPECT_TRUE(reader.problems().empty());
  ASSERT_EQ(reader.launches().size(), 1u);
  EXPECT_EQ(to_json(reader.launches()[0]), to_json(launch));
  EXPECT_EQ(reader.bytes_of(reader.launches()[0].regions[0].before), contents_);
}

TEST_F(Archive, KeepsEqualBytesOnce) {
  ArchiveWriter writer(file_);
  const auto bytes = random_bytes(kChunkBytes, 2);
  writer.put(bytes);
  const auto once = writer.bytes_written();
  writer.put(bytes);
  EXPECT_EQ(writer.bytes_written(), once);
}

TEST_F(Archive, ReadsUpToWhereItIsCutOff) {
  write_launch();
  const auto whole = read_file(file_);
  for (std::size_t cut : {std::size_t{17}, whole.size() / 2, whole.size() - 1}) {
    auto part = whole;
    part.resize(cut);
    const auto reader = ArchiveReader::from_bytes(part, "part");
    EXPECT_TRUE(reader.launches().empty());
    ASSERT_EQ(reader.problems().size(), 1u);
    EXPECT_THAT(reader.problems()[0], HasSubstr("truncated"));
  }
}

TEST_F(Archive, RefusesOtherVersionsAndFiles) {
  auto bytes = read_file(file_);
  bytes[8] = std::byte{9};
  EXPECT_THROW(ArchiveReader::from_bytes(bytes, "x"), std::runtime_error);
  EXPECT_THROW(ArchiveReader::from_bytes(random_bytes(100, 3), "x"), std::runtime_error);
  EXPECT_THROW(ArchiveReader::open("/nonexistent/x.geakrec"), std::runtime_error);
}

// Every byte flipped in turn: read, or refused with a reason, and never other bytes than written.
TEST_F(Archive, SurvivesDamage) {
  write_launch();
  const auto whole = read_file(file_);
  std::mt19937 generator(4);
  for (int i = 0; i < 400; ++i) {
    auto damaged = whole;
    const auto at = i < 200 ? static_cast<std::size_t>(i) : generator() % whole.size();
    if (at < kArchiveHeaderBytes) continue;
    damaged[at] ^= static_cast<std::byte>(1 + generator() % 255);
    const auto reader = ArchiveReader::from_bytes(damaged, "damaged");
    for (const auto& launch : reader.launches()) {
      try {
        EXPECT_EQ(reader.bytes_of(launch.regions[0].before), contents_) << "byte " << at;
      } catch (const std::runtime_error&) {
      }
    }
  }
}

TEST_F(Archive, RefusesRecordsThatContradictThemselves) {
  auto json = to_json(write_launch());
  EXPECT_NO_THROW(launch_from_json(json));
  auto changed = json;
  changed["pointers"][0]["region"] = 5;
  EXPECT_THROW(launch_from_json(changed), std::runtime_error);
  changed = json;
  changed["pointers"][0]["offset"] = 1;
  EXPECT_THROW(launch_from_json(changed), std::runtime_error);
  changed = json;
  changed["regions"][0]["bytes"] = 5;
  EXPECT_THROW(launch_from_json(changed), std::runtime_error);
  changed = json;
  changed["block"] = {1024, 1024, 1};
  EXPECT_THROW(launch_from_json(changed), std::runtime_error);
  changed = json;
  changed["kernarg"] = "0x";
  EXPECT_THROW(launch_from_json(changed), std::runtime_error);
}

TEST_F(Archive, SaysWhenTheDiskIsFull) {
  EXPECT_THROW(
      {
        ArchiveWriter writer("/dev/full");
        writer.put(random_bytes(100, 5));
      },
      std::system_error);
}

TEST_F(Archive, CountsLaunchesOfAClassOverProcesses) {
  {
    ArchiveWriter writer(file_);
    writer.put(Summary{1, {{"c", "k", 100, 2}}, {}});
    writer.put(Summary{2, {{"c", "k", 20, 1}}, {}});
  }
  const auto reader = ArchiveReader::open(file_);
  EXPECT_EQ(reader.launches_of_class("c"), 120u);
  EXPECT_EQ(reader.launches_of_class("d"), 0u);
}

}  // namespace
}  // namespace geak::replay
