#include "problems/readers/recorded/t4_results.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "search/time_unit.h"

namespace nightshift::problems {
namespace {

bool is_evaluated_again(const Json& entry) {
  const std::string job = text_or(entry, "job", "");
  return job == search::name_of(search::JobKind::kConfirm) ||
         job == search::name_of(search::JobKind::kRebaseline);
}

const Json* measurement_of(const Json& entry, const std::string& name) {
  const Json* measurements = member(entry, "measurements");
  if (measurements == nullptr || !measurements->is_array()) return nullptr;
  for (const Json& measurement : *measurements) {
    if (text_or(measurement, "name", "") == name) return &measurement;
  }
  return nullptr;
}

// `correctness` is 1 or true of a right answer; where it is absent or null, nothing is known
// against it.
bool is_right(const Json& entry) {
  const Json* correctness = member(entry, "correctness");
  if (correctness == nullptr || correctness->is_null()) return true;
  if (correctness->is_boolean()) return correctness->get<bool>();
  return correctness->is_number() && correctness->get<double>() >= 1;
}

}  // namespace

void T4Results::header(const std::string& key, const Json& value) {
  if (key != "metadata") return;
  if (const Json* given = member(value, "directions"); given != nullptr && given->is_object()) {
    for (const auto& [name, word] : given->items()) {
      if (word == "maximise") directions_[name] = search::Direction::kMaximise;
      if (word == "minimise") directions_[name] = search::Direction::kMinimise;
    }
  }
  const Json* given = member(value, "timeunit");
  if (given != nullptr && !given->is_string() && !given->is_null()) {
    throw RecordedSpaceError("metadata.timeunit is " + given->dump() +
                             ", which is no unit of time; write seconds, milliseconds, "
                             "microseconds or nanoseconds");
  }
  const std::string word = text_or(value, "timeunit", "");
  if (word.empty()) return;
  const search::Unit* unit = search::find_unit(word);
  if (unit == nullptr || unit->dimension != search::Dimension::kTime) {
    throw RecordedSpaceError("metadata.timeunit is '" + word +
                             "', which is no unit of time; write seconds, milliseconds, "
                             "microseconds or nanoseconds");
  }
  time_unit_ = unit->name;
}

search::Configuration T4Results::configuration_of(const Json& entry) {
  const std::string number = std::to_string(recording_.trials.size() + 1);
  const Json* given = member(entry, "configuration");
  if (given == nullptr || !given->is_object()) {
    throw RecordedSpaceError("result " + number + " has no configuration");
  }
  if (recording_.trials.empty()) {
    for (const auto& [name, value] : given->items()) recording_.names.push_back(name);
  }
  std::vector<search::Configuration::Entry> values;
  for (const std::string& name : recording_.names) {
    const Json* value = member(*given, name.c_str());
    if (value == nullptr)
      throw RecordedSpaceError("result " + number + " has no value for " + name);
    values.emplace_back(name, value_of(*value));
  }
  if (given->size() != values.size()) {
    throw RecordedSpaceError("result " + number + " names parameters that the first does not");
  }
  return search::Configuration(std::move(values));
}

void T4Results::settle_objective(const Json& entry) {
  if (objective_known_) return;
  objective_known_ = true;
  const Json* objectives = member(entry, "objectives");
  const Json* first =
      objectives && objectives->is_array() && !objectives->empty() ? &objectives->front() : nullptr;
  std::string name = "time";
  if (first != nullptr) {
    name = first->is_string() ? first->get<std::string>() : text_or(*first, "name", name);
    objective_unit_ = text_or(*first, "unit", "");
  }
  recording_.objective = objective_named(name);
  if (first == nullptr || objectives->size() == 1) return;
  recording_.remarks.push_back("its results name " + std::to_string(objectives->size()) +
                               " objectives, of which a study of a recording has one: '" + name +
                               "', the first, is replayed");
}

search::TrialOutcome T4Results::failure_of(const Json& entry) {
  const std::string invalidity = text_or(entry, "invalidity", "correct");
  if (invalidity == "correct") {
    if (is_right(entry)) return search::Measured{};
    ++contradictions_;
    return wrong_result();
  }
  if (invalidity == "compile") return search::BuildFailed{"recorded as a failure to compile"};
  if (invalidity == "correctness") return wrong_result();
  if (invalidity == "timeout") return search::TimedOut{search::Phase::kMeasure, 0, false};
  if (invalidity == "constraints") {
    return search::LaunchFailed{"recorded as a violation of the constraints"};
  }
  return search::LaunchFailed{"recorded as a failure at run time (" + invalidity + ")"};
}

void T4Results::entry(const std::string&, const Json& entry) {
  if (is_evaluated_again(entry)) return;
  settle_objective(entry);
  RecordedTrial trial;
  trial.configuration = configuration_of(entry);
  // What was explored and has the baseline's machine code has its figures as well.
  trial.is_copy = text_or(entry, "job", "") == search::name_of(search::JobKind::kExplore);
  const Json none = Json::object();
  const Json* times = member(entry, "times");
  if (times == nullptr) times = &none;
  std::vector<double> runtimes;
  append_numbers(member(*times, "runtimes"), runtimes);
  double running = 0;
  for (const double runtime : runtimes) running += runtime;
  trial.build_seconds = number_or(*times, "compilation", number_or(*times, "compilation_time", 0));
  trial.measure_seconds =
      number_or(*times, "benchmark", running) + number_or(*times, "framework", 0) +
      number_or(*times, "search_algorithm", 0) + number_or(*times, "validation", 0);

  trial.failure = failure_of(entry);
  if (std::holds_alternative<search::Measured>(trial.failure)) {
    take_figures(entry, std::move(runtimes), trial);
  }
  recording_.trials.push_back(std::move(trial));
}

// Of a trial that is about to be the last one. Where the figure is a time its runtimes are the
// samples; one in cycles is no time.
void T4Results::take_figures(const Json& entry, std::vector<double> runtimes,
                             RecordedTrial& trial) {
  Figures figures;
  figures.position = recording_.trials.size();
  const std::string& objective = recording_.objective.name;
  const Json* measurement = measurement_of(entry, objective);
  const Json* value = measurement ? member(*measurement, "value") : nullptr;
  const bool one_figure = value && !value->is_array();
  figures.unit = measurement ? text_or(*measurement, "unit", objective_unit_) : objective_unit_;
  if (one_figure && value->is_number()) figures.figure = value->get<double>();
  if (figures.figure) vote_for_time_unit(*figures.figure, figures.unit, runtimes);
  const bool is_no_time =
      value != nullptr && !figures.unit.empty() && !search::per_second(figures.unit);
  figures.are_runtimes = objective == "time" && (value == nullptr || one_figure) && !is_no_time;
  if (figures.are_runtimes) trial.values = std::move(runtimes);
  if (trial.values.empty()) {
    figures.are_runtimes = false;
    append_numbers(value, trial.values);
  }
  if (trial.values.empty()) {
    trial.failure = search::LaunchFailed{"recorded without a " + objective};
  } else {
    figures_.push_back(std::move(figures));
  }
}

// In which unit the repetitions are if the figure is their mean, median or least.
void T4Results::vote_for_time_unit(double figure, const std::string& unit,
                                   const std::vector<double>& runtimes) {
  if (runtimes.empty() || !search::per_second(unit)) return;
  for (const search::TimeUnit& candidate : search::kTimeUnits) {
    const auto factor = search::conversion(unit, candidate.name);
    if (is_statistic(figure * *factor, runtimes)) ++votes_[std::string(candidate.name)];
  }
}

void T4Results::settle_time_unit() {
  if (!time_unit_.empty()) return;
  const auto most =
      std::ranges::max_element(votes_, {}, [](const auto& candidate) { return candidate.second; });
  if (most != votes_.end()) {
    time_unit_ = most->first;
    recording_.remarks.push_back("the file has no metadata.timeunit: its times are read in " +
                                 time_unit_ + ", in which '" + recording_.objective.name +
                                 "' is what its runtimes are");
    return;
  }
  const auto timed = std::ranges::find_if(figures_, [](const Figures& figures) {
    return search::per_second(figures.unit).has_value();
  });
  time_unit_ = timed == figures_.end() ? "ms" : search::find_unit(timed->unit)->name;
  recording_.remarks.push_back(
      "the file has no metadata.timeunit: its times are taken for " + time_unit_ +
      (timed == figures_.end() ? ", as other T4 files have them"
                               : ", the unit of '" + recording_.objective.name + "'"));
}

// By the unit that is settled.
void T4Results::settle_direction() {
  search::Objective& objective = recording_.objective;
  const auto told = directions_.find(objective.name);
  recording_.has_direction = told != directions_.end();
  objective.direction = recording_.has_direction
                            ? told->second
                            : objective_named(objective.name, objective.unit).direction;
}

// Of the objective: times where repetitions count; else the first that stands beside a figure.
void T4Results::settle_objective_unit() {
  std::string& unit = recording_.objective.unit;
  const bool is_time = recording_.objective.name == "time";
  if (is_time) unit = time_unit_;
  for (const Figures& figures : figures_) {
    if (is_time && (figures.are_runtimes || search::per_second(figures.unit))) break;
    if (figures.unit.empty()) continue;
    unit = search::per_second(figures.unit) ? search::find_unit(figures.unit)->name : figures.unit;
    break;
  }
  for (const Figures& figures : figures_) {
    RecordedTrial& trial = recording_.trials[figures.position];
    const std::string own = figures.are_runtimes   ? time_unit_
                            : figures.unit.empty() ? unit
                                                   : figures.unit;
    if (own == unit) continue;
    const auto factor = search::conversion(own, unit);
    if (!factor) {
      throw RecordedSpaceError("result " + std::to_string(figures.position + 1) + " has '" +
                               recording_.objective.name + "' in '" + own +
                               "', and an earlier one in '" + unit + "'");
    }
    for (double& value : trial.values) value *= *factor;
    std::erase_if(trial.values, [](double value) { return !std::isfinite(value); });
    if (trial.values.empty()) {
      trial.failure =
          search::LaunchFailed{"recorded without a finite " + recording_.objective.name};
    }
  }
}

void T4Results::check_figures() {
  if (contradictions_ > 0) {
    recording_.remarks.push_back(
        "results that are valid by 'invalidity' and not right by 'correctness', which is not 1, "
        "count as wrong: " +
        std::to_string(contradictions_));
  }
  for (const Figures& figures : figures_) {
    const auto factor = search::conversion(figures.unit.empty() ? time_unit_ : figures.unit,
                                           recording_.objective.unit);
    if (!figures.are_runtimes || !figures.figure || !factor) continue;
    times_.add(*figures.figure * *factor, recording_.trials[figures.position].values);
  }
  if (const std::string remark = times_.remark("time", "runtimes"); !remark.empty()) {
    recording_.remarks.push_back(remark);
  }
}

Recording T4Results::finish() {
  settle_time_unit();
  settle_objective_unit();
  settle_direction();
  check_figures();
  recording_.listed.resize(recording_.names.size());
  const double per_second = *search::per_second(time_unit_);
  const auto seconds = [&](double amount) {
    return std::clamp(amount / per_second, 0.0, std::numeric_limits<double>::max());
  };
  for (RecordedTrial& trial : recording_.trials) {
    trial.build_seconds = seconds(trial.build_seconds);
    trial.measure_seconds = seconds(trial.measure_seconds);
  }
  return std::move(recording_);
}

}  // namespace nightshift::problems
