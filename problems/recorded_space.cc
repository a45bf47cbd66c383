#include "problems/recorded_space.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/strict_json.h"
#include "problems/readers/json_format.h"
#include "problems/readers/recorded/impossible_figures.h"
#include "problems/readers/recorded/kernel_tuner_cache.h"
#include "problems/readers/recorded/ktt_results.h"
#include "problems/readers/recorded/recorded_rows.h"
#include "problems/readers/recorded/t4_results.h"
#include "problems/value_list.h"

namespace nightshift::problems {
namespace {

template <class Reader>
Recording read_with(std::string_view json) {
  Reader reader;
  read_recording(json, Reader::kEntries, reader);
  return reader.finish();
}

Recording read_cache(std::string_view json) {
  try {
    return read_with<KernelTunerCache>(json);
  } catch (const Json::parse_error& error) {
    const auto closed = error.byte > json.size() ? close_cut_cache(json) : std::nullopt;
    if (!closed) throw;
    return read_with<KernelTunerCache>(*closed);
  }
}

Recording read_any(std::string_view json) {
  switch (recognise(json)) {
    case JsonFormat::kKernelTunerCache:
      return read_cache(json);
    case JsonFormat::kT4:
      return read_with<T4Results>(json);
    case JsonFormat::kKtt:
      return read_with<KttResults>(json);
    case JsonFormat::kKttXml: {
      KttResults reader;
      read_ktt_xml(json, reader);
      return reader.finish();
    }
    default:
      throw RecordedSpaceError(
          "is no recorded space: a Kernel Tuner cache has the members tune_params and cache, T4 "
          "has results with configurations, KTT has Results with a Configuration");
  }
}

// The values of one parameter: those that the recording lists and those that its trials have,
// ascending where they are numbers.
search::Parameter parameter_of(const Recording& recording, std::size_t position) {
  search::Parameter parameter;
  parameter.name = recording.names[position];
  std::set<std::string> seen;
  const auto add = [&](const search::Value& value) {
    if (seen.insert(key_of(value)).second) parameter.values.push_back(value);
  };
  for (const search::Value& value : recording.listed[position]) add(value);
  for (const RecordedTrial& trial : recording.trials) {
    add(trial.configuration.entries()[position].second);
  }
  parameter.type = type_of(parameter.values);
  if (parameter.type != search::ParameterType::kString) {
    std::stable_sort(parameter.values.begin(), parameter.values.end(), is_below);
  }
  return parameter;
}

// Empty where the configuration lacks a parameter.
std::string lookup_key(const search::Configuration& configuration,
                       const std::vector<search::Parameter>& parameters) {
  std::string key;
  for (const search::Parameter& parameter : parameters) {
    const search::Value* value = configuration.find(parameter.name);
    if (value == nullptr) return "";
    key += key_of(*value);
    key += ',';
  }
  return key;
}

Recording recording_of(std::string_view json, const std::string& name) {
  std::string repaired;
  try {
    const bool is_json = recognise(json) != JsonFormat::kKttXml;
    if (is_json && (json.find("NaN") != std::string_view::npos ||
                    json.find("Infinity") != std::string_view::npos)) {
      repaired = base::strict_json(json);
      json = repaired;
    }
    return read_any(json);
  } catch (const RecordedSpaceError& error) {
    throw RecordedSpaceError(name + ": " + error.what());
  } catch (const Json::parse_error& error) {
    const TextPosition at = position_in(json, error.byte > 0 ? error.byte - 1 : 0);
    throw RecordedSpaceError(name + ": line " + std::to_string(at.line) + ", column " +
                             std::to_string(at.column) + ": " + error.what());
  } catch (const Json::exception& error) {
    throw RecordedSpaceError(name + ": " + error.what());
  }
}

}  // namespace

RecordedSpace RecordedSpace::read(const std::string& path) {
  return parse(read_maybe_gzip(path), path);
}

RecordedSpace RecordedSpace::parse(std::string_view json, const std::string& name) {
  Recording recording = recording_of(json, name);
  if (recording.trials.empty()) throw RecordedSpaceError(name + ": has no configurations");
  if (const std::string remark = leave_out_impossible(recording); !remark.empty()) {
    recording.remarks.push_back(remark);
  }
  const std::set<std::string> names(recording.names.begin(), recording.names.end());
  if (names.empty()) throw RecordedSpaceError(name + ": has no parameters");
  if (names.size() < recording.names.size()) {
    throw RecordedSpaceError(name + ": has a parameter twice");
  }

  RecordedSpace space;
  space.kernel_name_ = std::move(recording.kernel_name);
  space.device_name_ = std::move(recording.device_name);
  space.objective_ = std::move(recording.objective);
  space.has_direction_ = recording.has_direction;
  space.remarks_ = std::move(recording.remarks);
  for (std::size_t i = 0; i < recording.names.size(); ++i) {
    space.parameters_.push_back(parameter_of(recording, i));
  }
  RecordedRows rows;
  for (RecordedTrial& trial : recording.trials) {
    const std::string key = lookup_key(trial.configuration, space.parameters_);
    rows.add(key, std::move(trial));
  }
  if (const std::string remark = rows.remark(); !remark.empty()) space.remarks_.push_back(remark);
  std::tie(space.trials_, space.by_key_) = rows.joined();
  return space;
}

const RecordedTrial* RecordedSpace::find(const search::Configuration& configuration) const {
  if (configuration.entries().size() != parameters_.size()) return nullptr;
  const auto found = by_key_.find(lookup_key(configuration, parameters_));
  return found == by_key_.end() ? nullptr : &trials_[found->second];
}

const RecordedTrial* RecordedSpace::first_working() const {
  const auto found = std::find_if(trials_.begin(), trials_.end(),
                                  [](const RecordedTrial& trial) { return !trial.values.empty(); });
  return found == trials_.end() ? nullptr : &*found;
}

}  // namespace nightshift::problems
