#include "scheduler/noise_visits.h"

#include <fmt/format.h>

#include "scheduler/errors.h"

namespace nightshift::scheduler {

NoiseVisits::NoiseVisits(const search::Problem& problem, const std::vector<Device>& devices,
                         int visits)
    : scoring_(problem), visits_(visits) {
  for (const Device& device : devices) series_.push_back({device, {}, {}, 0, false});
}

std::optional<PlannedVisit> NoiseVisits::next(DeviceIndex device) {
  const Series& s = series_[device];
  if (!s.warm) return PlannedVisit{};
  const auto made = static_cast<int>(s.visits.size());
  if (!s.lost.empty() || made >= visits_) return std::nullopt;
  return PlannedVisit{0, made % kVisitsPerProcess == 0};
}

void NoiseVisits::ended(DeviceIndex device, const PlannedVisit&, const VisitEnd& end) {
  Series& s = series_[device];
  const auto* measured = std::get_if<search::Measured>(&end.report.outcome);
  if (measured == nullptr) {
    throw StudyError(fmt::format("the baseline failed on {}: {}", s.device.key(),
                                 search::describe(end.report.outcome)));
  }
  if (!s.warm) {
    s.warm = true;
    return;
  }
  const search::Figures figures = scoring_.figures_of(measured->measurement).value();
  const std::vector<double>& samples = measured->measurement.find(scoring_.primary().name)->values;
  s.disturbed += measured->measurement.disturbance.empty() ? 0 : 1;
  s.visits.push_back({figures[scoring_.primary_position()].value, samples, end.fresh_process,
                      end.started, end.finished});
}

void NoiseVisits::lost(DeviceIndex device, const std::string& reason) {
  series_[device].lost = reason;
}

}  // namespace nightshift::scheduler
