#include "cache/cache.h"

#include "tests/cache/fixture.h"

namespace geak::cache {
namespace {

TEST_F(CacheTest, AVerifiedVariantComesBackAsItWasPut) {
  auto cache = Cache::to_write(path_);
  cache.remember(blur_, key("k"));
  auto put = evidence(1.5, modelled_);
  put.noise = 0.25;
  put.code_hash = "c0de";
  cache.add_verified("k", variant("aa"), put);
  const auto got = Cache::to_read(path_).best("k", modelled_);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->variant.name, "blur__geak_aa");
  EXPECT_EQ(got->variant.text, variant("aa").text);
  EXPECT_EQ(got->variant.launch, variant("aa").launch);
  EXPECT_EQ(got->variant.guard, "n % 4 == 0");
  EXPECT_EQ(got->variant.recipe, variant("aa").recipe);
  EXPECT_EQ(got->variant.generator, "rules");
  EXPECT_EQ(got->evidence.type, modelled_);
  EXPECT_EQ(got->evidence.verification, (Verification{true, "gfx90a"}));
  EXPECT_DOUBLE_EQ(got->evidence.gain, 1.5);
  EXPECT_DOUBLE_EQ(got->evidence.noise, 0.25);
  EXPECT_EQ(got->evidence.inputs_tried, 7);
  EXPECT_EQ(got->evidence.limiter, "memory transactions");
  EXPECT_EQ(got->evidence.code_hash, "c0de");
  EXPECT_GT(got->created, 0);
}

TEST_F(CacheTest, BestNeverMixesTypesAndNeverPicksALoser) {
  auto cache = Cache::to_write(path_);
  cache.remember(blur_, key("k"));
  cache.add_verified("k", variant("aa"), evidence(1.2, modelled_));
  cache.add_verified("k", variant("bb"), evidence(1.9, modelled_));
  cache.add_verified("k", variant("cc"), evidence(9.0, {modelled_.kind, "gfx942"}));
  cache.add_verified("k", variant("dd"), evidence(0.9, measured_));
  EXPECT_EQ(cache.best("k", modelled_)->variant.digest, "bb");
  EXPECT_FALSE(cache.best("k", measured_));
  EXPECT_FALSE(cache.best("other", modelled_));
  EXPECT_EQ(cache.verified("k").size(), 4u);
}

TEST_F(CacheTest, EvidenceOfASecondTypeJoinsTheVariant) {
  auto cache = Cache::to_write(path_);
  cache.remember(blur_, key("k"));
  cache.add_verified("k", variant("aa"), evidence(1.2, modelled_));
  cache.add_verified("k", variant("aa"), evidence(1.4, measured_));
  cache.add_verified("k", variant("aa"), evidence(1.3, modelled_));
  EXPECT_DOUBLE_EQ(cache.best("k", modelled_)->evidence.gain, 1.3);
  EXPECT_DOUBLE_EQ(cache.best("k", measured_)->evidence.gain, 1.4);
  EXPECT_EQ(cache.verified("k").size(), 2u);
}

TEST_F(CacheTest, TrialsKeepLosersAndWinners) {
  auto cache = Cache::to_write(path_);
  cache.remember(blur_, key("k"));
  cache.add_trial("k", modelled_, {"11", "[]", "rejected", "output differs", 0, 0});
  cache.add_verified("k", variant("aa"), evidence(1.2, modelled_));
  const auto trials = cache.trials("k", modelled_);
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[0].outcome, "rejected");
  EXPECT_EQ(trials[0].reason, "output differs");
  EXPECT_EQ(trials[1].outcome, "accepted");
  EXPECT_TRUE(cache.trials("k", measured_).empty());
}

TEST_F(CacheTest, WithdrawnVariantIsGoneAndItsReasonStays) {
  auto cache = Cache::to_write(path_);
  cache.remember(blur_, key("k"));
  cache.add_verified("k", variant("aa"), evidence(1.2, modelled_));
  cache.withdraw("k", "aa", "does not compile with clang 20");
  EXPECT_FALSE(cache.best("k", modelled_));
  EXPECT_EQ(cache.trials("k", modelled_).at(0).outcome, "withdrawn");
  EXPECT_EQ(cache.trials("k", modelled_).at(0).reason, "does not compile with clang 20");
}

TEST_F(CacheTest, SearchStateRoundTrip) {
  auto cache = Cache::to_write(path_);
  cache.remember(blur_, key("k"));
  EXPECT_FALSE(cache.search("k", modelled_));
  cache.set_search("k", modelled_, {Search::State::interrupted, "", 3, 1.5, ~0ull, 0});
  const auto search = cache.search("k", modelled_);
  EXPECT_EQ(search->state, Search::State::interrupted);
  EXPECT_EQ(search->trials, 3);
  EXPECT_DOUBLE_EQ(search->seconds, 1.5);
  EXPECT_EQ(search->seed, ~0ull);
  cache.set_search("k", modelled_, {Search::State::finished, "no gain", 9, 4, 1, 0});
  EXPECT_EQ(cache.search("k", modelled_)->outcome, "no gain");
}

TEST_F(CacheTest, KnownKeysTellWhatChanged) {
  auto cache = Cache::to_write(path_);
  cache.remember(blur_, key("k1", "old"));
  cache.remember(blur_, key("k2", "new"));
  cache.remember({"/src/other.hip", "blur", "_Z4blurPf"}, key("k1", "old"));
  const auto here = cache.known_keys(blur_);
  ASSERT_EQ(here.size(), 2u);
  EXPECT_EQ(here[0].key.digest, "k2");
  EXPECT_EQ(here[0].key.parts[0], (KeyPart{"source", "new", "blur"}));
  EXPECT_EQ(here[1].key.parts[0].digest, "old");
  EXPECT_EQ(cache.known_keys({"", "blur", ""}).size(), 3u);
  EXPECT_EQ(cache.key("k1")->parts.size(), 2u);
}

TEST_F(CacheTest, WritesNeedAKnownKeyAndAWriter) {
  auto cache = Cache::to_write(path_);
  EXPECT_THROW(cache.add_verified("k", variant("aa"), evidence(2, modelled_)), CacheError);
  EXPECT_THROW(cache.add_trial("k", modelled_, {}), CacheError);
  cache.remember(blur_, key("k"));
  auto reader = Cache::to_read(path_);
  EXPECT_THROW(reader.add_verified("k", variant("aa"), evidence(2, modelled_)), CacheError);
  EXPECT_THROW(reader.remember(blur_, key("k3")), CacheError);
}

TEST_F(CacheTest, TextWithQuotesAndZerosOfSqlIsData) {
  auto cache = Cache::to_write(path_);
  const std::string nasty = "'; DROP TABLE variants; -- \"\n\xc3\xa4";
  cache.remember({nasty, nasty, nasty}, key(nasty));
  auto put = variant("aa");
  put.text = nasty;
  cache.add_verified(nasty, put, evidence(2, modelled_));
  EXPECT_EQ(cache.best(nasty, modelled_)->variant.text, nasty);
}

}  // namespace
}  // namespace geak::cache
