#include "evaluator/cuda/copy_rate.h"

#include <algorithm>
#include <vector>

#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/device_buffer.h"
#include "evaluator/cuda/driver/driver.h"

namespace nightshift::evaluator::cuda {
namespace {

constexpr std::size_t kOverCache = 32;  // times the L2 cache: what it holds of a copy is no matter
constexpr int kCopies = 7;

}  // namespace

double copy_bytes_per_second(const Context& context, DeviceTimer& timer) {
  const std::size_t bytes =
      std::min({kMostCopyMemory / 2, kOverCache * context.l2_bytes(), context.free_bytes() / 4});
  const DeviceBuffer from(bytes, "a copy", context.stream());
  const DeviceBuffer to(bytes, "a copy", context.stream());
  std::vector<double> seconds;
  for (int i = 0; i < kCopies; ++i) {
    seconds.push_back(timer.time(1, [&] {
      check(driver().cuMemcpyDtoDAsync_v2(to.data(), from.data(), bytes, context.stream()),
            "copying");
    }));
  }
  std::nth_element(seconds.begin(), seconds.begin() + kCopies / 2, seconds.end());
  return 2 * static_cast<double>(bytes) / seconds[kCopies / 2];
}

}  // namespace nightshift::evaluator::cuda
