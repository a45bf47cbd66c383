#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "search/inert/inert_parameters.h"
#include "search/model/anova_kernel.h"
#include "search/model/aspects.h"
#include "search/parameter_space.h"

namespace nightshift::search {

// A trial that has a score, as a model sees it.
struct ModelTrial {
  ConfigurationIndex index;
  Levels levels;
  double target = 0;    // logarithm of the score
  double variance = 0;  // of the target
  double expected = 0;  // target, before it was measured; may be unknown
  std::uint64_t code = 0;
};

// What a search by a model knows of its trials: levels of their aspects without the parameters that
// are believed to be inert. Of trials that have the same code and look the same then, one is kept.
class ModelTrials {
 public:
  // Both outlive it.
  ModelTrials(const ParameterSpace& space, const Aspects& aspects)
      : space_(space), aspects_(aspects), inert_(space) {}

  const InertParameters& inert() const { return inert_; }
  const std::vector<ModelTrial>& scored() const { return scored_; }
  const std::vector<Levels>& failures() const { return failures_; }

  Levels levels_of(ConfigurationIndex i) const {
    Levels levels(aspects_.size());
    aspects_.levels(inert_.reduced(space_.digits(i)), levels);
    return levels;
  }

  void proposed(ConfigurationIndex i) {
    inert_.proposed(space_.digits(i));
    recent_.push_back(levels_of(i));
    if (recent_.size() > kRecent) recent_.erase(recent_.begin());
  }
  // Before it is added. True where all levels have changed, since something else is believed.
  bool observe(ConfigurationIndex i, std::uint64_t code, bool works) {
    inert_.observe(space_.digits(i), code, works);
    return adopt_belief();
  }
  void add(ModelTrial trial) { scored_.push_back(std::move(trial)); }
  void add_failure(ConfigurationIndex i) {
    failed_.push_back(i);
    failures_.push_back(levels_of(i));
  }
  // A trial that has this code and looks the same: there is nothing more to learn.
  bool is_known(std::uint64_t code, const Levels& levels) const {
    return inert_.any() && code != 0 && std::ranges::any_of(scored_, [&](const ModelTrial& trial) {
             return trial.code == code && trial.levels == levels;
           });
  }

  // Now and then what would show that the belief is wrong. `changed` as observe() returns it.
  std::optional<ConfigurationIndex> belief_test(base::Rng& rng, bool& changed) {
    if (!inert_.any()) return std::nullopt;
    if (++since_test_ < (inert_.is_contradicted() ? kBetweenBisections : kBetweenTests)) {
      return std::nullopt;
    }
    since_test_ = 0;
    const auto test = inert_.test(best_few(), rng);
    changed = adopt_belief();
    return test;
  }

  std::vector<ConfigurationIndex> best_few() const {
    std::vector<std::size_t> order(scored_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const std::size_t count = std::min(kBest, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), [&](std::size_t a, std::size_t b) {
                        return std::pair(scored_[a].target, a) < std::pair(scored_[b].target, b);
                      });
    std::vector<ConfigurationIndex> best;
    for (std::size_t i = 0; i < count; ++i) best.push_back(scored_[order[i]].index);
    return best;
  }

  double distance_to_known(const Levels& point) const {
    double nearest = std::numeric_limits<double>::infinity();
    const auto look = [&](const Levels& other) {
      nearest = std::min(nearest, distance(point, other));
    };
    const std::size_t first = scored_.size() - std::min(scored_.size(), kRecent);
    for (std::size_t i = first; i < scored_.size(); ++i) look(scored_[i].levels);
    for (const Levels& failure : failures_) look(failure);
    for (const Levels& started : recent_) look(started);
    return nearest;
  }

 private:
  static constexpr std::size_t kBest = 8;     // trials, around which candidates are gathered
  static constexpr std::size_t kRecent = 64;  // trials and proposals that distances are to
  // Proposals from one test of the inert parameters to the next, and while one is contradicted.
  static constexpr int kBetweenTests = 10, kBetweenBisections = 2;

  double distance(const Levels& a, const Levels& b) const {
    double sum = 0;
    for (std::size_t k = 0; k < aspects_.size(); ++k) {
      const Aspect& aspect = aspects_[k];
      sum += aspect.ordered ? std::abs(aspect.coordinates[a[k]] - aspect.coordinates[b[k]])
                            : (a[k] == b[k] ? 0 : 1);
    }
    return sum;
  }

  bool adopt_belief() {
    if (inert_.version() == std::exchange(belief_, inert_.version())) return false;
    for (ModelTrial& trial : std::exchange(scored_, {})) {
      trial.levels = levels_of(trial.index);
      if (!is_known(trial.code, trial.levels)) scored_.push_back(std::move(trial));
    }
    for (std::size_t i = 0; i < failed_.size(); ++i) failures_[i] = levels_of(failed_[i]);
    return true;
  }

  const ParameterSpace& space_;
  const Aspects& aspects_;
  InertParameters inert_;
  std::uint64_t belief_ = 0;  // version of it that levels have
  int since_test_ = 0;        // proposals
  std::vector<ModelTrial> scored_;
  std::vector<ConfigurationIndex> failed_;
  std::vector<Levels> failures_;  // of these
  std::vector<Levels> recent_;    // lately proposed
};

}  // namespace nightshift::search
