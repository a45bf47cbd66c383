#include "tools/bench/accept/studies.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <vector>

#include "scheduler/summary/study_standing.h"
#include "scheduler/summary/summary.h"
#include "scheduler/tuner.h"
#include "search/searcher_catalogue.h"
#include "search/statistics/location_tests.h"
#include "search/statistics/summary.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/memory_journal.h"

namespace nightshift::bench {
namespace {

using Values = std::vector<double>;

constexpr double kBetterShare = 0.07;
constexpr int kSamples = 5;  // of each evaluation: within it there is no noise
constexpr double kEvaluationSeconds = 0.1;

Values true_effects(const StudyCase& c, std::uint64_t seed) {
  if (!c.given.empty()) return c.given;
  base::Rng rng(base::mix_seed(seed, 99));
  Values effects(static_cast<std::size_t>(c.candidates), 0);
  if (c.effects == Effects::kNone) return effects;
  const bool mixed = c.effects == Effects::kMixed;
  for (double& effect : effects) {
    if (rng.uniform() >= kBetterShare) continue;
    const double share = mixed ? 0.01 + 0.05 * rng.uniform() : 0.005 + 0.015 * rng.uniform();
    effect = -std::log1p(-share);
  }
  return effects;
}

search::Problem problem_of(const StudyCase& c, std::uint64_t seed) {
  search::Problem problem;
  problem.name = "simulated";
  problem.backend = search::CommandBackend{};
  search::Parameter x;
  x.name = "x";
  for (int i = 0; i < c.candidates; ++i) x.values.emplace_back(std::int64_t{i});
  problem.parameters.push_back(x);
  problem.acceptance = c.acceptance;
  problem.scheduling.seed = seed;
  problem.scheduling.searcher = "random";
  return problem;
}

class SimulatedPool final : public scheduler::WorkerPool {
 public:
  SimulatedPool(const StudyCase& c, const Values& effects, fakes::FakeClock& clock,
                std::uint64_t seed)
      : case_(c), effects_(effects), clock_(clock), busy_(static_cast<std::size_t>(c.devices)) {
    for (int i = 0; i < c.devices; ++i) {
      devices_.push_back({"node", "simulated:" + std::to_string(i), "simulated", {}});
      noise_.emplace_back(*c.model, i, seed);
    }
  }

  const std::vector<scheduler::Device>& devices() const override { return devices_; }
  bool can_measure(scheduler::DeviceIndex device) const override { return !busy_[device]; }
  bool can_build() const override { return false; }
  int builder_count() const override { return 0; }
  void retire(scheduler::DeviceIndex, const std::string&) override {}
  void start(const scheduler::Job& order) override {
    busy_[order.device] = true;
    pending_.push_back(order);
  }
  scheduler::PoolEvent wait(std::optional<scheduler::Clock::TimePoint> deadline) override {
    if (pending_.empty()) {
      if (deadline) clock_.reach(*deadline);
      return scheduler::Nothing{};
    }
    const scheduler::Job order = pending_.front();
    pending_.pop_front();
    busy_[order.device] = false;
    clock_.advance(kEvaluationSeconds / static_cast<double>(devices_.size()));
    ++evaluations_;
    scheduler::JobEnded done;
    done.trial = order.trial;
    done.attempt = order.attempt;
    done.device = order.device;
    search::Samples samples{"time", Values(kSamples, time_of(order))};
    done.report.outcome = search::Measured{{{std::move(samples)}, {}}};
    return done;
  }
  int evaluations() const { return evaluations_; }

 private:
  double time_of(const scheduler::Job& order) {
    const search::Value* x = order.evaluation().configuration.find("x");
    const double effect =
        x == nullptr ? 0 : effects_[static_cast<std::size_t>(std::get<std::int64_t>(*x))];
    const bool late = evaluations_ > case_.candidates / 2;
    const double drift = late ? std::log1p(case_.drift_at_half) : 0;
    return noise_[order.device].evaluation(effect_on(order.device, effect) - drift -
                                           level_of(order.device));
  }
  double effect_on(scheduler::DeviceIndex device, double effect) const {
    const bool is_last = devices_.size() > 1 && device + 1 == devices_.size();
    return is_last && effect > 0 && case_.worse_on_last > 0 ? -std::log1p(case_.worse_on_last)
                                                            : effect;
  }
  // Of the device itself, whatever it runs.
  double level_of(scheduler::DeviceIndex device) const {
    const auto others = static_cast<double>(std::max<std::size_t>(devices_.size() - 1, 1));
    const double passed =
        std::min(1.0, evaluations_ / static_cast<double>(std::max(case_.candidates, 1)));
    return std::log1p(case_.spread) * static_cast<double>(device) / others +
           std::log1p(case_.own_drift) * passed * (device % 2 == 0 ? 1 : -1);
  }

  const StudyCase& case_;
  const Values& effects_;
  fakes::FakeClock& clock_;
  std::vector<scheduler::Device> devices_;
  std::vector<NoisyDevice> noise_;
  std::vector<bool> busy_;
  std::deque<scheduler::Job> pending_;
  int evaluations_ = 0;
};

}  // namespace

DuelCount duels_of(const scheduler::History& history) {
  DuelCount count;
  for (const scheduler::ConfirmationVerdict& v : history.verdicts) {
    if (scheduler::purpose_of(history, v) != scheduler::Purpose::kDuel) continue;
    if (v.verdict.looks.empty()) continue;
    ++count.duels;
    count.pairs += v.verdict.looks.back().pairs;
  }
  return count;
}

StudyResult tuned(const StudyCase& c, std::uint64_t seed) {
  const Values effects = true_effects(c, seed);
  const search::Problem problem = problem_of(c, seed);
  const search::ParameterSpace space(problem.parameters, problem.constraints);
  const auto searcher = search::make_searcher("random", space, {.seed = seed});
  fakes::FakeClock clock;
  SimulatedPool pool(c, effects, clock, seed);
  fakes::MemoryJournal journal;
  scheduler::TuningObserver silent;
  scheduler::Tuner({problem, space, *searcher, pool, journal, clock, silent}).run(pool);
  const scheduler::StudySummary summary = scheduler::summarise(journal.history, problem);
  StudyResult result;
  result.evaluations = pool.evaluations();
  result.duels = duels_of(journal.history);
  result.best_gain = *std::ranges::max_element(effects);
  result.claimed = summary.accepted;
  result.chose = summary.won_duels;
  if (!summary.won_duels) return result;
  const search::Value* x = summary.best->configuration.find("x");
  result.true_gain = effects[static_cast<std::size_t>(std::get<std::int64_t>(*x))];
  result.claimed_gain = -std::log(summary.ratio);
  return result;
}

StudyResult gated(const StudyCase& c, std::uint64_t seed) {
  constexpr int kMedianOf = 5, kFinalists = 5, kGate = 100, kRefresh = 50;
  const Values effects = true_effects(c, seed);
  NoisyDevice device(*c.model, 0, seed);
  StudyResult result;
  result.best_gain = *std::ranges::max_element(effects);
  const auto median = [&](double effect) {
    Values values;
    for (int i = 0; i < kMedianOf; ++i) values.push_back(device.evaluation(effect));
    result.evaluations += kMedianOf;
    return search::median_of(values);
  };
  std::vector<std::pair<double, double>> scored;  // score, effect
  double baseline = 0;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (i % kRefresh == 0) baseline = median(0);
    scored.emplace_back(median(effects[i]) / baseline, effects[i]);
  }
  std::ranges::sort(scored);
  double best = 1;
  for (int i = 0; i < kFinalists; ++i) {
    Values a, b;
    for (int k = 0; k < kGate; ++k) a.push_back(device.evaluation(0));
    for (int k = 0; k < kGate; ++k)
      b.push_back(device.evaluation(scored[static_cast<std::size_t>(i)].second));
    result.evaluations += 2 * kGate;
    const search::TTest test = search::welch_test(a, b);
    const double ratio = search::mean_of(b) / search::mean_of(a);
    if (!(test.p_two_sided < 0.05 && test.cohens_d > 0.2) || ratio >= best) continue;
    best = ratio;
    result.claimed = result.chose = true;
    result.claimed_gain = -std::log(ratio);
    result.true_gain = scored[static_cast<std::size_t>(i)].second;
  }
  return result;
}

}  // namespace nightshift::bench
