#include "evaluator/cuda/gpu_watch.h"

namespace nightshift::evaluator::cuda {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenWholeReadings{500};
constexpr std::chrono::seconds kStale{1};

}  // namespace

GpuWatch::GpuWatch(const std::string& uuid)
    : monitor_(uuid), latest_(monitor_.now()), looked_(Clock::now()), whole_(looked_) {}

GpuReading GpuWatch::before() { return Clock::now() - looked_ < kStale ? latest_ : after(); }

GpuReading GpuWatch::after() {
  looked_ = Clock::now();
  if (looked_ - whole_ < kBetweenWholeReadings) return latest_ = monitor_.update(latest_);
  whole_ = looked_;
  return latest_ = monitor_.now();
}

}  // namespace nightshift::evaluator::cuda
