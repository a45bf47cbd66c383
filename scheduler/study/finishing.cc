#include "scheduler/study/finishing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/acceptance/no_worse.h"

namespace nightshift::scheduler {

using search::ConfigurationIndex;
using search::TrialId;

namespace {

// One evaluation says that going back costs too much where it does by so many of its errors.
constexpr double kClearly = 3;

int that_judge(std::size_t devices, const search::Problem& problem) {
  const int most = ConfirmationPlanner::most_devices(problem);
  return std::max(1, std::min(static_cast<int>(devices), most));
}

ConfirmationSetup round_between(search::TrialId candidate, search::TrialId winner) {
  ConfirmationSetup round;
  round.purpose = Purpose::kFinishing;
  round.candidate = candidate;
  round.opponent = winner;
  return round;
}

// What is to be done before it is known whether some changes stay back, or whether they do.
struct Due {
  std::optional<Finishing::Step> step = {};
  bool stays_back = false;
};

// All changes at once; where that is worse, one after the other, the most promising first.
template <class Change, class Attempted>
std::optional<Finishing::Step> first_due(const std::vector<Change>& changes, Attempted attempt) {
  if (changes.size() > 1) {
    const Due all = attempt(changes);
    if (all.step || all.stays_back) return all.step;
  }
  std::vector<Change> went_back;
  for (const Change& change : changes) {
    went_back.push_back(change);
    const Due some = attempt(went_back);
    if (some.step) return some.step;
    if (!some.stays_back) went_back.pop_back();
  }
  return std::nullopt;
}

}  // namespace

struct Finishing::Winner {
  TrialId trial;
  search::Configuration configuration;
  std::vector<Change> changes;
  double gain = 0;  // over the baseline, in logarithms
};

Finishing::Finishing(const search::Problem& problem, const search::ParameterSpace& space,
                     const StudyState& state)
    : problem_(problem), space_(space), state_(state) {
  const auto baseline = search::baseline_configuration(problem);
  usual_ = search::resolved(problem, {});
  if (baseline) baseline_ = space.index_of(*baseline);
}

std::optional<ConfigurationIndex> Finishing::back(const Winner& winner,
                                                  const std::vector<Change>& changes) const {
  search::Configuration simpler = winner.configuration;
  for (const Change& change : changes) {
    const std::string& name = space_.parameters()[change.parameter].name;
    simpler.set(name, *usual_.find(name));
  }
  const auto index = space_.index_of(simpler);
  // The winner has been better than the baseline.
  return index == baseline_ ? std::nullopt : index;
}

std::optional<Finishing::Winner> Finishing::winner() const {
  const auto trial = state_.confirmations().winner();
  const auto index = trial ? state_.index_of(*trial) : std::nullopt;
  if (!index || problem_.acceptance.finish_margin == 0) return std::nullopt;
  Winner winner{*trial, space_.configuration(*index), {}, state_.confirmations().winner_gain()};
  for (std::size_t i = 0; i < space_.parameters().size(); ++i) {
    const std::string& name = space_.parameters()[i].name;
    const search::Value *own = winner.configuration.find(name), *usual = usual_.find(name);
    if (own == nullptr || usual == nullptr || search::same_value(*own, *usual)) continue;
    const Change change{i, false, 0};
    if (back(winner, {change})) winner.changes.push_back(change);
  }
  if (winner.changes.empty()) return std::nullopt;
  return winner;
}

std::optional<Finishing::Step> Finishing::explore_alone(const Winner& winner,
                                                        int most_under_way) const {
  std::optional<ConfigurationIndex> missing;
  int under_way = 0;
  for (const Change& change : winner.changes) {
    const auto index = back(winner, {change});
    const auto trial = state_.trial_of(*index);
    if (!trial && !missing) missing = index;
    if (trial && state_.is_simplifying(*trial)) ++under_way;
  }
  if (missing && under_way < most_under_way) return Explore{*missing, winner.trial};
  if (missing || under_way > 0) return Wait{};
  return std::nullopt;
}

// The most promising first.
std::vector<Finishing::Change> Finishing::idle(const Winner& winner) const {
  std::vector<Change> all;
  for (Change change : winner.changes) {
    const auto trial = state_.trial_of(*back(winner, {change}));
    change.same_code = state_.twin_of(*trial) == winner.trial;
    const auto score = state_.score_of(*trial);
    if (!change.same_code) {
      if (!score || !(score->value > 0)) continue;
      change.gain = -std::log(score->value) - winner.gain;
      const double least = -std::log1p(problem_.acceptance.finish_margin);
      if (change.gain + kClearly * state_.error_of(*score) < least) continue;
    }
    all.push_back(change);
  }
  std::ranges::stable_sort(all, [](const Change& a, const Change& b) {
    return std::pair(!a.same_code, -a.gain) < std::pair(!b.same_code, -b.gain);
  });
  return all;
}

int Finishing::pairs(int devices, double level) const {
  search::AcceptanceSettings settings = problem_.acceptance;
  settings.level = level;
  return search::pairs_to_show_no_worse(state_.confirmations().pair_sd(), devices, settings);
}

bool Finishing::fits(const Now& now, double level) const {
  const int pairs = this->pairs(that_judge(now.devices.size(), problem_), level);
  return pairs > 0 && 2 * pairs * now.evaluation_seconds <= now.seconds_left;
}

Finishing::Wanted Finishing::wanted(int devices) const {
  const auto winner = this->winner();
  if (!winner) return {};
  const auto changes = static_cast<int>(winner->changes.size());
  const int judges = that_judge(static_cast<std::size_t>(devices), problem_);
  const int rounds = changes > 1 ? changes + 1 : 1;
  return {changes, 2 * pairs(judges, problem_.acceptance.level / rounds), rounds};
}

Finishing::Step Finishing::next(const Now& now) const {
  const auto winner = this->winner();
  if (!winner || now.seconds_left <= 0) return Over{};
  if (auto step = explore_alone(*winner, now.most_under_way)) return *step;
  const std::vector<Change> idle = this->idle(*winner);
  const auto rounds = static_cast<double>(idle.size() > 1 ? idle.size() + 1 : 1);
  const double level = problem_.acceptance.level / rounds;
  const bool has_time = fits(now, level);
  const auto attempt = [&](const std::vector<Change>& changes) -> Due {
    const bool same_code = std::ranges::all_of(changes, &Change::same_code);
    const auto index = back(*winner, changes);
    if (!index) return {};
    const auto trial = state_.trial_of(*index);
    if (!trial && (same_code || has_time)) return {Explore{*index, winner->trial}};
    if (!trial) return {};
    if (state_.is_simplifying(*trial)) return {Wait{}};
    if (const auto known = state_.confirmations().is_no_worse(*trial)) return {{}, *known};
    ConfirmationSetup round = round_between(*trial, winner->trial);
    if (state_.twin_of(*trial) == winner->trial) return {round};
    if (!has_time || !state_.score_of(*trial)) return {};
    round.devices = now.devices;
    round.level = level;
    round.pairs = pairs(that_judge(now.devices.size(), problem_), level);
    return {round};
  };
  return first_due(idle, attempt).value_or(Over{});
}

}  // namespace nightshift::scheduler
