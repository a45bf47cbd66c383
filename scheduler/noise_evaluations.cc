#include "scheduler/noise_evaluations.h"

#include <fmt/format.h>

#include "scheduler/errors.h"
#include "search/figures/told_unit.h"

namespace nightshift::scheduler {

NoiseEvaluations::NoiseEvaluations(const search::Problem& problem,
                                   const std::vector<Device>& devices, int evaluations)
    : scoring_(problem), objectives_{scoring_.primary()}, evaluations_(evaluations) {
  for (const Device& device : devices) series_.push_back({device, {}, {}, 0, false});
}

std::optional<PlannedEvaluation> NoiseEvaluations::next(DeviceIndex device) {
  const Series& s = series_[device];
  if (!s.warm) return PlannedEvaluation{};
  const auto made = static_cast<int>(s.evaluations.size());
  if (!s.lost.empty() || made >= evaluations_) return std::nullopt;
  return PlannedEvaluation{0, made % kEvaluationsPerProcess == 0};
}

void NoiseEvaluations::ended(DeviceIndex device, const PlannedEvaluation&, const TrialEnd& end) {
  Series& s = series_[device];
  const auto* measured = std::get_if<search::Measured>(&end.report.outcome);
  if (measured == nullptr) {
    throw StudyError(fmt::format("the baseline failed on {}: {}", s.device.key(),
                                 search::describe(end.report.outcome)));
  }
  search::take_told_units(objectives_, measured->measurement);
  if (!s.warm) {
    s.warm = true;
    return;
  }
  const search::Figures figures = scoring_.figures_of(measured->measurement).value();
  const std::vector<double>& samples = measured->measurement.find(scoring_.primary().name)->values;
  s.disturbed += measured->measurement.disturbance.empty() ? 0 : 1;
  s.evaluations.push_back({figures[scoring_.primary_position()].value, samples, end.fresh_process,
                           end.last_started, end.finished});
}

void NoiseEvaluations::lost(DeviceIndex device, const std::string& reason) {
  series_[device].lost = reason;
}

}  // namespace nightshift::scheduler
