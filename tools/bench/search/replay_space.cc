#include "tools/bench/search/replay_space.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "search/objective.h"
#include "search/statistics/summary.h"

namespace nightshift::bench {
namespace {

constexpr std::size_t kFewestWorking = 3;
constexpr std::int64_t kInertValues = 3;

// "convolution-A100" for "/data/convolution-A100.json.gz".
std::string name_of_file(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  for (const char* extension : {".gz", ".json"}) {
    if (name.extension() == extension && name.has_stem()) name = name.stem();
  }
  return name.string();
}

void expect_enough(const std::string& name, std::size_t working) {
  if (working >= kFewestWorking) return;
  throw problems::RecordedSpaceError(name + ": " + std::to_string(working) +
                                     " configurations worked; a search needs at least " +
                                     std::to_string(kFewestWorking));
}

// The parameters with the baseline's values as their defaults, as a problem file has them.
std::vector<search::Parameter> with_defaults(const problems::RecordedSpace& recording) {
  std::vector<search::Parameter> parameters = recording.parameters();
  const search::Configuration& baseline = recording.first_working()->configuration;
  for (search::Parameter& p : parameters) p.default_value = *baseline.find(p.name);
  return parameters;
}

search::ParameterSpace space_of(const problems::RecordedSpace& recording) {
  std::vector<search::Configuration> configurations;
  for (const problems::RecordedTrial& trial : recording.trials()) {
    configurations.push_back(trial.configuration);
  }
  return search::ParameterSpace::from_list(with_defaults(recording), configurations);
}

ReplayTrial replayed(const problems::RecordedTrial& recorded, search::Direction direction) {
  ReplayTrial trial;
  trial.seconds = recorded.build_seconds + recorded.measure_seconds;
  trial.repeats = recorded.values;
  if (trial.repeats.empty()) return trial;
  const double mean = search::mean_of(trial.repeats);
  const bool maximise = direction == search::Direction::kMaximise;
  trial.value = maximise ? 1 / mean : mean;
  if (maximise) {
    for (double& value : trial.repeats) value = 1 / value;
  }
  return trial;
}

}  // namespace

ReplaySpace::ReplaySpace(std::string name, std::string kernel, search::ParameterSpace space)
    : name_(std::move(name)), kernel_(std::move(kernel)), space_(std::move(space)) {}

ReplaySpace ReplaySpace::read(const std::string& path) {
  return from_recording(problems::RecordedSpace::read(path), name_of_file(path));
}

ReplaySpace ReplaySpace::from_recording(const problems::RecordedSpace& recording,
                                        std::string name) {
  const auto working = [](const problems::RecordedTrial& t) { return !t.values.empty(); };
  const auto& recorded = recording.trials();
  const auto count = std::count_if(recorded.begin(), recorded.end(), working);
  expect_enough(name, static_cast<std::size_t>(count));
  const std::string kernel = recording.kernel_name().empty() ? name : recording.kernel_name();
  ReplaySpace result(name, kernel, space_of(recording));
  result.trials_.resize(recorded.size());
  for (const problems::RecordedTrial& trial : recorded) {
    const search::ConfigurationIndex i = *result.space_.index_of(trial.configuration);
    result.file_order_.push_back(i);
    ReplayTrial& slot = result.trials_[static_cast<std::size_t>(i.value)];
    slot = replayed(trial, recording.objective().direction);
    if (slot.value && !(*slot.value > 0)) {
      throw problems::RecordedSpaceError(name + ": " + trial.configuration.to_json() +
                                         " was recorded as " + std::to_string(*slot.value) +
                                         "; replays compare ratios and need positive figures");
    }
  }
  result.sort_values();
  result.baseline_ = *result.space_.index_of(recording.first_working()->configuration);
  return result;
}

void ReplaySpace::sort_values() {
  sorted_.clear();
  for (const ReplayTrial& trial : trials_) {
    if (trial.value) sorted_.push_back(*trial.value);
  }
  std::sort(sorted_.begin(), sorted_.end());
}

void ReplaySpace::seek_also(const std::vector<std::optional<double>>& second) {
  for (std::size_t row = 0; row < file_order_.size(); ++row) {
    ReplayTrial& trial = trials_[static_cast<std::size_t>(file_order_[row].value)];
    if (trial.value && second[row] && *second[row] > 0) {
      trial.second = second[row];
    } else {
      trial.value.reset();
      trial.repeats.clear();
    }
  }
  sort_values();
  expect_enough(name_, sorted_.size());
  const auto worked = [&](search::ConfigurationIndex i) { return trial(i).value.has_value(); };
  baseline_ = *std::find_if(file_order_.begin(), file_order_.end(), worked);
}

void ReplaySpace::add_inert(std::size_t count) {
  std::vector<search::Configuration> recorded;
  for (std::size_t i = 0; i < size(); ++i) recorded.push_back(space_.configuration({i}));
  std::vector<search::Parameter> inert(count);
  for (std::size_t i = 0; i < count; ++i) {
    inert[i].name = "inert_" + std::to_string(i);
    for (std::int64_t value = 0; value < kInertValues; ++value) {
      inert[i].values.emplace_back(value);
    }
    variants_ *= kInertValues;
  }
  std::vector<search::Parameter> parameters = space_.parameters();
  space_ = search::ParameterSpace::from_list(std::move(parameters), recorded, inert);
  for (search::ConfigurationIndex& i : file_order_) i.value *= variants_;
  baseline_.value *= variants_;
}

}  // namespace nightshift::bench
