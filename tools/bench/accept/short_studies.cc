#include "tools/bench/accept/short_studies.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/rng.h"
#include "scheduler/summary/study_standing.h"
#include "scheduler/summary/summary.h"
#include "scheduler/tuner.h"
#include "search/searcher_catalogue.h"
#include "search/statistics/summary.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_pool.h"
#include "tests/fakes/memory_journal.h"

namespace nightshift::bench {
namespace {

constexpr int kSamples = 5;  // of each evaluation: within it there is no noise

constexpr std::int64_t kIdleValues = 3;

std::string idle_name(int i) { return "idle_" + std::to_string(i); }

std::vector<search::Parameter> parameters_of(const ShortCase& c) {
  std::vector<search::Parameter> all = c.recording->parameters();
  for (int i = 0; i < c.idle; ++i) {
    search::Parameter& idle = all.emplace_back();
    idle.name = idle_name(i);
    for (std::int64_t value = 0; value < kIdleValues; ++value) idle.values.emplace_back(value);
  }
  return all;
}

search::Configuration with_idle(const ShortCase& c, search::Configuration recorded,
                                std::int64_t combination) {
  for (int i = 0; i < c.idle; ++i) {
    recorded.set(idle_name(i), combination % kIdleValues);
    combination /= kIdleValues;
  }
  return recorded;
}

// The median of what was recorded, whatever the parameters that do nothing.
std::optional<double> true_time(const ShortCase& c, const search::Configuration& configuration) {
  std::vector<search::Configuration::Entry> recorded = configuration.entries();
  recorded.resize(recorded.size() - static_cast<std::size_t>(c.idle));
  return recorded_time(*c.recording, search::Configuration(std::move(recorded)));
}

search::Problem problem_of(const ShortCase& c, std::uint64_t seed) {
  search::Problem problem;
  problem.name = "short";
  problem.backend = search::CommandBackend{};
  problem.parameters = parameters_of(c);
  problem.baseline = with_idle(c, c.baseline, 0);
  problem.budget = {};
  problem.budget.seconds = c.budget;
  problem.acceptance = c.acceptance;
  problem.scheduling.seed = seed;
  problem.scheduling.searcher = c.searcher;
  return problem;
}

std::vector<search::Configuration> configurations_of(const ShortCase& c) {
  std::int64_t combinations = 1;
  for (int i = 0; i < c.idle; ++i) combinations *= kIdleValues;
  std::vector<search::Configuration> all;
  for (const problems::RecordedTrial& trial : c.recording->trials()) {
    for (std::int64_t i = 0; i < combinations; ++i) {
      all.push_back(with_idle(c, trial.configuration, i));
    }
  }
  return all;
}

// Evaluates on one device that compiles and runs: each takes as long as the program would.
class RecordedProgram {
 public:
  RecordedProgram(const ShortCase& c, fakes::FakeClock& clock, std::uint64_t seed)
      : case_(c),
        clock_(clock),
        rng_(base::mix_seed(seed, 5)),
        baseline_(recorded_time(*c.recording, c.baseline).value()) {}

  scheduler::JobEnded evaluate(const scheduler::Job& job) {
    scheduler::JobEnded end;
    const search::Configuration& asked = job.evaluation().configuration;
    const std::optional<double> truth =
        asked.is_baseline() ? std::optional(baseline_) : true_time(case_, asked);
    clock_.advance(case_.overhead);
    if (!truth) {
      end.report.outcome = search::LaunchFailed{"not recorded as working"};
      return end;
    }
    // With fewer samples it is shorter, and scatters more.
    const double share = static_cast<double>(job.evaluation().sampling.samples) /
                         static_cast<double>(search::SamplingPlan().samples);
    const double time = *truth * std::exp(case_.noise / std::sqrt(share) * rng_.normal());
    clock_.advance(share * case_.evaluation * time / baseline_);
    end.report.outcome =
        search::Measured{{{search::Samples{"time", std::vector<double>(kSamples, time)}}, {}}};
    return end;
  }

 private:
  const ShortCase& case_;
  fakes::FakeClock& clock_;
  base::Rng rng_;
  double baseline_;
};

double longest_duel(const scheduler::History& history) {
  std::map<std::uint64_t, double> seconds;
  for (const scheduler::TrialRecord& trial : history.trials) {
    const auto* setup = scheduler::find_confirmation(history, trial.proposed.confirmation);
    if (setup == nullptr || setup->purpose != scheduler::Purpose::kDuel || !trial.finished)
      continue;
    seconds[setup->id.value] += trial.finished->finished - trial.finished->started;
  }
  double longest = 0;
  for (const auto& [id, taken] : seconds) longest = std::max(longest, taken);
  return longest;
}

int differences(const search::Configuration& a, const search::Configuration& b) {
  int count = 0;
  for (const auto& [name, value] : a.entries()) {
    const search::Value* other = b.find(name);
    if (other == nullptr || !search::same_value(value, *other)) ++count;
  }
  return count;
}

// What finishing rounds made of the winner of the last duel.
void compare_with_winner(const ShortCase& c, const scheduler::History& history,
                         ShortResult& result) {
  const scheduler::TrialRecord* winner = nullptr;
  for (const scheduler::ConfirmationVerdict& v : history.verdicts) {
    const bool won = scheduler::purpose_of(history, v) == scheduler::Purpose::kDuel &&
                     search::is_accepted(v.verdict);
    if (won) winner = find_trial(history, v.candidate);
  }
  for (const scheduler::TrialRecord& trial : history.trials) {
    const auto* setup = scheduler::find_confirmation(history, trial.proposed.confirmation);
    const bool in_round = setup != nullptr && setup->purpose == scheduler::Purpose::kFinishing;
    result.finishing += in_round || is_of_finishing(trial.proposed) ? 1 : 0;
  }
  const scheduler::TrialRecord* last = find_trial(history, scheduler::winner_of(history).trial);
  if (winner == nullptr || last == nullptr) return;
  const search::Configuration &before = winner->proposed.configuration,
                              &after = last->proposed.configuration;
  const search::Configuration baseline = with_idle(c, c.baseline, 0);
  result.changed = differences(before, baseline);
  result.went_back = result.changed - differences(after, baseline);
  result.finished_ratio = true_time(c, after).value() / true_time(c, before).value();
}

search::SearcherSettings settings_of(const ShortCase& c, const search::ParameterSpace& space,
                                     std::uint64_t seed) {
  search::SearcherSettings settings;
  settings.seed = seed;
  settings.baseline = space.index_of(with_idle(c, c.baseline, 0));
  for (const search::Configuration& start : c.starts) {
    if (const auto index = space.index_of(with_idle(c, start, 0)))
      settings.starts.push_back(*index);
  }
  return settings;
}

}  // namespace

std::optional<double> recorded_time(const problems::RecordedSpace& recording,
                                    const search::Configuration& configuration) {
  const problems::RecordedTrial* trial = recording.find(configuration);
  if (trial == nullptr || trial->values.empty()) return std::nullopt;
  return search::median_of(trial->values);
}

ShortResult short_study(const ShortCase& c, std::uint64_t seed) {
  const search::Problem problem = problem_of(c, seed);
  const auto space = search::ParameterSpace::from_list(parameters_of(c), configurations_of(c));
  const auto searcher = search::make_searcher(c.searcher, space, settings_of(c, space, seed));
  fakes::FakeClock clock;
  RecordedProgram program(c, clock, seed);
  fakes::FakePool pool(clock, 1);
  pool.seconds_per_event = 0;
  pool.on_measure = [&](const scheduler::Job& job) { return program.evaluate(job); };
  fakes::MemoryJournal journal;
  scheduler::TuningObserver silent;
  scheduler::Tuner({problem, space, *searcher, pool, journal, clock, silent}).run(pool);
  const scheduler::StudySummary summary = scheduler::summarise(journal.history, problem);
  ShortResult result;
  result.evaluations = static_cast<int>(pool.measured.size());
  result.explored = static_cast<int>(summary.evaluations);
  result.duels = duels_of(journal.history);
  result.longest_duel = longest_duel(journal.history) / c.budget;
  compare_with_winner(c, journal.history, result);
  result.claimed = summary.accepted;
  if (!summary.accepted) return result;
  result.ratio = summary.ratio;
  result.true_ratio = true_time(c, summary.best->configuration).value() /
                      recorded_time(*c.recording, c.baseline).value();
  return result;
}

}  // namespace nightshift::bench
