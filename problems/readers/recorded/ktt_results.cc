#include "problems/readers/recorded/ktt_results.h"

#include <algorithm>
#include <map>
#include <utility>

#include "problems/readers/recorded/ktt_words.h"
#include "search/time_unit.h"

namespace nightshift::problems {
namespace {

// What KTT gives a computation that did not happen: the largest of its 64 bits of nanoseconds.
constexpr double kInvalidSeconds = 1e10;

search::TrialOutcome failure_named(const std::string& status) {
  if (status == kKttCompilationFailed) return search::BuildFailed{"recorded as " + status};
  if (status == kKttValidationFailed) return wrong_result();
  return search::LaunchFailed{"recorded as " + (status.empty() ? "no status" : status)};
}

}  // namespace

void KttResults::header(const std::string& key, const Json& value) {
  if (key != "Metadata") return;
  recording_.device_name = text_or(value, "Device", "");
  const std::string word = text_or(value, "TimeUnit", "");
  if (word.empty()) return;
  const search::Unit* unit = search::find_unit(word);
  if (unit == nullptr || unit->dimension != search::Dimension::kTime) {
    throw RecordedSpaceError("TimeUnit is '" + word +
                             "', which is no unit of time; KTT writes Nanoseconds, Microseconds, "
                             "Milliseconds or Seconds");
  }
  time_unit_ = unit->name;
}

search::Configuration KttResults::configuration_of(const Json& entry) {
  const std::string number = std::to_string(recording_.trials.size() + 1);
  const Json* pairs = member(entry, "Configuration");
  if (pairs == nullptr || !pairs->is_array()) {
    throw RecordedSpaceError("result " + number + " has no Configuration");
  }
  std::vector<search::Configuration::Entry> values;
  for (const Json& pair : *pairs) {
    const Json* value = member(pair, "Value");
    const std::string name = text_or(pair, "Name", "");
    if (value == nullptr || name.empty()) {
      throw RecordedSpaceError("result " + number + " has a parameter without Name or Value");
    }
    values.emplace_back(name, value_of(*value));
  }
  const auto has_names = [&](const std::vector<std::string>& names) {
    return std::ranges::equal(names, values, {}, {}, &search::Configuration::Entry::first);
  };
  if (recording_.trials.empty()) {
    for (const auto& [name, value] : values) recording_.names.push_back(name);
  } else if (!has_names(recording_.names)) {
    std::map<std::string, search::Value> by_name;
    for (auto& [name, value] : values) by_name.emplace(name, std::move(value));
    values.clear();
    for (const std::string& name : recording_.names) {
      const auto found = by_name.find(name);
      if (found == by_name.end()) {
        throw RecordedSpaceError("result " + number + " has no value for " + name);
      }
      values.emplace_back(name, std::move(found->second));
    }
    if (by_name.size() != values.size()) {
      throw RecordedSpaceError("result " + number + " names parameters that the first does not");
    }
  }
  return search::Configuration(std::move(values));
}

void KttResults::entry(const std::string&, const Json& entry) {
  RecordedTrial trial;
  trial.configuration = configuration_of(entry);
  if (recording_.kernel_name.empty()) recording_.kernel_name = text_or(entry, "KernelName", "");
  const auto positive = [&](const char* key) { return std::max(0.0, number_or(entry, key, 0)); };
  const double duration = positive("TotalDuration");
  trial.build_seconds = positive("CompilationOverhead");
  if (const Json* parts = member(entry, "ComputationResults"); parts && parts->is_array()) {
    for (const Json& part : *parts) {
      trial.build_seconds += std::max(0.0, number_or(part, "CompilationOverhead", 0));
    }
  }
  trial.measure_seconds = duration + positive("TotalOverhead");
  const std::string status = text_or(entry, "Status", "");
  if (status != kKttOk) {
    trial.failure = failure_named(status);
  } else if (duration <= 0) {
    trial.failure = search::LaunchFailed{"recorded without a TotalDuration"};
  } else {
    trial.values = {duration};
  }
  recording_.trials.push_back(std::move(trial));
}

Recording KttResults::finish() {
  recording_.listed.resize(recording_.names.size());
  if (time_unit_.empty()) {
    time_unit_ = "ms";
    recording_.remarks.emplace_back(
        "the file's Metadata has no TimeUnit: its times are taken for ms, which KTT has where "
        "nobody "
        "other files without one");
  }
  recording_.objective.unit = time_unit_;
  const double seconds = 1 / *search::per_second(time_unit_);
  const auto valid = [&](double amount) {
    return amount * seconds < kInvalidSeconds ? amount * seconds : 0;
  };
  for (RecordedTrial& trial : recording_.trials) {
    const double whole = valid(trial.measure_seconds);
    trial.build_seconds = std::min(valid(trial.build_seconds), whole);
    trial.measure_seconds = whole - trial.build_seconds;
  }
  return std::move(recording_);
}

}  // namespace nightshift::problems
