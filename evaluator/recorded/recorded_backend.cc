#include "evaluator/recorded/recorded_backend.h"

#include <stdexcept>
#include <utility>
#include <variant>

#include "base/portable_math.h"
#include "base/rng.h"
#include "search/unit.h"

namespace nightshift::evaluator {
namespace {

// What recorded values are multiplied by to be in the unit of the problem's objective.
double scale_between(const search::Objective& recorded,
                     const std::vector<search::Objective>& wanted, const std::string& file) {
  if (wanted.size() != 1) {
    throw std::runtime_error(file + " records one figure, " + recorded.name + "; the problem has " +
                             std::to_string(wanted.size()) + " objectives");
  }
  if (wanted.front().unit == recorded.unit) return 1;
  if (const auto factor = search::conversion(recorded.unit, wanted.front().unit)) return *factor;
  throw std::runtime_error(file + " records " + recorded.name + " in '" + recorded.unit +
                           "'; the problem's objective is in '" + wanted.front().unit + "'");
}

// Of a stream of its own: the repetitions that are drawn do not depend on it.
double evaluation_factor(double noise, std::uint64_t seed) {
  constexpr std::uint64_t kPart = 1;
  if (noise == 0) return 1;
  base::Rng rng(base::mix_seed(seed, kPart));
  return base::portable_exp(noise * rng.normal());
}

}  // namespace

RecordedTrialBackend::RecordedTrialBackend(const ipc::ConfigureRequest& request)
    : problem_(request.problem) {
  const auto& backend = std::get<search::RecordedBackend>(problem_.backend);
  samples_ = backend.samples;
  noise_ = backend.noise;
  space_ = problems::RecordedSpace::read(backend.file);
  scale_ = scale_between(space_.objective(), problem_.objectives, backend.file);
}

search::Measurement RecordedTrialBackend::resampled(const problems::RecordedTrial& trial,
                                                    std::uint64_t seed) const {
  base::Rng rng(seed);
  const std::size_t count = samples_ > 0 ? static_cast<std::size_t>(samples_) : trial.values.size();
  const double factor = scale_ * evaluation_factor(noise_, seed);
  search::Samples drawn{problem_.objectives.front().name, {}};
  drawn.values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    drawn.values.push_back(trial.values[rng.below(trial.values.size())] * factor);
  }
  search::Measurement measurement;
  measurement.figures.push_back(std::move(drawn));
  measurement.conditions = {{"device", space_.device_name()}, {"source", "recorded"}};
  return measurement;
}

search::TrialReport RecordedTrialBackend::evaluate(const ipc::EvaluateRequest& request,
                                                   ProgressSink& progress) {
  progress.mark(search::Phase::kMeasure);
  const search::Configuration configuration = search::resolved(problem_, request.configuration);
  const problems::RecordedTrial* trial = space_.find(configuration);
  if (trial == nullptr) {
    return {search::LaunchFailed{"the recording has no entry for " + configuration.to_json()}, {}};
  }
  search::TrialReport report;
  report.cost.build = trial->build_seconds;
  report.cost.simulated = trial->build_seconds + trial->measure_seconds;
  if (trial->values.empty()) {
    report.outcome = trial->failure;
  } else {
    report.outcome = search::Measured{resampled(*trial, request.seed)};
  }
  return report;
}

}  // namespace nightshift::evaluator
