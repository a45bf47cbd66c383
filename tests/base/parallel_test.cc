#include "base/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace nightshift::base {
namespace {

TEST(Parallel, DoesEveryPieceOnce) {
  std::vector<int> done(1000, 0);
  in_parallel(done.size(), [&](std::size_t i) { ++done[i]; });
  in_parallel(done.size(), 4, [&](std::size_t i) { ++done[i]; });
  EXPECT_EQ(std::count(done.begin(), done.end(), 2), 1000);
}

TEST(Parallel, BearsNothingToDo) {
  in_parallel(0, [](std::size_t) { FAIL(); });
  in_parallel(0, 4, [](std::size_t) { FAIL(); });
}

TEST(Parallel, ThrowsOnWhatAPieceThrows) {
  const auto piece = [](std::size_t i) {
    if (i == 7) throw std::runtime_error("seven");
  };
  EXPECT_THROW(in_parallel(20, piece), std::runtime_error);
  EXPECT_THROW(in_parallel(20, 3, piece), std::runtime_error);
}

// A thread that waits for the pieces of a piece must not begin another piece of the outer kind.
TEST(Parallel, APieceWaitsForItsOwnPiecesOnly) {
  static thread_local int depth = 0;
  std::vector<int> deepest(64, 0);
  in_parallel(deepest.size(), 4, [&](std::size_t i) {
    ++depth;
    std::vector<int> inner(500, 0);
    in_parallel(inner.size(), [&](std::size_t k) { ++inner[k]; });
    deepest[i] = depth;
    --depth;
  });
  EXPECT_EQ(*std::ranges::max_element(deepest), 1);
}

}  // namespace
}  // namespace nightshift::base
