#include "evaluator/cuda/driver/gpu_watch.h"

namespace nightshift::evaluator::cuda {
namespace {

constexpr std::chrono::milliseconds kBetweenWholeReadings{500};
constexpr std::chrono::seconds kStale{1};

}  // namespace

GpuWatch::GpuWatch(const std::string& uuid, TimePoint now)
    : monitor_(uuid), latest_(monitor_.now()), looked_(now), whole_(now) {}

GpuReading GpuWatch::before(TimePoint now) { return now - looked_ < kStale ? latest_ : after(now); }

GpuReading GpuWatch::after(TimePoint now) {
  looked_ = now;
  if (now - whole_ < kBetweenWholeReadings) return latest_ = monitor_.update(latest_);
  whole_ = now;
  return latest_ = monitor_.now();
}

}  // namespace nightshift::evaluator::cuda
