#include "tools/report/savings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/told_study.h"
#include "tools/document/document_writers.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

scheduler::StudySummary claim(double ratio, search::Interval interval) {
  scheduler::StudySummary summary;
  summary.accepted = true;
  summary.ratio = ratio;
  summary.ratio_interval = interval;
  return summary;
}

WholeJob job_of(double share) {
  WholeJob job;
  job.share = share;
  job.is_asked = true;
  return job;
}

std::string told(const scheduler::StudySummary& summary, const WholeJob& job,
                 const search::Problem& problem = tests::told_problem()) {
  Document document;
  document.blocks = savings(summary, problem, job);
  return to_text(document);
}

// Half of 30 % of the job is left out.
TEST(Savings, AreTheShareTimesWhatTheClaimLeavesOut) {
  WholeJob job = job_of(0.3);
  job.seconds = 100 * 3600;
  job.watts = 700;
  EXPECT_THAT(told(claim(0.5, {0.4, 0.6}), job),
              AllOf(HasSubstr("15.00 % [12.00 %, 18.00 %]"),
                    HasSubstr("15 h 00 min [12 h 00 min, 18 h 00 min]"),
                    HasSubstr("10.50 kWh [8.400 kWh, 12.60 kWh]"), HasSubstr("30.00 %")));
}

TEST(Savings, OfAWholeJobAreTheClaimItself) {
  EXPECT_THAT(told(claim(0.9, {0.88, 0.92}), job_of(1)),
              AllOf(HasSubstr("10.00 % [8.00 %, 12.00 %]"), Not(HasSubstr("at most")),
                    Not(HasSubstr(" h "))));
}

TEST(Savings, WithoutAClaimThereIsNone) {
  scheduler::StudySummary summary = claim(0.5, {0.4, 0.6});
  summary.accepted = false;
  EXPECT_THAT(told(summary, job_of(0.3)), HasSubstr("Nothing is claimed"));
  EXPECT_TRUE(savings(summary, tests::told_problem(), {}).empty());
}

TEST(Savings, OfWhatIsNoTimeAreRefused) {
  search::Problem problem = tests::told_problem();
  const auto of = [&](const char* name, const char* unit) {
    problem.objectives = {search::Objective{name, unit}};
    return told(claim(0.5, {0.4, 0.6}), job_of(0.5), problem);
  };
  EXPECT_THAT(of("bandwidth", "GB/s"), HasSubstr("25.00 %"));
  EXPECT_THAT(of("speed", "tokens/s"), HasSubstr("25.00 %"));
  EXPECT_THROW(of("energy", "J"), UsageError);
  EXPECT_THROW(of("size", "KiB"), UsageError);
  EXPECT_THROW(of("loss", ""), UsageError);
}

}  // namespace
}  // namespace nightshift::tools
