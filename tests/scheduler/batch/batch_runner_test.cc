#include "scheduler/batch/batch_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/fakes/fake_batch.h"

namespace nightshift::scheduler {
namespace {

using fakes::command_problem;
using fakes::FakeBatch;
using fakes::FakeStudy;
using search::JobKind;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(BatchRunner, RunsEveryStudyToItsEnd) {
  FakeBatch batch(2);
  for (int i = 0; i < 5; ++i) batch.add(command_problem(4 + i));
  const BatchOutcome outcome = batch.run();
  EXPECT_FALSE(outcome.interrupted);
  EXPECT_THAT(batch.kinds(outcome),
              ElementsAre("completed", "completed", "completed", "completed", "completed"));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(batch.studies[i]->journal.history.status, "completed");
    std::size_t explored = 0;
    for (const TrialRecord& t : batch.studies[i]->journal.history.trials) {
      explored += t.proposed.job == JobKind::kExplore && t.finished ? 1 : 0;
    }
    EXPECT_EQ(explored, 4 + i);
  }
  EXPECT_EQ(batch.pool.admitted, 5);
  EXPECT_EQ(batch.pool.dismissed, 5);
}

TEST(BatchRunner, NothingRunsOnADeviceBeforeTheStudysBaselineThere) {
  FakeBatch batch(3);
  for (int i = 0; i < 6; ++i) batch.add(fakes::claiming(command_problem(30)));
  batch.studies[0]->cost = [](int x, std::size_t) { return x == 3 ? 0.5 : 1.0; };
  batch.run();
  std::set<std::pair<StudyIndex, DeviceIndex>> seen;
  for (const auto& m : batch.pool.measured) {
    if (!seen.insert({m.study, m.job.device}).second) continue;
    EXPECT_TRUE(m.job.evaluation().configuration.is_baseline())
        << "study " << m.study << " on device " << m.job.device;
  }
}

TEST(BatchRunner, DevicesAreBusyWhileThereIsWork) {
  FakeBatch batch(4);
  for (int i = 0; i < 20; ++i) batch.add(command_problem(100));
  const double began = batch.pool.seconds();
  batch.run();
  double busy = 0;
  for (const double seconds : batch.pool.busy_seconds) busy += seconds;
  EXPECT_GE(busy, 0.97 * 4 * (batch.pool.seconds() - began));
  double counted = 0;
  for (const double seconds : batch.busy_seconds) counted += seconds;
  EXPECT_NEAR(counted, busy, 1e-6);
}

// Both want both devices for their pairs: the older one goes first, and both end.
TEST(BatchRunner, TwoDuelsOnTheSameDevicesEnd) {
  FakeBatch batch(2);
  for (int i = 0; i < 2; ++i) {
    batch.add(fakes::claiming(command_problem(60))).cost = [](int x, std::size_t) {
      return x % 7 == 3 ? 0.5 : 1.0;
    };
  }
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("completed", "completed"));
  for (const auto& study : batch.studies) {
    EXPECT_TRUE(search::is_accepted(study->observer.verdicts.back().verdict));
  }
}

TEST(BatchRunner, AStudyThatFailsLeavesTheOthersTheirWay) {
  FakeBatch batch(1);
  batch.add(command_problem(4)).refuses = "p.toml:3: no such thing";
  batch.add(command_problem(4));
  batch.add(command_problem(4));
  batch.studies[1]->cost = [](int, std::size_t) { return std::nan(""); };
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("failed", "failed", "completed"));
  EXPECT_EQ(outcome.ends[0]->reason, "p.toml:3: no such thing");
}

TEST(BatchRunner, StudiesComeAfterOthers) {
  FakeBatch batch(2);
  for (int i = 0; i < 3; ++i) batch.add(command_problem(5));
  batch.terms[0].after = {2};
  batch.run();
  EXPECT_THAT(batch.order.back(), 0U);
}

// A chain: what comes after what was skipped is skipped as well, and the batch ends.
TEST(BatchRunner, WhatComesAfterAFailureIsSkipped) {
  FakeBatch batch(1);
  for (int i = 0; i < 4; ++i) batch.add(command_problem(4));
  batch.studies[2]->refuses = "p.toml:3: no such thing";
  batch.terms[0].after = {1};
  batch.terms[1].after = {2};
  batch.terms[1].name = "middle";
  batch.terms[2].name = "broken";
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("failed", "failed", "failed", "completed"));
  EXPECT_EQ(outcome.ends[1]->reason, "skipped: it comes after 'broken', which failed");
  EXPECT_EQ(outcome.ends[0]->reason, "skipped: it comes after 'middle', which failed");
}

TEST(BatchRunner, WhatComesAfterWhatCannotBeginIsSkipped) {
  FakeBatch batch(1);
  for (int i = 0; i < 3; ++i) batch.add(command_problem(4));
  batch.terms[0].name = "none";
  batch.terms[0].may_use = {false};
  batch.terms[1].after = {0};
  batch.standings.resize(3);
  batch.standings[2].state = StudyStanding::State::kEnded;
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("not begun", "not begun", "waits"));
  EXPECT_EQ(outcome.ends[1]->reason, "skipped: it comes after 'none', which did not begin");
}

// It would wait for ever for what nobody may take up.
TEST(BatchRunner, ABatchEndsWhereAllThatWaitsComesAfterAPausedStudy) {
  FakeBatch batch(1);
  for (int i = 0; i < 4; ++i) batch.add(command_problem(4));
  batch.terms[1].after = {0};
  batch.terms[2].after = {1};
  batch.standings.resize(4);
  batch.standings[0].state = StudyStanding::State::kPaused;
  EXPECT_THAT(batch.kinds(batch.run()), ElementsAre("waits", "waits", "waits", "completed"));
}

TEST(BatchRunner, ADeadlineIsKeptAndItsTimeIsDivided) {
  FakeBatch batch(2);
  for (int i = 0; i < 4; ++i) batch.add(command_problem(100'000));
  for (auto& study : batch.studies) study->problem->budget.trials = 0;
  const double began = batch.pool.seconds();
  const BatchOutcome outcome = batch.run(400);
  EXPECT_THAT(batch.kinds(outcome),
              ElementsAre("completed", "completed", "completed", "completed"));
  EXPECT_LE(batch.pool.seconds() - began, 400);
  std::map<StudyIndex, std::size_t> count;
  for (const auto& m : batch.pool.measured) ++count[m.study];
  for (const auto& [study, measured] : count) {
    EXPECT_GE(measured, 180U) << study;
    EXPECT_LE(measured, 200U) << study;
  }
}

// The clock is set forward by half of the time that is left.
TEST(BatchRunner, AClockThatIsSetMovesAnEndByTheTimeOfTheDayAlone) {
  for (const auto& [is_of_day, expected] : {std::pair(true, 100.0), std::pair(false, 200.0)}) {
    FakeBatch batch(1);
    batch.is_of_day = is_of_day;
    batch.add(command_problem(100'000)).problem->budget.trials = 0;
    batch.on_begun = [&](const std::vector<DeviceIndex>&) { batch.clock.set(100); };
    const double began = batch.pool.seconds();
    EXPECT_THAT(batch.kinds(batch.run(200)), ElementsAre("completed"));
    EXPECT_LE(batch.pool.seconds() - began, expected);
    EXPECT_GE(batch.pool.seconds() - began, expected / 2);
  }
}

TEST(BatchRunner, ASignalStopsAllAndWhatWasCutOffGoesOn) {
  FakeBatch batch(2);
  for (int i = 0; i < 3; ++i) batch.add(command_problem(20));
  batch.pool.injected.push_back({batch.pool.seconds() + 10, {{}, Interrupted{}}});
  const BatchOutcome cut = batch.run();
  EXPECT_TRUE(cut.interrupted);
  EXPECT_THAT(batch.kinds(cut), ElementsAre("interrupted", "interrupted", "waits"));
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("completed", "completed", "completed"));
  for (const auto& study : batch.studies) {
    std::set<int> seen;
    for (const TrialRecord& t : study->journal.history.trials) {
      if (t.proposed.job != JobKind::kExplore) continue;
      EXPECT_TRUE(t.finished);
      EXPECT_TRUE(seen.insert(fakes::x_of(t.proposed.configuration)).second);
    }
    EXPECT_THAT(seen, SizeIs(20));
  }
}

TEST(BatchRunner, StudiesAreAddedCancelledPausedAndGoOn) {
  FakeBatch batch(1);
  batch.add(command_problem(10));
  batch.add(command_problem(10));
  batch.add(command_problem(10));
  const double began = batch.pool.seconds();
  using Kind = BatchHost::Request::Kind;
  StudyTerms terms = batch.terms.front();
  batch.studies.push_back(std::make_unique<FakeStudy>(command_problem(10)));
  batch.asked = {{began + 3, {Kind::kPause, 0, {}}},
                 {began + 4, {Kind::kCancel, 1, {}}},
                 {began + 4, {Kind::kAdd, 3, terms}},
                 {began + 20, {Kind::kGoOn, 0, terms}}};
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome),
              ElementsAre("completed", "cancelled", "completed", "completed"));
}

TEST(BatchRunner, AStudyWhoseBaselineFailedOnItsDeviceWaitsForAnother) {
  for (const std::size_t bad : {0U, 1U}) {
    FakeBatch batch(2);
    batch.add(command_problem(30));
    batch.add(command_problem(30));
    batch.studies[bad]->cost = [bad](int, std::size_t device) {
      return device == bad ? std::nan("") : 1.0;
    };
    const BatchOutcome outcome = batch.run();
    EXPECT_THAT(batch.kinds(outcome), ElementsAre("completed", "completed"));
    for (const auto& study : batch.studies) {
      EXPECT_EQ(std::ranges::count_if(
                    study->journal.history.trials,
                    [](const TrialRecord& t) { return t.proposed.job == JobKind::kExplore; }),
                30)
          << bad;
    }
    EXPECT_THAT(batch.studies[bad]->observer.remarks,
                Contains(HasSubstr("the baseline failed on")));
  }
}

TEST(BatchRunner, AStudyWhoseBaselineFailsOnEveryDeviceFailsByName) {
  FakeBatch batch(2);
  batch.add(command_problem(30));
  batch.add(command_problem(30));
  batch.studies[1]->cost = [](int, std::size_t) { return std::nan(""); };
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("completed", "failed"));
  EXPECT_THAT(outcome.ends[1]->reason,
              AllOf(HasSubstr("no device is left"), HasSubstr(batch.pool.devices()[0].key()),
                    HasSubstr(batch.pool.devices()[1].key())));
}

TEST(BatchRunner, AStudyThatNeverGotABaselineFailsWhereItsTimeIsUp) {
  FakeBatch batch(2);
  batch.add(command_problem(1000));
  batch.add(command_problem(30));
  batch.terms[0].devices_most = 1;
  batch.studies[1]->cost = [](int, std::size_t device) { return device == 1 ? std::nan("") : 1.0; };
  const BatchOutcome outcome = batch.run(40);
  ASSERT_TRUE(outcome.ends[1]);
  EXPECT_EQ(outcome.ends[1]->kind, BatchStudyEnd::Kind::kFailed);
  EXPECT_THAT(outcome.ends[1]->reason, HasSubstr("the baseline failed on"));
}

// What an earlier run used is known only once a study has begun again.
TEST(BatchRunner, TimeOfEarlierRunsIsNotTakenFromWhatIsLeft) {
  FakeBatch batch(2);
  for (int i = 0; i < 2; ++i) batch.add(command_problem(100'000));
  for (auto& study : batch.studies) study->problem->budget.trials = 0;
  batch.pool.injected.push_back({batch.pool.seconds() + 100, {{}, Interrupted{}}});
  batch.run();
  const std::size_t before = batch.pool.measured.size();
  const BatchOutcome outcome = batch.run(100);
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("completed", "completed"));
  EXPECT_GE(batch.pool.measured.size() - before, 180U);
}

// A configuration in seven is twice as good; evaluations take a second.
void add_with_gains(FakeBatch& batch, std::size_t studies) {
  for (std::size_t i = 0; i < studies; ++i) {
    FakeStudy& study = batch.add(fakes::claiming(command_problem(100'000)));
    study.problem->budget.trials = 0;
    study.cost = [](int x, std::size_t) { return x % 7 == 3 ? 0.5 : 1.0; };
  }
}

// The study's last verdict is that of a hold-out that accepts.
bool claims(const FakeStudy& study) {
  const History& history = study.journal.history;
  return !history.verdicts.empty() && search::is_accepted(history.verdicts.back().verdict) &&
         history.confirmations.back().purpose == Purpose::kHoldOut;
}

// Shares of five seconds would have no room for a hold-out; one of forty has. What is left is begun
// by the next run, and what made room goes on.
TEST(BatchRunner, ANightThatIsTooShortServesTheHeaviestWhole) {
  FakeBatch batch(1);
  add_with_gains(batch, 40);
  const std::set<std::size_t> heavy = {10, 20, 30, 35};
  for (const std::size_t s : heavy) batch.terms[s].weight = 10;
  const std::vector<std::string> ends = batch.kinds(batch.run(220));
  EXPECT_EQ(ends[0], "interrupted") << "it began before anybody knew, and made room";
  for (std::size_t s = 1; s < 40; ++s) {
    EXPECT_EQ(ends[s], heavy.contains(s) ? "completed" : "not begun") << s;
    EXPECT_EQ(claims(*batch.studies[s]), heavy.contains(s)) << s;
  }
  EXPECT_LE(batch.told_left.front().second, 40 * 60);
  EXPECT_GE(batch.told_left.front().second, 40 * 30);
  EXPECT_THAT(batch.told_left.back().first, SizeIs(36));
  EXPECT_THAT(batch.told_left.back().first, Contains(0U));

  for (auto& study : batch.studies) study->problem->budget.trials = 10;
  batch.standings.assign(40, {});
  for (std::size_t s = 0; s < 40; ++s) {
    if (ends[s] == "completed") batch.standings[s].state = StudyStanding::State::kEnded;
  }
  const std::size_t measured = batch.studies[0]->journal.history.trials.size();
  const BatchOutcome again = batch.run();
  for (std::size_t s = 0; s < 40; ++s) {
    EXPECT_EQ(batch.kinds(again)[s], ends[s] == "completed" ? "waits" : "completed");
  }
  EXPECT_GT(batch.studies[0]->journal.history.trials.size(), measured);
}

TEST(BatchRunner, WithoutWeightsAsManyAsFitAreServedWholeInTheOrderOfTheList) {
  FakeBatch batch(1);
  add_with_gains(batch, 12);
  const std::vector<std::string> ends = batch.kinds(batch.run(200));
  EXPECT_THAT(std::vector(ends.begin(), ends.begin() + 3),
              ElementsAre("completed", "completed", "completed"));
  for (std::size_t s = 0; s < 3; ++s) EXPECT_TRUE(claims(*batch.studies[s])) << s;
  EXPECT_EQ(ends[11], "not begun");
}

TEST(BatchRunner, UnderADeadlineAStudyThatGainsNothingLeavesItsTimeToOthers) {
  FakeBatch batch(1);
  for (int i = 0; i < 2; ++i) batch.add(command_problem(100'000));
  for (auto& study : batch.studies) study->problem->budget.trials = 0;
  batch.terms[1].patience = 0;
  const double began = batch.pool.seconds();
  const BatchOutcome outcome = batch.run(2000);
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("completed", "completed"));
  EXPECT_THAT(outcome.ends[0]->reason, HasSubstr("stopped gaining"));
  std::map<StudyIndex, std::size_t> count;
  for (const auto& m : batch.pool.measured) ++count[m.study];
  EXPECT_LE(count[0], 300U);
  EXPECT_GE(count[1], 1600U);
  EXPECT_LE(batch.pool.seconds() - began, 2000);
}

}  // namespace
}  // namespace nightshift::scheduler
