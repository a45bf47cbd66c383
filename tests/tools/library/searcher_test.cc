#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "packaging/include/nightshift/tuner.h"

namespace nightshift {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

Space squares() {
  std::vector<Value> values;
  for (std::int64_t i = 0; i < 20; ++i) values.emplace_back(i);
  return Space({{"x", values}, {"y", values}}, {"x != y"});
}

double cost(const Configuration& c) {
  const auto x = static_cast<double>(std::get<std::int64_t>(c.at("x")));
  const auto y = static_cast<double>(std::get<std::int64_t>(c.at("y")));
  return 1 + (x - 13) * (x - 13) + (y - 4) * (y - 4);
}

TEST(LibrarySearcher, FindsTheBestOfTwentyTimesTwenty) {
  Searcher searcher(squares(), "auto", 3);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 60; ++i) {
    const std::vector<Configuration> asked = searcher.ask();
    ASSERT_THAT(asked, SizeIs(1));
    searcher.tell(asked.front(), cost(asked.front()));
    best = std::min(best, cost(asked.front()));
  }
  EXPECT_EQ(best, 1);
}

TEST(LibrarySearcher, SeedsRepeatAndNothingComesTwice) {
  const Space space({{"a", {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}}});
  Searcher one(space, "random", 5), other(space, "random", 5);
  std::vector<Configuration> asked = one.ask(2);
  EXPECT_EQ(asked, other.ask(2));
  one.tell_failed(asked.front());
  const std::vector<Configuration> rest = one.ask(5);
  ASSERT_THAT(rest, SizeIs(1));
  EXPECT_THAT(asked, Not(Contains(rest.front())));
  EXPECT_THAT(one.ask(1), IsEmpty());
}

TEST(LibrarySearcher, SaysWhatIsWrong) {
  EXPECT_THAT([] { Searcher(squares(), "best"); }, ThrowsMessage<Error>(HasSubstr("random")));
  Searcher searcher(squares());
  const Configuration c = searcher.ask().front();
  EXPECT_THAT([&] { searcher.tell(c, 0); }, ThrowsMessage<Error>(HasSubstr("tell_failed")));
  EXPECT_THAT([&] { searcher.tell(c, std::nan("")); }, ThrowsMessage<Error>(HasSubstr("above 0")));
  EXPECT_THAT(
      [&] {
        searcher.tell_failed({{"x", std::int64_t{3}}, {"y", std::int64_t{3}}});
      },
      ThrowsMessage<Error>(HasSubstr("not in the space")));
  EXPECT_THAT(Searcher::names(), Contains("auto"));
}

}  // namespace
}  // namespace nightshift
