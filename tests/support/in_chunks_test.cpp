#include "support/in_chunks.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

namespace geak::support {
namespace {

TEST(InChunks, EveryElementOnce) {
  for (const std::size_t count : {0, 1, 7, 8, 9, 1000}) {
    std::vector<int> seen(count);
    in_chunks(count, 8, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
      EXPECT_EQ(begin, chunk * 8);
      for (std::size_t i = begin; i < end; ++i) ++seen[i];
    });
    EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), static_cast<int>(count));
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  }
}

TEST(InChunks, AnExceptionReachesTheCaller) {
  EXPECT_THROW(in_chunks(100, 1,
                         [](std::size_t chunk, std::size_t, std::size_t) {
                           if (chunk == 50) throw std::runtime_error("fifty");
                         }),
               std::runtime_error);
}

}  // namespace
}  // namespace geak::support
