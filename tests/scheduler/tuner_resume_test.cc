#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "scheduler/errors.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::StudyDriver;

double bumpy(int x, std::size_t) {
  if (x < 0) return 1.0;
  return 0.6 + 0.02 * static_cast<double>((x * 7 + 15) % 30);
}

search::Problem problem() {
  search::Problem p = fakes::recorded_problem(30);
  p.budget.trials = 25;
  return p;
}

// What a study found out, without what depends on when it ran.
std::string story(const History& history) {
  std::string text;
  for (const TrialRecord& t : history.trials) {
    text += std::to_string(t.proposed.id.value) + " " +
            std::string(search::name_of(t.proposed.job)) + " " +
            t.proposed.configuration.to_json() + " ";
    text += t.finished->value ? std::to_string(*t.finished->value) : "-";
    text += t.finished->normalised ? " " + std::to_string(t.finished->normalised->value) : " -";
    text += " " + std::string(search::status_name(t.finished->report.outcome)) + "\n";
  }
  for (const ConfirmationVerdict& v : history.verdicts) {
    text +=
        std::to_string(v.candidate.value) + " " + search::reason_of(v.verdict.acceptance) + "\n";
  }
  return text;
}

void script(StudyDriver& study) {
  study.cost = bumpy;
  study.failures[{5, 1}] = search::LaunchFailed{"refused"};
}

TEST(TunerResume, KilledAfterAnyEventAStudyEndsAsItWouldHave) {
  StudyDriver undisturbed(problem());
  script(undisturbed);
  undisturbed.run();
  const std::string expected = story(undisturbed.journal.history);
  ASSERT_GE(undisturbed.journal.history.verdicts.size(), 2U);

  for (std::size_t cut = 0; cut <= undisturbed.journal.history.events.size(); ++cut) {
    StudyDriver resumed(problem());
    script(resumed);
    const History earlier = undisturbed.journal.cut(cut);
    const auto finished_before = static_cast<std::size_t>(std::ranges::count_if(
        earlier.trials, [](const TrialRecord& t) { return t.finished.has_value(); }));
    resumed.resume(earlier);
    EXPECT_EQ(story(resumed.journal.history), expected) << "cut after event " << cut;
    EXPECT_EQ(resumed.pool.measured.size() + finished_before, resumed.journal.history.trials.size())
        << "something was measured twice, cut after event " << cut;
    EXPECT_EQ(resumed.searcher.told.size(), undisturbed.searcher.told.size());
  }
}

TEST(TunerResume, AFinishedStudyMeasuresNothingMore) {
  StudyDriver first(problem());
  script(first);
  first.run();
  StudyDriver again(problem());
  again.resume(first.journal.history);
  EXPECT_TRUE(again.pool.measured.empty());
}

TEST(TunerResume, TimeOfEarlierRunsCountsTowardsTheBudgetOnce) {
  search::Problem timed = fakes::command_problem(10000);
  timed.budget = {};
  timed.budget.seconds = 10;
  StudyDriver study(timed);
  History earlier;
  earlier.run_seconds = 9;
  study.resume(earlier);
  EXPECT_NEAR(study.journal.history.run_seconds, 1, 0.1) << "the journal is told this run's time";
  EXPECT_NEAR(study.observer.last.elapsed, 10, 0.2);
}

TEST(TunerResume, AnotherSearcherGoesOnFromWhatWasMeasured) {
  StudyDriver first(problem());
  script(first);
  first.run();
  StudyDriver other(problem());
  script(other);
  other.problem.budget.trials = 30;
  class Backwards final : public search::Searcher {
   public:
    std::vector<search::ConfigurationIndex> ask(std::size_t) override {
      if (next_ == 0) return {};
      return {{--next_}};
    }
    void tell(search::ConfigurationIndex, const search::Observation&) override {}

   private:
    std::uint64_t next_ = 30;
  } searcher;
  other.journal.history = first.journal.history;
  Tuner tuner({other.problem, other.space, searcher, other.pool, other.journal, other.clock,
               other.observer});
  tuner.resume(first.journal.history);
  tuner.run(other.pool);
  std::set<int> seen;
  for (const TrialRecord& t : other.journal.history.trials) {
    if (t.proposed.job != search::JobKind::kExplore) continue;
    EXPECT_TRUE(seen.insert(fakes::x_of(t.proposed.configuration)).second) << "explored twice";
  }
  EXPECT_EQ(seen.size(), 30U);
  EXPECT_EQ(other.observer.remarks.size(), 1U);
}

TEST(TunerResume, ATrialOutsideTheSpaceIsRefused) {
  StudyDriver first(problem());
  script(first);
  first.run();
  search::Problem smaller = problem();
  smaller.parameters.front().values.resize(3);
  StudyDriver other(smaller);
  Tuner tuner({other.problem, other.space, other.searcher, other.pool, other.journal, other.clock,
               other.observer});
  EXPECT_THROW(tuner.resume(first.journal.history), StudyError);
}

TEST(TunerResume, AJournalThatNumbersTheSpaceDifferentlyGoesOn) {
  StudyDriver first(problem());
  script(first);
  first.run();
  for (TrialRecord& t : first.journal.history.trials) {
    if (t.proposed.index)
      t.proposed.index->value = first.space.size() - 1 - t.proposed.index->value;
  }
  StudyDriver other(problem());
  script(other);
  other.problem.budget.trials = 30;
  other.resume(first.journal.history);
  std::set<int> seen;
  for (const TrialRecord& t : other.journal.history.trials) {
    if (t.proposed.job != search::JobKind::kExplore) continue;
    EXPECT_TRUE(seen.insert(fakes::x_of(t.proposed.configuration)).second) << "explored twice";
  }
  EXPECT_EQ(seen.size(), 30U);
}

TEST(TunerResume, ADuelOfADeviceThatIsGoneIsUndecidedAndThenRepeatedWithTheOthers) {
  const search::Problem two = fakes::command_problem(4);
  StudyDriver first(two, 2);
  first.cost = [](int x, std::size_t) { return x == 0 ? 0.5 : 1.0; };
  int confirms = 0;
  first.pool.on_measure = [&](const Job& order) {
    if (first.journal.history.trials[order.trial.value - 1].proposed.job ==
            search::JobKind::kConfirm &&
        ++confirms == 4) {
      first.pool.injected = {Interrupted{2}};
    }
    return first.answer(order);
  };
  first.run();
  StudyDriver one(two, 1);
  one.cost = first.cost;
  one.resume(first.journal.history);
  ASSERT_EQ(one.observer.verdicts.size(), 2U);
  const search::Acceptance& lost = one.observer.verdicts[0].verdict.acceptance;
  EXPECT_TRUE(std::holds_alternative<search::Undecided>(lost));
  EXPECT_EQ(search::reason_of(lost), "node/fake:1 was lost");
  EXPECT_EQ(one.observer.setups[1].devices, std::vector<std::string>{"node/fake:0"});
  EXPECT_EQ(one.observer.verdicts[1].candidate, one.observer.verdicts[0].candidate);
  EXPECT_TRUE(search::is_accepted(one.observer.verdicts[1].verdict));
}

// Evaluations of duels that were not the last one to be opened by then.
int evaluations_of_earlier_duels(const History& history) {
  int count = 0;
  std::uint64_t opened = 0;
  for (const HistoryEvent& event : history.events) {
    if (const auto* o = std::get_if<OpenedEvent>(&event)) {
      opened = history.confirmations[o->confirmation].id.value;
    } else if (const auto* p = std::get_if<ProposedEvent>(&event)) {
      const auto id = history.trials[p->trial].proposed.confirmation.value;
      if (id > 0 && id < opened) ++count;
    }
  }
  return count;
}

void expect_whole(const History& history, const std::string& when) {
  EXPECT_EQ(history.verdicts.size(), history.confirmations.size()) << when;
  std::set<std::tuple<std::uint64_t, std::string, int, Arm>> evaluations;
  for (const TrialRecord& t : history.trials) {
    EXPECT_TRUE(t.finished) << when;
    if (t.proposed.job != search::JobKind::kConfirm) continue;
    const ProposedTrial& p = t.proposed;
    EXPECT_TRUE(evaluations.emplace(p.confirmation.value, p.device, p.round, p.arm).second)
        << "evaluated twice, " << when;
  }
}

TEST(TunerResume, DuelsThatWereSetAsideGoOnWithTheirPairs) {
  std::uint64_t luck = 0;
  const auto make = [&luck] {
    search::Problem p = fakes::claiming(fakes::command_problem(4000));
    p.budget = {};
    p.budget.seconds = 600;
    p.acceptance.test = search::DuelTest::kGroupSequential;  // its duels are longer
    auto study = std::make_unique<StudyDriver>(std::move(p));
    study->pool.seconds_per_event = 1;
    study->cost = [rng = base::Rng(luck)](int x, std::size_t) mutable {
      return (x % 3 == 2 ? 0.97 : 1.1) * std::exp(0.1 * rng.normal());
    };
    return study;
  };
  // The first in which one is set aside and goes on.
  auto undisturbed = make();
  for (undisturbed->run(); luck < 20; undisturbed->run()) {
    if (evaluations_of_earlier_duels(undisturbed->journal.history) > 0) break;
    ++luck;
    undisturbed = make();
  }
  const History& whole = undisturbed->journal.history;
  expect_whole(whole, "undisturbed");
  ASSERT_GT(evaluations_of_earlier_duels(whole), 0) << "none was set aside";
  for (std::size_t cut = 100; cut < whole.events.size(); cut += 83) {
    const auto resumed = make();
    History earlier = undisturbed->journal.cut(cut);
    earlier.run_seconds =
        600.0 * static_cast<double>(cut) / static_cast<double>(whole.events.size());
    resumed->resume(earlier);
    expect_whole(resumed->journal.history, "cut after event " + std::to_string(cut));
  }
}

}  // namespace
}  // namespace nightshift::scheduler
