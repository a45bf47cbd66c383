#include "scheduler/trials/build_complaint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string complaint_of(search::TrialOutcome outcome) {
  search::Problem problem;
  problem.backend = search::HostBackend{};
  return build_complaint(problem, {{BuildKey::Kind::kBaseline, {}}, std::move(outcome)});
}

TEST(BuildComplaint, OfASourceThatFailsAsksToMendIt) {
  EXPECT_THAT(complaint_of(search::BuildFailed{"error: expected ';'"}),
              AllOf(HasSubstr("the baseline could not be built: "), HasSubstr("expected ';'"),
                    HasSubstr("mend it")));
}

TEST(BuildComplaint, OfABuildThatTheBudgetEndedBlamesNoSource) {
  search::TimedOut late;
  late.phase = search::Phase::kBuild;
  late.limit_seconds = 10;
  late.out_of_budget = true;
  EXPECT_THAT(complaint_of(late), AllOf(HasSubstr("more time (--budget)"), HasSubstr("ulimit -u"),
                                        Not(HasSubstr("mend it"))));
}

}  // namespace
}  // namespace nightshift::scheduler
