#include "evaluator/cuda/launch_times.h"

namespace nightshift::evaluator::cuda {

LaunchTimes::LaunchTimes(const Parts& parts, CudaMeasurement& whole)
    : parts_(parts), whole_(whole) {
  for (std::size_t n = 1; n < parts_.launches.size(); ++n) {
    starts_.emplace_back(parts_.launches.begin(),
                         parts_.launches.begin() + static_cast<std::ptrdiff_t>(n));
  }
  for (const std::vector<PlannedLaunch>& start : starts_) {
    rows_.push_back(std::make_unique<CudaMeasurement>(whole_.timing(), parts_.plan, parts_.module,
                                                      start, parts_.arguments, parts_.context,
                                                      parts_.timer, parts_.progress));
    rows_.back()->warm_up();
  }
}

std::vector<search::LaunchSamples> LaunchTimes::measure(std::uint32_t sizes) {
  std::vector<search::LaunchSamples> result;
  for (const PlannedLaunch& launch : parts_.launches) result.push_back({sizes, launch.kernel, {}});
  for (int round = 0; round < parts_.plan.samples; ++round) {
    double before = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double seconds = i < rows_.size() ? rows_[i]->sample_once() : whole_.sample_once();
      result[i].seconds.push_back(seconds - before);
      before = seconds;
      parts_.progress.beat(static_cast<std::uint64_t>(round));
    }
  }
  return result;
}

}  // namespace nightshift::evaluator::cuda
