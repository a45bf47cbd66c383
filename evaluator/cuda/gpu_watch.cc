#include "evaluator/cuda/gpu_watch.h"

namespace nightshift::evaluator::cuda {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenWholeReadings{500};
constexpr std::chrono::seconds kStale{1};

}  // namespace

GpuWatch::GpuWatch(const std::string& uuid)
    : monitor_(uuid), latest_(monitor_.now()), looked_(Clock::now()), whole_(looked_) {}

GpuReading GpuWatch::before() {
  if (Clock::now() - looked_ >= kStale) look();
  return latest_;
}

std::future<GpuReading> GpuWatch::after() {
  return std::async(std::launch::async | std::launch::deferred, [this] {
    look();
    return latest_;
  });
}

void GpuWatch::look() {
  looked_ = Clock::now();
  if (looked_ - whole_ < kBetweenWholeReadings) {
    latest_ = monitor_.update(latest_);
  } else {
    latest_ = monitor_.now();
    whole_ = looked_;
  }
}

}  // namespace nightshift::evaluator::cuda
