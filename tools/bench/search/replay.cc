#include "tools/bench/search/replay.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <unordered_set>

#include "base/rng.h"
#include "search/statistics/summary.h"
#include "tools/bench/search/named_searcher.h"

namespace nightshift::bench {
namespace {

using search::ConfigurationIndex;

class Stopwatch {
 public:
  explicit Stopwatch(double& total) : total_(total) {}
  ~Stopwatch() {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    total_ += passed.count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& total_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class Replayer {
 public:
  Replayer(const std::string& searcher, const ReplaySpace& space, std::uint64_t seed,
           const ReplaySettings& settings)
      : name_(searcher), space_(space), seed_(seed), settings_(settings) {
    search::SearcherSettings options;
    options.seed = seed;
    if (settings.tell_baseline) options.baseline = space.baseline();
    if (settings.tell_starts) options.starts = space.starts();
    options.expected = space.expected();
    searcher_ = named_searcher(searcher, space.space(), options);
    const std::size_t most = std::min(settings.budget, space.size());
    result_.best.reserve(most);
    result_.order.reserve(most);
    result_.clock.reserve(most);
    result_.overhead.reserve(most);
  }

  Replay run() {
    fill();
    while (!running_.empty()) {
      complete_next();
      fill();
    }
    // What a last, empty ask took belongs to the evaluation before it.
    if (!result_.overhead.empty()) result_.overhead.back() += static_cast<float>(spent_);
    return std::move(result_);
  }

 private:
  struct Running {
    ConfigurationIndex configuration;
    double end = 0;  // simulated seconds
  };

  // On the budget.
  std::size_t counted() const { return result_.builds - (settings_.counts_builds ? 0 : equal_); }

  void fill() {
    const std::size_t free = settings_.outstanding - running_.size();
    const std::size_t left = settings_.budget - std::min(settings_.budget, counted());
    const std::size_t wanted = std::min(free, left);
    if (wanted == 0 || result_.builds >= settings_.budget * ReplaySettings::kMostBuilds) return;
    std::vector<ConfigurationIndex> proposals;
    {
      const Stopwatch watch(spent_);
      proposals = searcher_->ask(wanted);
    }
    if (proposals.size() > wanted) throw std::logic_error(name_ + " proposes more than asked for");
    for (const ConfigurationIndex i : proposals) start(i);
  }

  void start(ConfigurationIndex i) {
    if (i.value >= space_.space().size()) {
      throw std::logic_error(name_ + " proposes what is not there");
    }
    if (!seen_.insert(i).second) throw std::logic_error(name_ + " proposes a configuration twice");
    ++result_.builds;
    if (!codes_.insert(space_.code(i)).second) ++equal_;
    running_.push_back({i, now_ + space_.trial(i).seconds});
  }

  void complete_next() {
    // Of equal ends the one that was started first: min_element returns the first.
    const auto next =
        std::min_element(running_.begin(), running_.end(),
                         [](const Running& a, const Running& b) { return a.end < b.end; });
    const Running done = *next;
    running_.erase(next);
    now_ = done.end;
    const search::Observation observation = observe(done.configuration);
    {
      const Stopwatch watch(spent_);
      searcher_->tell(done.configuration, observation);
    }
    const bool is_equal = !measured_.insert(space_.code(done.configuration)).second;
    if (is_equal && !settings_.counts_builds) return;
    judge(done.configuration, observation);
    result_.order.push_back(done.configuration);
    result_.clock.push_back(now_);
    result_.overhead.push_back(static_cast<float>(spent_));
    spent_ = 0;
  }

  search::Observation observe(ConfigurationIndex i) {
    const ReplayTrial& trial = space_.trial(i);
    search::Observation observation;
    if (settings_.tell_code) observation.code = space_.code(i);
    if (!trial.value) return observation;
    std::vector<double> repeats = trial.repeats;
    double value = *trial.value;
    if (settings_.noise_repeats > 0) {
      repeats = resampled(trial, i);
      value = search::mean_of(repeats);
    }
    search::Score score;
    score.value = value / space_.baseline_value();
    if (repeats.size() > 1) {
      score.standard_error = search::sd_of(repeats) /
                             std::sqrt(static_cast<double>(repeats.size())) /
                             space_.baseline_value();
    }
    observation.score = score;
    if (trial.second) add_second(observation, *trial.second);
    return observation;
  }

  // As a study with two objectives of equal weight.
  void add_second(search::Observation& observation, double second) const {
    const search::Score first = *observation.score;
    const double other = second / *space_.trial(space_.baseline()).second;
    observation.objectives = {first, {other, 0}};
    const double both = std::sqrt(first.value * other);
    observation.score = {both, both * first.standard_error / first.value / 2};
  }

  // Depends on seed and machine code only: two searchers with one seed see the same noise.
  std::vector<double> resampled(const ReplayTrial& trial, ConfigurationIndex i) const {
    base::Rng rng(base::mix_seed(seed_, space_.code(i) - 1));
    std::vector<double> drawn(settings_.noise_repeats);
    for (double& value : drawn) value = trial.repeats[rng.below(trial.repeats.size())];
    return drawn;
  }

  void judge(ConfigurationIndex i, const search::Observation& observation) {
    if (!observation.score) {
      ++result_.failures;
    } else if (observation.score->value < believed_) {
      believed_ = observation.score->value;
      best_ = space_.trial(i).value;
    }
    result_.best.push_back(best_);
  }

  const std::string& name_;
  const ReplaySpace& space_;
  std::uint64_t seed_;
  const ReplaySettings& settings_;
  std::unique_ptr<search::Searcher> searcher_;
  std::unordered_set<ConfigurationIndex> seen_;
  std::unordered_set<std::uint64_t> codes_, measured_;  // of what was begun; of what has ended
  std::vector<Running> running_;                        // in the order of their starts
  std::size_t equal_ = 0;                               // begun with a code that was begun before
  double now_ = 0;
  double spent_ = 0;
  double believed_ = std::numeric_limits<double>::infinity();
  std::optional<double> best_;
  Replay result_;
};

}  // namespace

Replay replay(const std::string& searcher, const ReplaySpace& space, std::uint64_t seed,
              const ReplaySettings& settings) {
  return Replayer(searcher, space, seed, settings).run();
}

}  // namespace nightshift::bench
