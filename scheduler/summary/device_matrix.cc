#include "scheduler/summary/device_matrix.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "scheduler/confirmation/paired_effects.h"
#include "search/identity.h"
#include "search/scoring.h"
#include "search/statistics/distributions.h"

namespace nightshift::scheduler {

namespace {

using Holds = GainThere::Holds;
using search::TrialId;

PairedEffects effects_of(const History& history) {
  PairedEffects effects;
  for (const ConfirmationVerdict& verdict : history.verdicts) {
    const ConfirmationSetup* setup = find_confirmation(history, verdict.id);
    if (setup != nullptr) effects.concluded(*setup, verdict.verdict);
  }
  return effects;
}

GainThere gain_of(const PairedEffect& effect, double min_improvement) {
  const double half = std::sqrt(effect.variance) * search::student_quantile(0.975, effect.df);
  GainThere gain;
  gain.ratio = std::exp(-effect.mean);
  gain.interval = {std::exp(-effect.mean - half), std::exp(-effect.mean + half)};
  gain.pairs = effect.pairs;
  if (gain.interval.high < 1) {
    gain.holds = Holds::kYes;
  } else if (gain.interval.low > 1 - min_improvement) {
    gain.holds = Holds::kNo;
  }
  return gain;
}

// By a t test of this effect alone; without any scatter its sign says it.
bool shows_gain(const PairedEffect& effect, double level) {
  if (!(effect.mean > 0)) return false;
  const double error = std::sqrt(effect.variance);
  return !(error > 0) || search::student_upper_tail(effect.mean / error, effect.df) <= level;
}

class Matrix {
 public:
  Matrix(const History& history, const search::Problem& problem,
         const std::vector<DeviceFigure>& baselines, TrialId best)
      : history_(history),
        problem_(problem),
        baselines_(baselines),
        best_(best),
        kind_of_(kinds_of_devices(history)),
        effects_(effects_of(history)) {}

  DeviceMatrix run() {
    DeviceMatrix matrix;
    std::map<std::string, std::vector<std::string>> devices, nodes, kinds;
    for (const DeviceFigure& b : baselines_) {
      devices[b.device].push_back(b.device);
      nodes[node_of(b.device)].push_back(b.device);
      const auto kind = kind_of_.find(b.device);
      if (kind != kind_of_.end()) kinds[kind->second].push_back(b.device);
    }
    matrix.devices = standings(devices);
    matrix.nodes = standings(nodes);
    for (PlaceStanding& place : standings(kinds)) matrix.kinds.push_back(of_kind(std::move(place)));
    matrix.good_on_all = good_on_all(matrix.kinds);
    return matrix;
  }

 private:
  using Groups = std::map<std::string, std::vector<std::string>>;

  static std::map<std::string, std::string> kinds_of_devices(const History& history) {
    std::map<std::string, std::string> kinds;
    for (const search::IdentityPart& part : identity_of(history)) {
      if (part.kind == search::IdentityPart::Kind::kDevice) kinds[part.name] = part.value;
    }
    return kinds;
  }

  // Each of the kinds makes a claim of its own from a hold-out, which shares its level among them.
  double kinds_held_out(const PairedEffects::Candidate& evidence) const {
    std::set<std::string> kinds;
    for (const auto& [device, effect] : evidence.devices) {
      const auto kind = kind_of_.find(device);
      if (effect.held_out && kind != kind_of_.end()) kinds.insert(kind->second);
    }
    return static_cast<double>(std::max<std::size_t>(kinds.size(), 1));
  }

  // Logarithm of the geometric mean of the baselines' costs; not finite where one is not positive.
  double level(const std::vector<std::string>& devices) const {
    const bool minimised =
        search::primary_objective(problem_).direction == search::Direction::kMinimise;
    double sum = 0;
    for (const DeviceFigure& b : baselines_) {
      if (std::ranges::find(devices, b.device) == devices.end()) continue;
      sum += minimised ? std::log(b.value) : -std::log(b.value);
    }
    return sum / static_cast<double>(devices.size());
  }

  std::vector<PlaceStanding> standings(const Groups& groups) const {
    std::vector<PlaceStanding> places;
    if (groups.size() < 2) return places;
    std::vector<double> levels;
    for (const auto& [name, devices] : groups) {
      PlaceStanding place{name, devices, {}, {}};
      levels.push_back(level(devices));
      if (const auto effect = effects_.joined(best_, devices)) {
        place.gain = gain_of(*effect, problem_.acceptance.min_improvement);
      }
      places.push_back(std::move(place));
    }
    if (!std::ranges::all_of(levels, [](double l) { return std::isfinite(l); })) return places;
    const double fastest = *std::ranges::min_element(levels);
    for (std::size_t i = 0; i < places.size(); ++i) places[i].pace = std::exp(levels[i] - fastest);
    return places;
  }

  static void keep_lower(std::optional<KindStanding::Best>& kept, KindStanding::Best other) {
    if (!kept || other.ratio < kept->ratio) kept = std::move(other);
  }

  KindStanding of_kind(PlaceStanding place) const {
    KindStanding kind{std::move(place), {}, {}};
    const std::vector<std::string>& devices = kind.place.devices;
    std::map<TrialId, bool> paired;
    for (const auto& [candidate, evidence] : effects_.candidates()) {
      const TrialRecord* trial = find_trial(history_, candidate);
      const auto effect = effects_.joined(candidate, devices);
      if (!effect || trial == nullptr) continue;
      paired[candidate] = true;
      const GainThere gain = gain_of(*effect, problem_.acceptance.min_improvement);
      KindStanding::Best best{candidate, trial->proposed.configuration, gain.ratio, gain.interval,
                              gain.pairs};
      const bool shown =
          effect->held_out && shows_gain(*effect, evidence.level / kinds_held_out(evidence));
      keep_lower(shown ? kind.confirmed : kind.seen, std::move(best));
    }
    for (const TrialRecord& trial : history_.trials) {
      if (trial.proposed.job != search::JobKind::kExplore || measurement_of(trial) == nullptr ||
          paired.contains(trial.proposed.id)) {
        continue;
      }
      const auto& score = trial.finished->normalised;
      const bool is_here = std::ranges::find(devices, trial.finished->device) != devices.end();
      if (!is_here || !score || !std::isfinite(score->value)) continue;
      keep_lower(kind.seen, {trial.proposed.id, trial.proposed.configuration, score->value,
                             search::Interval{score->value, score->value}, 0});
    }
    const double bound = kind.confirmed ? kind.confirmed->ratio : 1;
    if (kind.seen && !(kind.seen->ratio < bound)) kind.seen.reset();
    return kind;
  }

  static Holds good_on_all(const std::vector<KindStanding>& kinds) {
    const auto holds = [](const KindStanding& kind) {
      return kind.place.gain ? kind.place.gain->holds : Holds::kUndecided;
    };
    const auto is_no = [&](const KindStanding& kind) { return holds(kind) == Holds::kNo; };
    const auto is_yes = [&](const KindStanding& kind) { return holds(kind) == Holds::kYes; };
    if (std::ranges::any_of(kinds, is_no)) return Holds::kNo;
    if (!kinds.empty() && std::ranges::all_of(kinds, is_yes)) return Holds::kYes;
    return Holds::kUndecided;
  }

  const History& history_;
  const search::Problem& problem_;
  const std::vector<DeviceFigure>& baselines_;
  const TrialId best_;
  const std::map<std::string, std::string> kind_of_;
  const PairedEffects effects_;
};

}  // namespace

DeviceMatrix device_matrix_of(const History& history, const search::Problem& problem,
                              const std::vector<DeviceFigure>& baselines, search::TrialId best) {
  return Matrix(history, problem, baselines, best).run();
}

}  // namespace nightshift::scheduler
