// What a profiler prints: whatever it is, shares are shares, and numbers are finite.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tools/profile/profiler_table.h"

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

void expect_number(const std::optional<double>& value) {
  expect(!value || (std::isfinite(*value) && *value >= 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift::tools;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const LaunchCounters& launch : read_profiler_table(text)) {
    for (const auto& value :
         {launch.seconds, launch.dram, launch.l2, launch.compute, launch.occupancy}) {
      expect_number(value);
    }
    double before = 1, sum = 0;
    for (const auto& [reason, share] : launch.warps) {
      expect(share >= 0 && share <= before && !words_of_stall(reason).empty());
      before = share;
      sum += share;
    }
    expect(launch.warps.empty() || std::fabs(sum - 1) < 1e-6);
  }
  return 0;
}
