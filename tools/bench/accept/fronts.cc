#include "tools/bench/accept/fronts.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/parallel.h"
#include "base/rng.h"
#include "scheduler/summary/summary.h"
#include "scheduler/tuner.h"
#include "search/pareto.h"
#include "search/searcher_catalogue.h"
#include "search/statistics/summary.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_pool.h"
#include "tests/fakes/memory_journal.h"

namespace nightshift::bench {
namespace {

constexpr double kBaselineSeconds = 0.05;
constexpr double kOverhead = 0.003;  // of each program that is started
constexpr double kBudgets[] = {5, 10, 20, 60};
constexpr double kNoises[] = {0.01, 0.05};
constexpr int kPairs[] = {0, 4};

int value_of(const search::Configuration& configuration, const std::string& name) {
  return static_cast<int>(std::get<std::int64_t>(*configuration.find(name)));
}

struct Figures {
  double time = 1, size = 1;  // over the baseline's
};

// A higher level takes longer and saves less and less; strategies and windows cost time and mostly
// save something, by an amount that depends on the rest.
Figures truth(const search::Configuration& configuration) {
  if (configuration.is_baseline()) return {};
  const int level = value_of(configuration, "level"), window = value_of(configuration, "window"),
            strategy = value_of(configuration, "strategy");
  const auto seed = static_cast<std::uint64_t>(level * 100 + window * 10 + strategy);
  base::Rng odd(base::mix_seed(17, seed));
  const double time =
      std::exp(0.22 * (level - 3) + 0.15 * window + 0.12 * strategy + 0.1 * odd.normal());
  const double size = std::exp(-0.05 * std::sqrt(level) + 0.05 * std::sqrt(3.0) - 0.01 * window -
                               0.012 * strategy + 0.01 * odd.normal());
  return {time, size};
}

search::Parameter parameter(const std::string& name, int low, int high) {
  search::Parameter p;
  p.name = name;
  for (std::int64_t v = low; v <= high; ++v) p.values.emplace_back(v);
  return p;
}

search::Problem problem_of(double budget, int pairs, const search::AcceptanceSettings& acceptance,
                           std::uint64_t seed) {
  search::Problem problem;
  problem.name = "compressor";
  problem.backend = search::CommandBackend{};
  problem.parameters = {parameter("level", 1, 12), parameter("window", 0, 2),
                        parameter("strategy", 0, 3)};
  problem.objectives = {{"time", "s"}, {"size", "B"}};
  problem.objectives[0].weight = 1;
  problem.objectives[1].weight = 2;
  problem.budget = {};
  problem.budget.seconds = budget;
  problem.acceptance = acceptance;
  problem.acceptance.front_pairs = pairs;
  problem.scheduling.seed = seed;
  return problem;
}

struct Outcome {
  double rows = 0, beaten = 0, missing = 0, explored = 0, seconds = 0;
};

search::ObjectivePoint point_of(const search::Configuration& configuration) {
  const Figures f = truth(configuration);
  return {{f.time, 0}, {f.size, 0}};
}

Outcome outcome_of(const scheduler::History& history, const search::Problem& problem) {
  std::vector<search::ObjectivePoint> explored;
  std::vector<search::TrialId> trials;
  for (const scheduler::TrialRecord& trial : history.trials) {
    if (trial.proposed.job != search::JobKind::kExplore || !trial.finished) continue;
    explored.push_back(point_of(trial.proposed.configuration));
    trials.push_back(trial.proposed.id);
  }
  std::set<search::TrialId> members;
  for (const std::size_t i : search::pareto_front(explored, 0)) members.insert(trials[i]);
  Outcome outcome;
  const scheduler::StudySummary summary = scheduler::summarise(history, problem);
  for (const auto& member : summary.front) {
    outcome.beaten += members.erase(member.contender.trial) == 0 ? 1 : 0;
  }
  outcome.rows = static_cast<double>(summary.front.size());
  outcome.missing = static_cast<double>(members.size());
  outcome.explored = static_cast<double>(explored.size());
  outcome.seconds = summary.seconds;
  return outcome;
}

Outcome study(double budget, double noise, int pairs, const search::AcceptanceSettings& acceptance,
              std::uint64_t seed) {
  const search::Problem problem = problem_of(budget, pairs, acceptance, seed);
  const search::ParameterSpace space(problem.parameters, problem.constraints);
  const auto searcher = search::make_searcher("auto", space, {.seed = seed});
  base::Rng rng(base::mix_seed(seed, 5));
  fakes::FakeClock clock;
  fakes::FakePool pool(clock, 1);
  pool.seconds_per_event = 0;
  pool.on_measure = [&](const scheduler::Job& job) {
    const Figures f = truth(job.evaluation().configuration);
    const double time = kBaselineSeconds * f.time * std::exp(noise * rng.normal());
    clock.advance(kOverhead + time);
    scheduler::JobEnded end;
    end.report.outcome = search::Measured{{{{"time", {time}}, {"size", {1e6 * f.size}}}, {}}};
    return end;
  };
  fakes::MemoryJournal journal;
  scheduler::TuningObserver silent;
  scheduler::Tuner({problem, space, *searcher, pool, journal, clock, silent}).run(pool);
  return outcome_of(journal.history, problem);
}

void print_row(const FrontTables& tables, double budget, double noise, int pairs) {
  std::vector<Outcome> outcomes(tables.studies);
  base::in_parallel(tables.studies, tables.threads, [&](std::size_t i) {
    outcomes[i] = study(budget, noise, pairs, tables.acceptance, base::mix_seed(tables.seed, i));
  });
  Outcome mean;
  const auto n = static_cast<double>(tables.studies);
  for (const Outcome& o : outcomes) {
    mean.rows += o.rows / n;
    mean.beaten += o.beaten / n;
    mean.missing += o.missing / n;
    mean.explored += o.explored / n;
    mean.seconds += o.seconds / n;
  }
  std::printf("  %5g s  %5.0f %%  %5s  %8.1f  %6.1f  %8.2f  %8.2f  %7.1f\n", budget, 100 * noise,
              pairs > 0 ? "yes" : "no", mean.explored, mean.rows, mean.beaten, mean.missing,
              mean.seconds);
  std::fflush(stdout);
}

}  // namespace

void front_table(const FrontTables& tables) {
  std::printf(
      "Fronts of a compressor of %g s, %zu studies a row: rows that are beaten in truth, and what "
      "was explored, is beaten by nothing, and is no row\n"
      "   budget    noise  again  explored    rows    beaten   missing  seconds\n",
      kBaselineSeconds, tables.studies);
  for (const double noise : kNoises) {
    for (const double budget : kBudgets) {
      for (const int pairs : kPairs) print_row(tables, budget, noise, pairs);
    }
  }
}

}  // namespace nightshift::bench
