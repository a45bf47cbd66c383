#include "kernels/readers/recorded/t4_results.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "search/time_unit.h"

namespace nightshift::kernels {
namespace {

struct UnitWord {
  std::string_view word;
  std::string_view unit;
};
// "miliseconds" is what published files say.
constexpr std::array<UnitWord, 5> kUnitWords = {UnitWord{"milliseconds", "ms"},
                                                {"miliseconds", "ms"},
                                                {"microseconds", "us"},
                                                {"nanoseconds", "ns"},
                                                {"seconds", "s"}};

bool is_evaluated_again(const Json& entry) {
  const std::string job = text_or(entry, "job", "");
  return job == search::name_of(search::JobKind::kConfirm) ||
         job == search::name_of(search::JobKind::kRebaseline);
}

double seconds_per(const std::string& unit) { return 1 / search::per_second(unit).value_or(1e3); }

const Json* measurement_of(const Json& entry, const std::string& name) {
  const Json* measurements = member(entry, "measurements");
  if (measurements == nullptr || !measurements->is_array()) return nullptr;
  for (const Json& measurement : *measurements) {
    if (text_or(measurement, "name", "") == name) return &measurement;
  }
  return nullptr;
}

}  // namespace

void T4Results::header(const std::string& key, const Json& value) {
  if (key != "metadata") return;
  const std::string word = text_or(value, "timeunit", "milliseconds");
  for (const UnitWord& known : kUnitWords) {
    if (known.word == word || known.unit == word) time_unit_ = known.unit;
  }
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
  const bool named = objectives && objectives->is_array() && !objectives->empty() &&
                     objectives->front().is_string();
  recording_.objective =
      objective_named(named ? objectives->front().get<std::string>() : std::string("time"));
}

search::TrialOutcome T4Results::failure_of(const Json& entry) const {
  const std::string invalidity = text_or(entry, "invalidity", "correct");
  if (invalidity == "correct") return search::Measured{};
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
    search::Objective& objective = recording_.objective;
    const Json* measurement = measurement_of(entry, objective.name);
    const Json* value = measurement ? member(*measurement, "value") : nullptr;
    const bool one_figure = value && !value->is_array();
    if (objective.name == "time" && (value == nullptr || one_figure)) trial.values = runtimes;
    const std::string unit = measurement ? text_or(*measurement, "unit", "") : "";
    if (one_figure && value->is_number() && (unit.empty() || unit == time_unit_)) {
      times_.add(value->get<double>(), trial.values);
    }
    if (trial.values.empty()) append_numbers(value, trial.values);
    if (trial.values.empty()) {
      trial.failure = search::LaunchFailed{"recorded without a " + objective.name};
    }
    if (objective.name != "time" && !unit.empty()) objective.unit = unit;
  }
  recording_.trials.push_back(std::move(trial));
}

Recording T4Results::finish() {
  if (const std::string remark = times_.remark("time", "runtimes"); !remark.empty()) {
    recording_.remarks.push_back(remark);
  }
  recording_.listed.resize(recording_.names.size());
  if (recording_.objective.name == "time") recording_.objective.unit = time_unit_;
  const double seconds = seconds_per(time_unit_);
  for (RecordedTrial& trial : recording_.trials) {
    trial.build_seconds = std::max(0.0, trial.build_seconds * seconds);
    trial.measure_seconds = std::max(0.0, trial.measure_seconds * seconds);
  }
  return std::move(recording_);
}

}  // namespace nightshift::kernels
