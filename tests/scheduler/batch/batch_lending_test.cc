// Who has which device, and when it goes back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/fakes/fake_batch.h"

namespace nightshift::scheduler {
namespace {

using fakes::command_problem;
using fakes::FakeBatch;
using fakes::FakeStudy;
using ::testing::Contains;
using ::testing::ElementsAre;

// The claim of a study that owns one device is made on others too, which go back to their owners.
TEST(BatchLending, ConfirmationsBorrowDevices) {
  FakeBatch batch(2);
  batch.add(fakes::claiming(command_problem(40)));
  batch.add(command_problem(200));
  batch.studies[0]->cost = [](int x, std::size_t) { return x == 3 ? 0.5 : 1.0; };
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("completed", "completed"));
  const History& history = batch.studies[0]->journal.history;
  ASSERT_FALSE(history.confirmations.empty());
  for (const ConfirmationSetup& setup : history.confirmations) {
    EXPECT_THAT(setup.devices, ElementsAre("node/fake:0", "node/fake:1"));
  }
  const auto& verdicts = batch.studies[0]->observer.verdicts;
  ASSERT_FALSE(verdicts.empty());
  EXPECT_TRUE(search::is_accepted(verdicts.back().verdict));
  // Study 1 went on between its guest's evaluations and after them.
  std::size_t on_device_1 = 0;
  for (const auto& m : batch.pool.measured) on_device_1 += m.study == 1 && m.job.device == 1;
  EXPECT_GT(on_device_1, 100U);
}

// It was stopped in its duel, so that nothing of it is to be built: it has to get the device that
// it is waiting for, whoever has it when it goes on.
TEST(BatchLending, WhatGoesOnWithADuelAfterBuildingAheadGetsADevice) {
  search::Problem problem = fakes::claiming(command_problem(1));
  FakeBatch before(1);
  before.add(problem).cost = [](int x, std::size_t) { return x == 0 ? 0.8 : 1.0; };
  before.asked.push_back(
      {before.pool.seconds() + 40, {BatchHost::Request::Kind::kPause, 0, {}, {}}});
  EXPECT_THAT(before.kinds(before.run()), ElementsAre("paused"));
  const History& earlier = before.studies[0]->journal.history;
  ASSERT_GT(earlier.confirmations.size(), earlier.verdicts.size()) << "one is open";

  FakeBatch batch(1, 1);
  batch.add(command_problem(30));
  FakeStudy& study = batch.add(problem);
  study.journal.history = earlier;
  study.cost = before.studies[0]->cost;
  batch.terms[1].builds_ahead = true;
  EXPECT_THAT(batch.kinds(batch.run()), ElementsAre("completed", "completed"));
  EXPECT_TRUE(search::is_accepted(study.journal.history.verdicts.back().verdict));
}

// What builds ahead has its baseline built too, and measures as soon as both are there.
TEST(BatchLending, WhatIsBuiltAheadIsMeasuredAtOnce) {
  FakeBatch batch(1, 2);
  search::Problem problem = fakes::host_problem(1);
  std::get<search::HostBackend>(problem.backend).reference.file = "/reference.cc";
  FakeStudy& study = batch.add(problem);
  study.build_seconds = 0.17;  // a third of that at which the plan looks by itself
  batch.terms[0].builds_ahead = true;
  const double began = batch.pool.seconds();
  EXPECT_THAT(batch.kinds(batch.run()), ElementsAre("completed"));
  ASSERT_GE(batch.pool.measured.size(), 2U);
  EXPECT_TRUE(batch.pool.measured[0].job.evaluation().configuration.is_baseline());
  const double built = began + 3 * study.build_seconds;  // one after the other, for the first trial
  EXPECT_NEAR(batch.pool.measured[0].started, built, 1e-6);
  EXPECT_NEAR(batch.pool.measured[1].started, built + study.seconds, 1e-6);
}

// Of a batch those that are next, not all: what is built ahead was chosen before others have ended.
TEST(BatchLending, ABatchBuildsAheadForWhoeverIsNext) {
  FakeBatch batch(1, 8);
  for (int i = 0; i < 4; ++i) {
    batch.add(fakes::host_problem(5));
    batch.terms.back().builds_ahead = true;
  }
  int ahead = 0, most = 0;
  batch.on_begun = [&](const std::vector<DeviceIndex>& devices) {
    EXPECT_THAT(devices, ::testing::IsEmpty());
    most = std::max(most, ++ahead - static_cast<int>(batch.order.size()));
  };
  EXPECT_THAT(batch.kinds(batch.run()), ::testing::Each("completed"));
  EXPECT_EQ(ahead, 4);
  EXPECT_EQ(most, 2) << "the one that measures, and the next one";
}

// Reading a problem and laying out a folder take this process longer than all else it does at once.
TEST(BatchLending, AFreeDeviceHasSomethingToDoBeforeTheNextStudyBegins) {
  FakeBatch batch(1, 8);
  for (int i = 0; i < 6; ++i) {
    batch.add(fakes::host_problem(5));
    batch.terms.back().builds_ahead = true;
  }
  batch.on_begun = [&](const auto&) { batch.clock.advance(0.3); };
  EXPECT_THAT(batch.kinds(batch.run()), ::testing::Each("completed"));
  const auto& measured = batch.pool.measured;
  ASSERT_GE(measured.size(), 30U);
  for (std::size_t i = 1; i < measured.size(); ++i) {
    EXPECT_NEAR(measured[i].started, measured[i - 1].ended, 1e-6)
        << "evaluation " << i << ", of study " << measured[i].study;
  }
}

// The last pairs of its claim take three times as long elsewhere: its own device has others meanwhile.
TEST(BatchLending, ADeviceWhosePairsAreMeasuredElsewhereGoesToTheNextStudy) {
  FakeBatch batch(2);
  search::Problem problem = fakes::claiming(command_problem(10));
  problem.acceptance.devices_least = 2;
  FakeStudy& claims = batch.add(problem);
  claims.cost = [](int x, std::size_t) { return x == 3 ? 0.5 : 1.0; };
  claims.slowness = 3;
  batch.add(command_problem(200));
  batch.add(command_problem(20));
  EXPECT_THAT(batch.kinds(batch.run()), ::testing::Each("completed"));
  double last = 0, first = 1e18;
  for (const auto& m : batch.pool.measured) {
    if (m.study == 0) last = std::max(last, m.ended);
    if (m.study == 2) first = std::min(first, m.started);
  }
  EXPECT_LT(first, last);
}

// As on nodes, which build where they measure: without a device it would wait for ever.
TEST(BatchLending, WhereNothingIsBuiltWithoutADeviceAStudyBeginsWithOne) {
  FakeBatch batch(1, 1);
  batch.pool.builds_alone = false;
  batch.add(command_problem(3));
  batch.terms[0].builds_ahead = true;
  std::vector<DeviceIndex> begun_with;
  batch.on_begun = [&](const std::vector<DeviceIndex>& devices) { begun_with = devices; };
  EXPECT_THAT(batch.kinds(batch.run()), ElementsAre("completed"));
  EXPECT_THAT(begun_with, ElementsAre(0U));
}

// A start of 1.5 s is more than a twentieth of 20 s, and little of 400.
TEST(BatchLending, AShortStudyBorrowsNoDevicesThatTakeLongToStart) {
  for (const auto& [seconds, expected] : {std::pair(20.0, 1U), std::pair(400.0, 2U)}) {
    FakeBatch batch(2);
    search::Problem problem = fakes::claiming(command_problem(40));
    problem.budget = {};
    problem.budget.seconds = seconds;
    FakeStudy& study = batch.add(problem);
    batch.add(command_problem(30));
    study.cost = [](int x, std::size_t) { return x == 1 ? 0.1 : 1.0; };
    study.seconds = 1.5;
    batch.run();
    ASSERT_FALSE(study.journal.history.confirmations.empty());
    for (const ConfirmationSetup& setup : study.journal.history.confirmations) {
      EXPECT_EQ(setup.devices.size(), expected) << seconds;
    }
  }
}

TEST(BatchLending, WhatAConsensusNeedsIsBorrowedAllTheSame) {
  FakeBatch batch(2);
  search::Problem problem = fakes::claiming(command_problem(40));
  problem.budget = {};
  problem.budget.seconds = 20;
  problem.acceptance.devices_least = 2;
  FakeStudy& study = batch.add(problem);
  batch.add(command_problem(30));
  study.cost = [](int x, std::size_t) { return x == 1 ? 0.1 : 1.0; };
  study.seconds = 1.5;
  batch.run();
  ASSERT_FALSE(study.journal.history.confirmations.empty());
  for (const ConfirmationSetup& setup : study.journal.history.confirmations) {
    EXPECT_EQ(setup.devices.size(), 2U);
  }
}

// As studies of kernels of a GPU are: the hold-out of one needs the device that another one has.
TEST(BatchLending, NoClaimIsLostByTheWaitForADeviceThatAnotherStudyHas) {
  constexpr double kBudget = 20;
  FakeBatch batch(2);
  batch.pool.boot_seconds = 0.25;
  base::Rng noise(5);
  for (std::uint64_t s = 0; s < 12; ++s) {
    search::Problem problem = fakes::claiming(command_problem(1000));
    problem.budget = {};
    problem.budget.seconds = kBudget;
    FakeStudy& study = batch.add(problem);
    study.seconds = 0.03;
    study.cost = [&noise, s](int x, std::size_t) {
      const auto rank =
          static_cast<double>(base::mix_seed(s, static_cast<std::uint64_t>(x)) % 1000);
      return (x < 0 ? 1 : 0.67 + 1.65e-3 * rank) * std::exp(0.01 * noise.normal());
    };
    batch.terms.back().budget_seconds = kBudget;
  }
  (void)batch.run();
  for (const auto& study : batch.studies) {
    const auto& verdicts = study->observer.verdicts;
    ASSERT_FALSE(verdicts.empty());
    EXPECT_EQ(study->observer.setups.back().purpose, Purpose::kHoldOut);
    EXPECT_TRUE(search::is_accepted(verdicts.back().verdict))
        << search::reason_of(verdicts.back().verdict.acceptance);
    EXPECT_LE(study->observer.last.elapsed, 1.5 * kBudget) << "one that shares its device ends too";
  }
}

// Nobody measures on a device while a process starts or ends there.
TEST(BatchLending, AGuestKeepsItsProcessBetweenItsDuels) {
  FakeBatch batch(2);
  FakeStudy& winner = batch.add(fakes::claiming(command_problem(40)));
  winner.cost = [](int x, std::size_t) { return std::pow(0.8, x % 10); };
  FakeStudy& other = batch.add(command_problem(900));
  winner.seconds = other.seconds = 0.02;
  batch.run();
  EXPECT_GE(winner.journal.history.confirmations.size(), 3U);
  // One each on its own device, one of the guest, and one where the other succeeds it at its end.
  EXPECT_EQ(batch.pool.opened, 4);
}

TEST(BatchLending, ALostDeviceGoesToOthers) {
  FakeBatch batch(2);
  batch.add(command_problem(30));
  batch.add(command_problem(30));
  // The first study's baseline fails there; the second one's does not.
  batch.studies[0]->cost = [](int, std::size_t device) { return device == 0 ? std::nan("") : 1.0; };
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome), Contains("completed"));
  std::size_t second_on_0 = 0;
  for (const auto& m : batch.pool.measured) second_on_0 += m.study == 1 && m.job.device == 0;
  EXPECT_GT(second_on_0, 1U);
}

TEST(BatchLending, ADeviceThatJoinsServesWhoRunsAndWhoWaits) {
  FakeBatch batch(1);
  for (int i = 0; i < 3; ++i) batch.add(fakes::claiming(command_problem(60)));
  batch.studies[0]->cost = [](int x, std::size_t) { return x == 3 ? 0.5 : 1.0; };
  batch.joins(5, 1);
  batch.joins(12, 2);
  batch.joins(20, 3);
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("completed", "completed", "completed"));
  ASSERT_EQ(batch.busy_seconds.size(), 4U);
  std::set<std::pair<StudyIndex, DeviceIndex>> seen;
  for (const auto& m : batch.pool.measured) {
    if (!seen.insert({m.study, m.job.device}).second) continue;
    EXPECT_TRUE(m.job.evaluation().configuration.is_baseline())
        << "study " << m.study << " on device " << m.job.device;
  }
  for (DeviceIndex d = 1; d < 4; ++d) {
    EXPECT_GT(batch.measured_on(d, 0) + batch.measured_on(d, 1) + batch.measured_on(d, 2), 20U)
        << d;
  }
  // While nobody waits for it, it goes to who has begun.
  EXPECT_GT(batch.measured_on(3, 0), 1U);
}

TEST(BatchLending, ADeviceThatJoinsIsForThoseWhoMayUseIt) {
  FakeBatch batch(1);
  batch.add(fakes::claiming(command_problem(60)));
  batch.add(command_problem(60));
  batch.studies[0]->cost = [](int x, std::size_t) { return x == 3 ? 0.5 : 1.0; };
  batch.users = [](DeviceIndex) { return std::vector<bool>{false, true}; };
  batch.joins(5, 1);
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("completed", "completed"));
  EXPECT_EQ(batch.measured_on(1, 0), 0U);  // as a guest neither
  EXPECT_GT(batch.measured_on(1, 1), 40U);
}

TEST(BatchLending, AStudyThatNoDeviceIsForWaitsUntilOneJoins) {
  FakeBatch batch(1);
  batch.add(command_problem(5));
  batch.add(command_problem(5));
  batch.terms[1].may_use = {false};
  batch.pool.grows = true;
  batch.joins(30, 1);
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("completed", "completed"));
  EXPECT_EQ(batch.measured_on(1, 1), 6U);
  EXPECT_EQ(batch.order, (std::vector<std::size_t>{0, 1}));
}

TEST(BatchLending, NobodyGetsOrAwaitsADeviceThatIsAway) {
  FakeBatch batch(2);
  for (int i = 0; i < 3; ++i) {
    batch.add(fakes::claiming(command_problem(40))).cost = [](int x, std::size_t) {
      return x == 3 ? 0.5 : 1.0;
    };
  }
  const double began = batch.pool.seconds();
  batch.pool.unreachable = {1, began + 10.5, began + 2000};
  batch.pool.injected = {{began + 10.5, {{}, DeviceAway{1, "it is away"}}},
                         {began + 2000, {{}, DeviceBack{1}}}};
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("completed", "completed", "completed"));
  // One study has that device alone, and waits for it. The others end without.
  EXPECT_THAT(batch.order, ElementsAre(0U, 2U, 1U));
  for (const std::size_t study : {0U, 2U}) {
    const auto& setups = batch.studies[study]->observer.setups;
    ASSERT_FALSE(setups.empty());
    EXPECT_THAT(setups.back().devices, ElementsAre("node/fake:0"));
    EXPECT_TRUE(search::is_accepted(batch.studies[study]->observer.verdicts.back().verdict));
  }
  for (const auto& m : batch.pool.measured) {
    EXPECT_FALSE(m.job.device == 1 && m.started > began + 11 && m.started < began + 2000);
  }
}

// The time that is left is divided over one device more.
TEST(BatchLending, ADeviceThatJoinsBringsTime) {
  FakeBatch batch(1);
  for (int i = 0; i < 2; ++i) batch.add(command_problem(100'000));
  for (auto& study : batch.studies) study->problem->budget.trials = 0;
  batch.joins(100, 1);
  EXPECT_THAT(batch.kinds(batch.run(400)), ElementsAre("completed", "completed"));
  EXPECT_GE(batch.pool.measured.size(), 650U);  // of 400 and 300
}

}  // namespace
}  // namespace nightshift::scheduler
