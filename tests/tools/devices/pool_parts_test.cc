#include "tools/devices/pool_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scheduler/devices/device.h"

namespace nightshift::tools {
namespace {

using ::testing::Contains;
using ::testing::Not;

std::vector<scheduler::Device> gpus(int count) {
  std::vector<scheduler::Device> devices;
  for (int i = 0; i < count; ++i) {
    const std::string uuid = "GPU-" + std::to_string(i);
    devices.push_back({"node", uuid, "GPU", {}, {uuid, 90, 132}});
  }
  return devices;
}

scheduler::ForkedPoolOptions options_for(const search::Problem& problem, int gpu_count) {
  return pool_options(problem, gpus(gpu_count), "/artifacts", "/scratch", "/evaluator");
}

TEST(PoolParts, BuildersForGpusLeaveACoreToEachAndOneToTheScheduler) {
  const std::vector<int> usable = scheduler::usable_cores();
  const int cores = static_cast<int>(usable.size());
  search::Problem problem;
  problem.backend = search::CudaBackend{};
  problem.target = search::Target::kGpus;
  for (const int count : {1, 2, 8}) {
    const scheduler::ForkedPoolOptions options = options_for(problem, count);
    EXPECT_EQ(options.builders, std::max(1, cores - 1 - count));
    if (cores > 1) {
      EXPECT_THAT(options.builder_cores, Not(Contains(usable.front())));
    }
    EXPECT_FALSE(options.builder_cores.empty());
  }
  problem.scheduling.builders = 7;
  EXPECT_EQ(options_for(problem, 8).builders, 7);
}

TEST(PoolParts, AProgramOnGpusIsPinnedNowhereNorAreItsSpares) {
  search::Problem problem;
  problem.backend = search::CommandBackend{};
  problem.target = search::Target::kGpus;
  const scheduler::ForkedPoolOptions options = options_for(problem, 2);
  EXPECT_EQ(options.builders, 0);
  EXPECT_TRUE(options.builder_cores.empty());
  EXPECT_EQ(options.hot_spares, 2) << "as for kernels";
  problem.scheduling.hot_spares = 0;
  EXPECT_EQ(options_for(problem, 2).hot_spares, 0);
}

TEST(PoolParts, SparesOfAProgramOnCoresStartBesideTheMeasuredCore) {
  const std::vector<int> usable = scheduler::usable_cores();
  if (usable.size() < 2) GTEST_SKIP() << "needs two cores";
  search::Problem problem;
  problem.backend = search::CommandBackend{};
  const scheduler::Device device{"node", "cpu", "CPU", {usable.back()}};
  const scheduler::ForkedPoolOptions options =
      pool_options(problem, {device}, "/artifacts", "/scratch", "/evaluator");
  EXPECT_EQ(options.builders, 0);
  EXPECT_EQ(options.hot_spares, 1);
  EXPECT_THAT(options.builder_cores, Contains(usable.front()));
  EXPECT_THAT(options.builder_cores, Not(Contains(usable.back())));
}

}  // namespace
}  // namespace nightshift::tools
