#include "tools/explain/study_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <unordered_set>
#include <utility>

#include "base/rng.h"
#include "search/importance/advice.h"
#include "search/scoring.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using scheduler::History;
using scheduler::TrialRecord;
using search::SpaceModel;
using Digits = std::vector<std::uint32_t>;

constexpr std::uint64_t kSeed = 0x736d;

// Positions of values in the parameters' lists.
class Digitiser {
 public:
  explicit Digitiser(const search::Problem& problem) : problem_(problem) {
    for (const search::Parameter& parameter : problem.parameters) {
      auto& places = places_.emplace_back();
      for (std::uint32_t i = 0; i < parameter.values.size(); ++i) {
        places.emplace(search::to_json(parameter.values[i]), i);
      }
    }
  }

  // nullopt where a value is none of its parameter.
  std::optional<Digits> digits(const search::Configuration& given) const {
    const search::Configuration configuration = search::resolved(problem_, given);
    Digits digits;
    for (std::size_t p = 0; p < places_.size(); ++p) {
      const search::Value* value = configuration.find(problem_.parameters[p].name);
      const auto place = value == nullptr ? std::nullopt : place_of(p, *value);
      if (!place) return std::nullopt;
      digits.push_back(*place);
    }
    return digits;
  }

 private:
  // A journal may have it as another type that is the same value.
  std::optional<std::uint32_t> place_of(std::size_t p, const search::Value& value) const {
    if (const auto known = places_[p].find(search::to_json(value)); known != places_[p].end()) {
      return known->second;
    }
    const std::vector<search::Value>& values = problem_.parameters[p].values;
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      if (search::same_value(values[i], value)) return i;
    }
    return std::nullopt;
  }

  const search::Problem& problem_;
  std::vector<std::map<std::string, std::uint32_t>> places_;
};

// The configurations of a study by what is to be learnt of them: a trial of each.
struct Explored {
  std::vector<const TrialRecord*> scored, failed;

  std::vector<const TrialRecord*> all() const {
    std::vector<const TrialRecord*> trials = scored;
    trials.insert(trials.end(), failed.begin(), failed.end());
    return trials;
  }
};

// The first measurement of the baseline, where it is a configuration of the space and no exploration
// is of it too.
const TrialRecord* baseline_of(const History& history, const search::Problem& problem,
                               const Digitiser& digitiser) {
  if (!search::baseline_configuration(problem)) return nullptr;
  const std::optional<Digits> place = digitiser.digits({});
  if (!place) return nullptr;
  const TrialRecord* baseline = nullptr;
  for (const TrialRecord& trial : history.trials) {
    if (!trial.finished) continue;
    if (trial.proposed.job == search::JobKind::kExplore &&
        digitiser.digits(trial.proposed.configuration) == place) {
      return nullptr;
    }
    const bool is_it = trial.proposed.job == search::JobKind::kBaseline &&
                       scheduler::measurement_of(trial) != nullptr;
    if (is_it && baseline == nullptr) baseline = &trial;
  }
  return baseline;
}

Explored explored_of(const History& history, const search::Problem& problem,
                     const Digitiser& digitiser) {
  std::unordered_set<search::TrialId> failed_later;
  for (const TrialRecord& trial : history.trials) {
    if (scheduler::failed_when_confirmed(trial)) failed_later.insert(trial.proposed.candidate);
  }
  const TrialRecord* baseline = baseline_of(history, problem, digitiser);
  Explored explored;
  for (const TrialRecord& trial : history.trials) {
    const bool is_explored = trial.proposed.job == search::JobKind::kExplore && trial.finished;
    if (!is_explored && &trial != baseline) continue;
    const search::TrialOutcome& outcome = trial.finished->report.outcome;
    const auto& score = trial.finished->normalised;
    const bool works = score && score->value > 0 && std::isfinite(score->value);
    if (works && !failed_later.contains(trial.proposed.id)) {
      explored.scored.push_back(&trial);
    } else if (!search::is_failure(outcome) || !search::is_blameless(outcome)) {
      explored.failed.push_back(&trial);
    }
  }
  return explored;
}

std::vector<const TrialRecord*> sampled(std::vector<const TrialRecord*> trials) {
  if (trials.size() <= SpaceModel::kMostPoints) return trials;
  base::Rng rng(kSeed);
  rng.shuffle(trials);
  trials.resize(SpaceModel::kMostPoints);
  return trials;
}

double target_of(const TrialRecord& trial) { return std::log(trial.finished->normalised->value); }

std::vector<search::ModelPoint> points_of(const std::vector<const TrialRecord*>& trials,
                                          const Digitiser& digitiser) {
  std::vector<search::ModelPoint> points;
  for (const TrialRecord* trial : sampled(trials)) {
    auto digits = digitiser.digits(trial->proposed.configuration);
    if (digits) points.push_back({*std::move(digits), target_of(*trial)});
  }
  return points;
}

StudyModel::Part part_of(const SpaceModel::Main& main, const search::Parameter& parameter) {
  StudyModel::Part part{parameter.name, main.share, {}};
  for (const SpaceModel::LevelMean& level : main.levels) {
    const std::string first = format_choice(parameter.values[level.ends.first]);
    const std::string last = format_choice(parameter.values[level.ends.last]);
    part.values.push_back({first == last ? first : first + " .. " + last, std::exp(level.mean),
                           std::exp(level.low), std::exp(level.high)});
  }
  return part;
}

void add_shares(StudyModel& told, const SpaceModel& model, const search::Problem& problem) {
  const SpaceModel::Importance importance = model.importance();
  told.rest = 1;
  for (const SpaceModel::Main& main : importance.mains) {
    told.parts.push_back(part_of(main, problem.parameters[main.parameter]));
    told.rest -= main.share;
  }
  for (const SpaceModel::Pair& pair : importance.pairs) {
    told.pairs.push_back(
        {problem.parameters[pair.first].name, problem.parameters[pair.second].name, pair.share});
    told.rest -= pair.share;
  }
  told.rest = std::max(0.0, told.rest);
  told.has_shares = true;
}

// Why none is made of them; empty where one is.
std::string no_model_of(const std::vector<search::ModelPoint>& points) {
  if (points.size() < kLeastScored) {
    return fmt::format("There is too little data: {} with a score, and a model takes {} at least.",
                       count_of(points.size(), "configuration"), kLeastScored);
  }
  const auto [least, most] = std::ranges::minmax(points, {}, &search::ModelPoint::target);
  return least.target < most.target ? "" : "All configurations score alike: nothing matters.";
}

std::string doubt_of(const search::ModelQuality& quality) {
  if (quality.explained >= kLeastExplained) return "";
  return fmt::format(
      "The model is poor: of configurations that it has not seen it foretells {} of the variance, "
      "and {} would be usable. Do not build on it; more trials may mend it.",
      format_percent(std::max(0.0, quality.explained)), format_percent(kLeastExplained));
}

// --- The best to expect ---

// Models of the figures that limits are on, where they foretell anything.
class Limits {
 public:
  Limits(const Explored& explored, const search::Problem& problem, const Digitiser& digitiser)
      : scoring_(problem) {
    for (std::size_t k = 0; k < scoring_.all().size(); ++k) {
      if (search::is_limited(scoring_.all()[k])) add(explored.all(), problem, digitiser, k);
    }
  }

  bool allow(const Digits& digits) const {
    return std::ranges::all_of(models_, [&](const auto& one) {
      const search::Objective& objective = scoring_.all()[one.first];
      const double figure = one.second.predict(digits);
      return (!objective.at_most || !search::is_beyond(figure, *objective.at_most)) &&
             (!objective.at_least || !search::is_beyond(-figure, -*objective.at_least));
    });
  }

 private:
  void add(const std::vector<const TrialRecord*>& trials, const search::Problem& problem,
           const Digitiser& digitiser, std::size_t objective) {
    std::vector<search::ModelPoint> points;
    for (const TrialRecord* trial : trials) {
      const search::Measurement* measurement = scheduler::measurement_of(*trial);
      if (measurement == nullptr) continue;
      const auto figures = scoring_.figures_of(*measurement);
      auto digits = digitiser.digits(trial->proposed.configuration);
      if (figures && digits) points.push_back({*std::move(digits), (*figures)[objective].value});
    }
    if (points.size() < kLeastScored) return;
    SpaceModel model(problem.parameters, std::move(points));
    if (model.quality().explained > 0) models_.emplace_back(objective, std::move(model));
  }

  search::Scoring scoring_;
  std::vector<std::pair<std::size_t, SpaceModel>> models_;
};

std::optional<StudyModel::Advice> advice_of(const SpaceModel& model, const Explored& explored,
                                            const Digitiser& digitiser, const Limits& limits,
                                            const search::ParameterSpace& space) {
  std::vector<search::TriedPoint> tried;
  for (const TrialRecord* trial : explored.scored) {
    auto digits = digitiser.digits(trial->proposed.configuration);
    if (digits) tried.push_back({*std::move(digits), true, target_of(*trial)});
  }
  for (const TrialRecord* trial : explored.failed) {
    auto digits = digitiser.digits(trial->proposed.configuration);
    if (digits) tried.push_back({*std::move(digits), false});
  }
  const auto advice = search::advise(space, model, tried,
                                     [&](const Digits& digits) { return limits.allow(digits); });
  if (!advice) return std::nullopt;
  return StudyModel::Advice{space.configuration(advice->configuration), std::exp(advice->target),
                            advice->works};
}

}  // namespace

StudyModel study_model(const History& history, const search::Problem& problem,
                       const search::ParameterSpace* space) {
  const Digitiser digitiser(problem);
  const Explored explored = explored_of(history, problem, digitiser);
  std::vector<search::ModelPoint> points = points_of(explored.scored, digitiser);
  StudyModel told;
  told.scored = explored.scored.size();
  told.failed = explored.failed.size();
  told.fitted = points.size();
  told.was_advised = space != nullptr;
  for (const TrialRecord* trial : explored.scored) {
    told.best = std::min(told.best, trial->finished->normalised->value);
  }
  if (problem.parameters.empty()) {
    told.doubt = "What the parameters are is not known: the recording that says so is gone.";
    return told;
  }
  told.doubt = no_model_of(points);
  if (!told.doubt.empty()) return told;
  const SpaceModel model(problem.parameters, points);
  told.quality = model.quality();
  told.doubt = doubt_of(told.quality);
  add_shares(told, model, problem);
  if (space != nullptr && told.doubt.empty()) {
    told.advice =
        advice_of(model, explored, digitiser, Limits(explored, problem, digitiser), *space);
  }
  return told;
}

}  // namespace nightshift::tools
