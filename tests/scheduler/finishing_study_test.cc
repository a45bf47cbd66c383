// Whole studies on a fake pool: which parameters of the winner go back to the baseline's values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/summary/study_standing.h"
#include "scheduler/summary/summary.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using search::Configuration;
using search::JobKind;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Proposes what it was given, then nothing.
class ScriptedSearcher final : public search::Searcher {
 public:
  explicit ScriptedSearcher(std::vector<search::ConfigurationIndex> all) : all_(std::move(all)) {}
  std::vector<search::ConfigurationIndex> ask(std::size_t n) override {
    std::vector<search::ConfigurationIndex> some;
    while (some.size() < n && next_ < all_.size()) some.push_back(all_[next_++]);
    return some;
  }
  void tell(search::ConfigurationIndex, const search::Observation&) override {}

 private:
  std::vector<search::ConfigurationIndex> all_;
  std::size_t next_ = 0;
};

using Values = std::map<std::string, int>;

Values values_of(const Configuration& configuration) {
  Values values;
  for (const auto& [name, value] : configuration.entries()) {
    values[name] = static_cast<int>(std::get<std::int64_t>(value));
  }
  return values;
}

// Four parameters of 0, 1 and 2 whose defaults, the baseline, are 0.
search::Problem four_parameters(search::Backend backend = search::CommandBackend{}) {
  search::Problem problem = fakes::one_parameter_problem(1, std::move(backend));
  problem.parameters.clear();
  for (const char* name : {"a", "b", "c", "d"}) {
    search::Parameter parameter;
    parameter.name = name;
    for (std::int64_t i = 0; i < 3; ++i) parameter.values.emplace_back(i);
    problem.parameters.push_back(parameter);
  }
  return fakes::claiming(problem);
}

struct Study {
  explicit Study(const search::Problem& problem, int builders = 0)
      : driver(problem, 1, builders), tried{{{"a", 2}, {"b", 2}, {"c", 1}, {"d", 0}}} {
    driver.pool.on_measure = [this](const Job& job) {
      const Configuration meant = search::resolved(driver.problem, job.evaluation().configuration);
      JobEnded done;
      done.fresh_process = job.fresh_process;
      base::Rng rng(base::mix_seed(5, job.trial.value));
      done.report =
          fakes::measured(cost(values_of(meant)) * std::exp(noise * rng.normal()), job.trial.value);
      return done;
    };
  }
  search::ConfigurationIndex index_of(const Values& values) const {
    std::vector<Configuration::Entry> entries;
    for (const auto& [name, value] : values) entries.emplace_back(name, std::int64_t{value});
    return driver.space.index_of(Configuration(std::move(entries))).value();
  }
  void go(const History* earlier) {
    std::vector<search::ConfigurationIndex> all;
    for (const Values& values : tried) all.push_back(index_of(values));
    ScriptedSearcher searcher(all);
    const History read = earlier == nullptr ? History{} : *earlier;
    if (earlier != nullptr) driver.journal.history = read;
    Tuner tuner({driver.problem, driver.space, searcher, driver.pool, driver.journal, driver.clock,
                 driver.observer, driver.stop_times});
    if (earlier != nullptr) tuner.resume(read);
    tuner.run(driver.pool);
  }
  void run() { go(nullptr); }
  const History& history() const { return driver.journal.history; }
  StudySummary summary() const { return summarise(history(), driver.problem); }
  std::string chosen() const {
    const TrialRecord* trial = find_trial(history(), winner_of(history()).trial);
    return trial == nullptr ? "none" : name(trial->proposed.configuration);
  }
  // "2210" of a = 2, b = 2, c = 1, d = 0.
  static std::string name(const Configuration& configuration) {
    std::string digits;
    for (const auto& [parameter, value] : values_of(configuration)) digits += std::to_string(value);
    return digits;
  }
  // "finishing 2000 accept", with "(no pairs)" where there were none.
  std::vector<std::string> decisions() const {
    std::vector<std::string> all;
    for (const ConfirmationVerdict& v : history().verdicts) {
      const ConfirmationSetup& setup = history().confirmations.at(v.id.value - 1);
      if (setup.purpose == Purpose::kSelfTest) continue;
      const auto& trial = history().trials.at(setup.candidate.value - 1);
      all.push_back(std::string(name_of(setup.purpose)) + " " + name(trial.proposed.configuration) +
                    " " + std::string(search::name_of(v.verdict.acceptance)) +
                    (setup.devices.empty() ? " (no pairs)" : ""));
    }
    return all;
  }
  int finishing_trials() const {
    int count = 0;
    for (const TrialRecord& t : history().trials) count += is_of_finishing(t.proposed) ? 1 : 0;
    return count;
  }

  fakes::StudyDriver driver;
  std::vector<Values> tried;
  double noise = 0.001;
  std::function<double(const Values&)> cost = [](const Values& v) {
    return v.at("a") == 2 ? 0.9 : 1.0;
  };
};

TEST(FinishingStudy, WhatIsIdleGoesBackTogetherAndIsWhatTheHoldOutJudges) {
  Study study(four_parameters());
  study.run();
  EXPECT_THAT(study.decisions(),
              ElementsAre("duel 2210 accept", "finishing 2000 accept", "hold-out 2000 accept"));
  const StudySummary summary = study.summary();
  EXPECT_TRUE(summary.accepted);
  EXPECT_EQ(Study::name(summary.best->configuration), "2000");
  EXPECT_NEAR(summary.ratio, 0.9, 0.005);
  EXPECT_EQ(summary.evaluations, 1U) << "a budget counts what the searcher asked for";
  EXPECT_EQ(study.finishing_trials(), 4) << "a, b and c alone, b and c together";
}

TEST(FinishingStudy, WhatHelpsTogetherStays) {
  // b and c alone cost nothing; without either of them the time is 5 % longer.
  Study study(four_parameters());
  study.cost = [](const Values& v) {
    if (v.at("a") != 2) return 1.0;
    return v.at("b") == 2 || v.at("c") == 1 ? 0.9 : 0.945;
  };
  study.run();
  EXPECT_THAT(study.decisions(), Contains("finishing 2000 reject"));
  EXPECT_THAT(study.chosen(), testing::AnyOf("2200", "2010"));
  EXPECT_TRUE(study.summary().accepted);
}

TEST(FinishingStudy, WhatCostsMoreThanTheMarginStaysAndIsNotEvenMeasuredInPairs) {
  Study study(four_parameters());
  study.cost = [](const Values& v) {
    return (v.at("a") == 2 ? 0.9 : 1.0) * (v.at("b") == 2 ? 1.0 : 1.02);
  };
  study.run();
  EXPECT_THAT(study.decisions(),
              ElementsAre("duel 2210 accept", "finishing 2200 accept", "hold-out 2200 accept"));
}

TEST(FinishingStudy, LossesDoNotAddUp) {
  // Each of b, c and d costs 0.2 % to give up; together they cost twice the margin.
  Study study(four_parameters());
  study.tried = {{{"a", 2}, {"b", 2}, {"c", 1}, {"d", 1}}};
  study.noise = 0.0002;
  study.cost = [](const Values& v) {
    const int given_up = (v.at("b") == 0) + (v.at("c") == 0) + (v.at("d") == 0);
    return (v.at("a") == 2 ? 0.9 : 1.0) * std::pow(1.002, given_up);
  };
  study.run();
  EXPECT_THAT(study.chosen(), testing::AnyOf("2011", "2201", "2210")) << "one goes back, no more";
}

TEST(FinishingStudy, EqualMachineCodeGoesBackWithoutAPair) {
  Study study(four_parameters(search::HostBackend{}), 1);
  study.noise = 0.2;  // no pairs would show anything
  study.cost = [](const Values& v) { return v.at("a") == 2 ? 0.1 : 1.0; };
  study.driver.artifact = [&](const ipc::BuildRequest& request) {
    const Values v = values_of(search::resolved(study.driver.problem, request.configuration));
    return (request.target == ipc::BuildTarget::kReference ? "ref" : "code") +
           std::to_string(v.at("a"));
  };
  study.run();
  EXPECT_THAT(study.decisions(), ElementsAre("duel 2210 accept", "finishing 2000 accept (no pairs)",
                                             "hold-out 2000 accept"));
  EXPECT_TRUE(study.summary().accepted);
}

TEST(FinishingStudy, WhatEvaluationsCannotTellIsLeftAlone) {
  Study study(four_parameters());
  study.noise = 0.05;
  study.cost = [](const Values& v) { return v.at("a") == 2 ? 0.5 : 1.0; };
  study.run();
  EXPECT_THAT(study.decisions(), ElementsAre("duel 2210 accept", "hold-out 2210 accept"));
}

TEST(FinishingStudy, ConstraintsForbidSteps) {
  search::Problem problem = four_parameters();
  problem.constraints.push_back(search::Expression::parse("a != 2 or b == 2"));
  Study study(problem);
  study.run();
  EXPECT_THAT(study.decisions(),
              ElementsAre("duel 2210 accept", "finishing 2200 accept", "hold-out 2200 accept"));
}

TEST(FinishingStudy, AFailureStaysAway) {
  Study study(four_parameters());
  const auto good = study.driver.pool.on_measure;
  study.driver.pool.on_measure = [&, good](const Job& job) {
    JobEnded done = good(job);
    const Values v =
        values_of(search::resolved(study.driver.problem, job.evaluation().configuration));
    if (v.at("a") == 2 && v.at("b") == 0) done.report.outcome = search::LaunchFailed{"too large"};
    return done;
  };
  study.run();
  EXPECT_EQ(study.chosen(), "2200");
}

TEST(FinishingStudy, TheBaselineItselfIsNoCandidate) {
  Study study(four_parameters());
  study.tried = {{{"a", 2}, {"b", 0}, {"c", 0}, {"d", 0}}};
  study.run();
  EXPECT_THAT(study.decisions(), ElementsAre("duel 2000 accept", "hold-out 2000 accept"));
  EXPECT_EQ(study.finishing_trials(), 0);
}

TEST(FinishingStudy, OfAnotherProgramParametersGoBackToTheirDefaults) {
  search::CommandBackend command;
  command.baseline_argv = {"old"};
  Study study(four_parameters(command));
  study.run();
  EXPECT_EQ(study.chosen(), "2000");
}

TEST(FinishingStudy, AMarginOfZeroTurnsThemOff) {
  search::Problem problem = four_parameters();
  problem.acceptance.finish_margin = 0;
  Study study(problem);
  study.run();
  EXPECT_THAT(study.decisions(), ElementsAre("duel 2210 accept", "hold-out 2210 accept"));
}

TEST(FinishingStudy, ABudgetOfTimeGivesThemTheirShare) {
  for (const double share : {0.0, 0.1}) {
    search::Problem problem = four_parameters();
    problem.budget = {};
    problem.budget.seconds = 1000;  // of evaluations of 10 ms
    problem.acceptance.finish_share = share;
    Study study(problem);
    study.run();
    const auto rounds = Contains(HasSubstr("finishing"));
    if (share == 0) {
      EXPECT_THAT(study.decisions(), Not(rounds));
      EXPECT_EQ(study.finishing_trials(), 0);
    } else {
      EXPECT_THAT(study.decisions(), rounds);
    }
    EXPECT_TRUE(study.summary().accepted) << "the hold-out has its time all the same";
  }
}

TEST(FinishingStudy, CutAfterAnyEventItEndsAsItWouldHave) {
  // One of b and c is needed, and b is the one that is missed less.
  const auto script = [](Study& study) {
    study.noise = 0.0002;
    study.cost = [](const Values& v) {
      if (v.at("a") != 2) return 1.0;
      if (v.at("b") != 2 && v.at("c") != 1) return 0.945;
      return v.at("c") == 1 ? 0.9 : 0.9015;
    };
  };
  Study undisturbed(four_parameters());
  script(undisturbed);
  undisturbed.run();
  const auto expected = undisturbed.decisions();
  const std::size_t events = undisturbed.history().events.size();
  ASSERT_GT(events, 100U);
  for (std::size_t cut = 1; cut < events; ++cut) {
    Study resumed(four_parameters());
    script(resumed);
    const History earlier = undisturbed.driver.journal.cut(cut);
    resumed.go(&earlier);
    ASSERT_EQ(resumed.decisions(), expected) << "cut after event " << cut;
    EXPECT_THAT(resumed.driver.observer.remarks, Not(Contains(HasSubstr("other configurations"))));
  }
}

}  // namespace
}  // namespace nightshift::scheduler
