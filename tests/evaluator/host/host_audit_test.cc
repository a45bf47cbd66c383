#include "evaluator/host/host_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "evaluator/host/host_backend.h"
#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

using search::Measured;
using search::Phase;

class HostAuditTest : public ::testing::Test {
 protected:
  search::TrialOutcome outcome_where_nobody_is_trusted(const std::string& body) {
    auto problem = doubling_problem(folder_, doubling(body));
    HostTrialBackend backend(setting_for(problem, folder_));
    ipc::EvaluateRequest request;
    const auto artifact = [&](ipc::BuildTarget target) {
      return std::get<ipc::Artifact>(backend.build({target, {}}, building_).result).hash;
    };
    request.artifact = artifact(ipc::BuildTarget::kCandidate);
    request.reference = artifact(ipc::BuildTarget::kReference);
    request.seed = 7;
    request.sampling = problem.sampling;
    request.sampling.trust = search::Trust::kNone;
    return backend.evaluate(request, progress_).outcome;
  }
  long samplings() const {
    return std::count(progress_.phases.begin(), progress_.phases.end(), Phase::kMeasure);
  }

  TemporaryFolder folder_;
  FakeProgress building_, progress_;
};

TEST_F(HostAuditTest, WhatIsHonestIsSampledOnce) {
  const auto outcome =
      outcome_where_nobody_is_trusted("for (long i = 0; i < n; ++i) y[i] = 2 * x[i];");
  ASSERT_TRUE(std::holds_alternative<Measured>(outcome)) << search::describe(outcome);
  EXPECT_EQ(samplings(), 1);
}

// As a machine does whose core gets a neighbour between the samples and the audit: the kernel finds
// its outputs poisoned after many calls, and takes longer from then on.
TEST_F(HostAuditTest, WhatHasBecomeSlowerSinceItsSamplesHasTheTimeOfNewOnes) {
  const auto outcome = outcome_where_nobody_is_trusted(
      "static int calls = 0, rounds = 0;\n"
      "if (++calls > 3 && y[0] != 2 * x[0]) rounds = 100000;\n"
      "for (volatile int i = 0; i < rounds; ++i) {}\n"
      "for (long i = 0; i < n; ++i) y[i] = 2 * x[i];");
  ASSERT_TRUE(std::holds_alternative<Measured>(outcome)) << search::describe(outcome);
  EXPECT_EQ(samplings(), 2);
  const auto& values = std::get<Measured>(outcome).measurement.figures.front().values;
  EXPECT_THAT(values, ::testing::Each(::testing::Gt(1e-2)));  // ms; 100,000 rounds at 10 GHz
}

TEST_F(HostAuditTest, WhatFindsItsAnswerIsRefusedWithoutNewSamples) {
  const auto outcome = outcome_where_nobody_is_trusted(
      "const bool poisoned = y[0] != 2 * x[0];\n"
      "for (volatile int i = 0; i < (poisoned ? 100000 : 0); ++i) {}\n"
      "for (long i = 0; i < n; ++i) y[i] = 2 * x[i];");
  const auto* failed = std::get_if<search::LaunchFailed>(&outcome);
  ASSERT_NE(failed, nullptr) << search::describe(outcome);
  EXPECT_THAT(failed->message, ::testing::HasSubstr("its outputs do not hold the answer yet"));
  EXPECT_EQ(samplings(), 1);  // one kernel takes longer than itself in the same pairs
}

}  // namespace
}  // namespace nightshift::evaluator
