#include "problems/readers/recorded/kernel_tuner_cache.h"

#include <algorithm>
#include <utility>

namespace nightshift::problems {
namespace {

constexpr double kFailedTime = 1e20;  // what old versions wrote for a failure

double milliseconds_in_seconds(const Json& entry, const char* key) {
  return std::max(0.0, number_or(entry, key, 0)) / 1e3;
}

// The outcome behind an error's name, e.g. "CompilationFailedConfig".
search::TrialOutcome failure_named(const std::string& error) {
  const auto has = [&](std::string_view part) { return error.find(part) != std::string::npos; };
  const std::string words = "recorded as " + error;
  if (has("ompil")) return search::BuildFailed{words};
  if (has("ncorrect") || has("orrectness") || has("erification")) return wrong_result();
  if (has("imeout") || has("imedOut")) return search::TimedOut{search::Phase::kMeasure, 0, false};
  if (has("Runtime")) return search::LaunchFailed{words};
  if (has("Invalid")) return search::LaunchFailed{words + ": not a valid configuration there"};
  return search::LaunchFailed{words};
}

}  // namespace

void KernelTunerCache::header(const std::string& key, const Json& value) {
  if (key == "device_name" && value.is_string()) recording_.device_name = value;
  if (key == "kernel_name" && value.is_string()) recording_.kernel_name = value;
  if (key == "objective" && value.is_string()) {
    recording_.objective = objective_named(value);
    is_outdated_ = !recording_.trials.empty();
  }
  if (key == "tune_params_keys" && value.is_array()) {
    is_outdated_ = !recording_.trials.empty();
    keys_.clear();
    for (const Json& name : value) {
      if (!name.is_string()) throw RecordedSpaceError("tune_params_keys must be a list of texts");
      keys_.push_back(name);
    }
  }
  if (key != "tune_params" || !value.is_object()) return;
  listed_.clear();
  for (const auto& [name, values] : value.items()) {
    if (!values.is_array()) throw RecordedSpaceError("tune_params: " + name + " must be a list");
    auto& target = listed_.emplace_back(name, std::vector<search::Value>{}).second;
    for (const Json& v : values) target.push_back(value_of(v));
  }
}

void KernelTunerCache::forget_entries() {
  recording_.trials.clear();
  recording_.names.clear();
  times_ = {};
}

void KernelTunerCache::settle_names() {
  if (!recording_.names.empty()) return;
  recording_.names = keys_;
  if (keys_.empty()) {
    for (const auto& [name, values] : listed_) recording_.names.push_back(name);
  }
}

void KernelTunerCache::entry(const std::string& key, const Json& entry) {
  settle_names();
  RecordedTrial trial;
  std::vector<search::Configuration::Entry> values;
  for (const std::string& name : recording_.names) {
    const Json* value = member(entry, name.c_str());
    if (value == nullptr) {
      throw RecordedSpaceError("cache entry '" + key + "' has no value for " + name);
    }
    values.emplace_back(name, value_of(*value));
  }
  trial.configuration = search::Configuration(std::move(values));
  trial.build_seconds = milliseconds_in_seconds(entry, "compile_time");
  for (const char* part :
       {"benchmark_time", "framework_time", "verification_time", "strategy_time"}) {
    trial.measure_seconds += milliseconds_in_seconds(entry, part);
  }
  const std::string& objective = recording_.objective.name;
  const std::string error = text_or(entry, "__error__", text_or(entry, objective.c_str(), ""));
  const double figure = number_or(entry, objective.c_str(), kFailedTime);
  if (!error.empty()) {
    trial.failure = failure_named(error);
  } else if (figure >= kFailedTime) {
    trial.failure = search::LaunchFailed{"recorded without a " + objective};
  } else {
    if (objective == "time") append_numbers(member(entry, "times"), trial.values);
    times_.add(figure, trial.values);
    if (trial.values.empty()) trial.values.push_back(figure);
  }
  recording_.trials.push_back(std::move(trial));
}

Recording KernelTunerCache::finish() {
  settle_names();
  if (recording_.names.empty()) {
    throw RecordedSpaceError("has neither tune_params_keys nor tune_params");
  }
  if (const std::string remark = times_.remark("time", "times"); !remark.empty()) {
    recording_.remarks.push_back(remark);
  }
  recording_.listed.resize(recording_.names.size());
  for (auto& [name, values] : listed_) {
    const auto found = std::find(recording_.names.begin(), recording_.names.end(), name);
    if (found == recording_.names.end()) continue;
    recording_.listed[static_cast<std::size_t>(found - recording_.names.begin())] =
        std::move(values);
  }
  return std::move(recording_);
}

std::optional<std::string> close_cut_cache(std::string_view json) {
  std::size_t depth = 0, whole = 0;  // `whole`: end of the last complete entry
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') {
      for (++i; i < json.size() && json[i] != '"'; ++i) {
        if (json[i] == '\\') ++i;
      }
    } else if (c == '{' || c == '[') {
      ++depth;
      if (c == '{' && depth == 2) whole = i + 1;
    } else if (c == '}' || c == ']') {
      if (depth-- == 0) return std::nullopt;
      if (depth == 2 && c == '}') whole = i + 1;
    }
  }
  if (whole == 0 || depth < 2) return std::nullopt;
  return std::string(json.substr(0, whole)) + "}}";
}

}  // namespace nightshift::problems
