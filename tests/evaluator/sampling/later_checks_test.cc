#include "evaluator/sampling/later_checks.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <variant>

namespace nightshift::evaluator {
namespace {

constexpr double kForEver = 1e9;  // seconds of samples

struct Calls {
  int wrong_at = 0;  // this call's answer; 0: none
  int count = 0;
  std::optional<search::TrialOutcome> operator()() {
    if (++count != wrong_at) return std::nullopt;
    return search::WrongResult{};
  }
};

TEST(LaterChecks, OneAnswerIsCheckedWhateverTimeThereIs) {
  Calls calls;
  EXPECT_FALSE(checked_later(0, std::ref(calls)));
  EXPECT_EQ(calls.count, 1);
}

TEST(LaterChecks, ManyAreWhereTheTimeHasRoomForThemAndNotMore) {
  Calls calls;
  EXPECT_FALSE(checked_later(kForEver, std::ref(calls)));
  EXPECT_EQ(calls.count, kMostChecks);
}

TEST(LaterChecks, TheFirstWrongAnswerEndsThem) {
  for (const int at : {1, 7, kMostChecks}) {
    Calls calls{at};
    const auto wrong = checked_later(kForEver, std::ref(calls));
    ASSERT_TRUE(wrong);
    EXPECT_TRUE(std::holds_alternative<search::WrongResult>(*wrong));
    EXPECT_EQ(calls.count, at);
  }
}

}  // namespace
}  // namespace nightshift::evaluator
