#include "scheduler/batch/batch_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/fakes/fake_shared_pool.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::command_problem;
using search::JobKind;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// One study of a fake batch: what outlives its runs.
struct FakeStudy {
  explicit FakeStudy(search::Problem p)
      : problem(std::make_shared<search::Problem>(std::move(p))),
        space(problem->parameters, problem->constraints) {}
  std::shared_ptr<search::Problem> problem;
  search::ParameterSpace space;
  fakes::MemoryJournal journal;
  fakes::RecordingObserver observer;
  std::function<double(int x, std::size_t device)> cost = [](int, std::size_t) { return 1.0; };
  double seconds = 1;   // of an evaluation
  std::string refuses;  // why it cannot begin
};

class FakeActive final : public ActiveStudy {
 public:
  FakeActive(FakeStudy& study, SharedPool& pool, const Clock& clock)
      : index_(pool.admit({study.problem, "", 0})),
        places_(pool, index_),
        searcher_(study.space.size()),
        tuner_({*study.problem, study.space, searcher_, places_, study.journal, clock,
                study.observer}) {
    if (study.journal.history.trials.empty()) return;
    const History earlier = study.journal.history;
    tuner_.resume(earlier);
  }
  Tuner& tuner() override { return tuner_; }
  StudyIndex place() const override { return index_; }
  bool builds() const override { return false; }

 private:
  StudyIndex index_;
  StudyPlaces places_;
  fakes::ListSearcher searcher_;
  Tuner tuner_;
};

struct FakeBatch final : BatchHost {
  explicit FakeBatch(int devices, int builders = 0) : pool(clock, devices, builders) {}

  FakeStudy& add(search::Problem problem) {
    studies.push_back(std::make_unique<FakeStudy>(std::move(problem)));
    StudyTerms t;
    t.may_use.assign(pool.devices().size(), true);
    terms.push_back(t);
    return *studies.back();
  }
  BatchOutcome run(std::optional<double> seconds = {}) {
    BatchRunner runner({pool, *this, clock}, terms, ended_before);
    std::optional<double> deadline;
    if (seconds) deadline = clock.unix_seconds() + *seconds;
    const BatchOutcome outcome = runner.run(deadline);
    for (DeviceIndex d = 0; d < pool.devices().size(); ++d) {
      busy_seconds.push_back(runner.busy_seconds(d));
    }
    return outcome;
  }

  std::unique_ptr<ActiveStudy> begin(std::size_t study, SharedPool& shared) override {
    FakeStudy& s = *studies[study];
    if (!s.refuses.empty()) throw std::runtime_error(s.refuses);
    pool.answer = [&s](const Job& job) {
      JobEnded done;
      const int x = fakes::x_of(job.evaluation().configuration);
      done.report = fakes::measured(s.cost(x, job.device), base::mix_seed(7, job.trial.value));
      return std::pair(done, s.seconds);
    };
    places[pool.admitted] = study;
    return std::make_unique<FakeActive>(s, shared, clock);
  }
  std::vector<Request> requests() override {
    std::vector<Request> due;
    while (!asked.empty() && asked.front().first <= pool.seconds()) {
      due.push_back(asked.front().second);
      asked.pop_front();
    }
    return due;
  }
  std::vector<bool> joined(DeviceIndex device) override {
    for (StudyTerms& t : terms) t.may_use.push_back(true);
    return users ? users(device) : std::vector<bool>(studies.size(), true);
  }
  void ended(std::size_t study, const BatchStudyEnd& how) override {
    order.push_back(study);
    (void)how;
  }

  std::vector<std::string> kinds(const BatchOutcome& outcome) const {
    static const std::array names{"completed", "interrupted", "paused",
                                  "failed",    "cancelled",   "not begun"};
    std::vector<std::string> out;
    for (const auto& end : outcome.ends) {
      out.emplace_back(end ? names[static_cast<std::size_t>(end->kind)] : "waits");
    }
    return out;
  }

  fakes::FakeClock clock;
  fakes::FakeSharedPool pool;
  std::vector<std::unique_ptr<FakeStudy>> studies;
  std::vector<StudyTerms> terms;
  std::vector<bool> ended_before;
  std::map<int, std::size_t> places;  // study by place in the pool
  std::vector<std::size_t> order;     // in which they ended
  std::vector<double> busy_seconds;   // by device, as the runner counted them
  std::deque<std::pair<double, Request>> asked;
  std::function<std::vector<bool>(DeviceIndex)> users;  // of a device that joins
  void joins(double after, DeviceIndex device) {
    pool.injected.push_back({pool.seconds() + after, {{}, DeviceJoined{device}}});
  }
  std::size_t measured_on(DeviceIndex device, StudyIndex study) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        pool.measured, [&](const auto& m) { return m.study == study && m.job.device == device; }));
  }
};

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

// The claim of a study that owns one device is made on others too, which go back to their owners.
TEST(BatchRunner, ConfirmationsBorrowDevices) {
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
TEST(BatchRunner, WhatGoesOnWithADuelAfterBuildingAheadGetsADevice) {
  search::Problem problem = fakes::claiming(command_problem(1));
  FakeBatch before(1);
  before.add(problem).cost = [](int x, std::size_t) { return x == 0 ? 0.8 : 1.0; };
  before.asked.push_back(
      {before.pool.seconds() + 40, {BatchHost::Request::Kind::kPause, 0, {}, false}});
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

// A start of 1.5 s is more than a twentieth of 20 s, and little of 400.
TEST(BatchRunner, AShortStudyBorrowsNoDevicesThatTakeLongToStart) {
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

TEST(BatchRunner, WhatAConsensusNeedsIsBorrowedAllTheSame) {
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

// Nobody measures on a device while a process starts or ends there.
TEST(BatchRunner, AGuestKeepsItsProcessBetweenItsDuels) {
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

TEST(BatchRunner, ALostDeviceGoesToOthers) {
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

TEST(BatchRunner, ADeviceThatJoinsServesWhoRunsAndWhoWaits) {
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

TEST(BatchRunner, ADeviceThatJoinsIsForThoseWhoMayUseIt) {
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

TEST(BatchRunner, AStudyThatNoDeviceIsForWaitsUntilOneJoins) {
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

TEST(BatchRunner, NobodyGetsOrAwaitsADeviceThatIsAway) {
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
TEST(BatchRunner, ADeviceThatJoinsBringsTime) {
  FakeBatch batch(1);
  for (int i = 0; i < 2; ++i) batch.add(command_problem(100'000));
  for (auto& study : batch.studies) study->problem->budget.trials = 0;
  batch.joins(100, 1);
  EXPECT_THAT(batch.kinds(batch.run(400)), ElementsAre("completed", "completed"));
  EXPECT_GE(batch.pool.measured.size(), 650U);  // of 400 and 300
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
