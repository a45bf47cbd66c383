#include "search/failure_likeness.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

TEST(FailureLikeness, FailuresAreAlikeWhereTheyDifferInNumbersAlone) {
  const TrialOutcome a = BuildFailed{"kernel.cc:12:7: error: no member named 'x' at 0x7fff12ab"};
  const TrialOutcome b = BuildFailed{"kernel.cc:9:31: error: no member named 'x' at 0x7ffe00c1"};
  const TrialOutcome c = BuildFailed{"kernel.cc:9:31: error: no member named 'y' at 0x7ffe00c1"};
  EXPECT_EQ(likeness_of(a), likeness_of(b));
  EXPECT_NE(likeness_of(a), likeness_of(c));
  EXPECT_NE(likeness_of(LaunchFailed{"x"}), likeness_of(BuildFailed{"x"}));
}

TEST(FailureLikeness, IsRemarkedAtTheFifthAndWheneverTheyHaveDoubled) {
  CommonFailure failures;
  std::vector<int> remarked;
  for (int i = 1; i <= 45; ++i) {
    failures.ended(BuildFailed{"line " + std::to_string(i) + ": error: no such thing"});
    if (!failures.remark().empty()) remarked.push_back(i);
  }
  EXPECT_EQ(remarked, (std::vector<int>{5, 10, 20, 40}));
  EXPECT_EQ(failures.words(),
            "all 45 configurations failed alike: did not build: line 1: error: no such thing");
}

TEST(FailureLikeness, SaysHowManyAreAlike) {
  CommonFailure failures;
  for (int i = 0; i < 4; ++i) failures.ended(LaunchFailed{"no device"});
  failures.ended(TimedOut{});
  EXPECT_EQ(failures.remark(),
            "all 5 configurations failed, 4 of them alike: gave no result: no device");
}

TEST(FailureLikeness, FiftyThatDoNotBuildForOneReasonAreHopeless) {
  CommonFailure failures, mixed, at_run_time, worked;
  worked.ended(Measured{});
  mixed.ended(BuildFailed{"error: something else"});
  for (std::uint64_t i = 1; i <= CommonFailure::kHopeless; ++i) {
    EXPECT_FALSE(failures.is_hopeless()) << i;
    const BuildFailed failure{"a.cc:" + std::to_string(i) + ": error: no such header"};
    for (CommonFailure* all : {&failures, &mixed, &worked}) all->ended(failure);
    at_run_time.ended(LaunchFailed{"no device"});
  }
  EXPECT_TRUE(failures.is_hopeless());
  EXPECT_FALSE(mixed.is_hopeless()) << "the searcher may learn which is which";
  EXPECT_FALSE(at_run_time.is_hopeless());
  EXPECT_FALSE(worked.is_hopeless());
}

TEST(FailureLikeness, OneThatWorksEndsIt) {
  CommonFailure failures;
  failures.ended(Measured{});
  for (int i = 0; i < 10; ++i) failures.ended(LaunchFailed{"no device"});
  EXPECT_EQ(failures.remark(), "");
  EXPECT_EQ(failures.words(), "");
  EXPECT_FALSE(failures.all_failed());
}

TEST(FailureLikeness, EqualCodeSaysNothing) {
  CommonFailure failures;
  failures.ended(Skipped{{3}});
  EXPECT_FALSE(failures.all_failed());
  failures.ended(LaunchFailed{"no device"});
  EXPECT_EQ(failures.words(), "the only configuration failed: gave no result: no device");
}

}  // namespace
}  // namespace nightshift::search
