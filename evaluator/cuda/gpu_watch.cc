#include "evaluator/cuda/gpu_watch.h"

namespace nightshift::evaluator::cuda {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenWholeReadings{500};

}  // namespace

GpuWatch::GpuWatch(const std::string& uuid)
    : monitor_(uuid), latest_(monitor_.now()), whole_(Clock::now()) {}

const GpuReading& GpuWatch::look() {
  if (Clock::now() - whole_ < kBetweenWholeReadings) {
    latest_ = monitor_.update(latest_);
  } else {
    latest_ = monitor_.now();
    whole_ = Clock::now();
  }
  return latest_;
}

}  // namespace nightshift::evaluator::cuda
