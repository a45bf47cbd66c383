#include "evaluator/sampling/machine_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

class MachineWatchTest : public ::testing::Test {
 protected:
  void counters(int core, const std::string& of_core, const std::string& of_package) {
    const std::string folder = "cpu" + std::to_string(core) + "/thermal_throttle";
    folder_.make_folder(folder);
    folder_.write(folder + "/core_throttle_count", of_core);
    folder_.write(folder + "/package_throttle_count", of_package);
  }
  ThrottleWatch throttling(std::vector<int> cores) {
    return ThrottleWatch(std::move(cores), folder_.path());
  }
  // user and steal of two cores, in ticks.
  std::string stat(int user0, int steal0, int user1, int steal1) {
    const auto line = [](const std::string& name, int user, int steal) {
      return name + " " + std::to_string(user) + " 0 10 50 0 0 0 " + std::to_string(steal) +
             " 999 999\n";
    };
    return folder_.write("stat", line("cpu ", user0 + user1, steal0 + steal1) +
                                     line("cpu0", user0, steal0) + line("cpu1", user1, steal1) +
                                     "intr 1 2 3\nctxt 5\n");
  }

  TemporaryFolder folder_;
};

TEST_F(MachineWatchTest, CountersThatRoseAreEvents) {
  counters(2, "5\n", "1\n");
  counters(3, "0\n", "1\n");
  counters(4, "0\n", "0\n");
  const ThrottleWatch watch = throttling({2, 3});
  EXPECT_EQ(watch.events(), 0u);
  counters(2, "8\n", "3\n");
  counters(3, "1\n", "3\n");
  counters(4, "100\n", "100\n");          // another's core
  EXPECT_EQ(watch.events(), 3u + 1 + 2);  // the package's is seen on both cores
}

TEST_F(MachineWatchTest, CountersThatAreMissingOrMakeNoSenseAreNoEvents) {
  const ThrottleWatch nothing = throttling({0});
  EXPECT_EQ(nothing.events(), 0u);
  counters(0, "7\n", "7\n");
  EXPECT_EQ(nothing.events(), 0u);  // appeared meanwhile: from what, nobody knows
  const ThrottleWatch watch = throttling({0});
  counters(0, "3\n", "rubbish");
  EXPECT_EQ(watch.events(), 0u);
}

TEST_F(MachineWatchTest, StealIsAShareOfTheOwnCoresTime) {
  const StealWatch watch({1}, stat(100, 0, 100, 4));
  EXPECT_EQ(watch.share(), std::nullopt);  // no time has passed
  stat(900, 500, 190, 14);
  ASSERT_TRUE(watch.share());
  EXPECT_DOUBLE_EQ(*watch.share(), 0.1);
}

TEST_F(MachineWatchTest, StealOfSeveralCoresIsTakenTogether) {
  const StealWatch watch({0, 1}, stat(100, 0, 100, 0));
  stat(140, 0, 150, 10);
  ASSERT_TRUE(watch.share());
  EXPECT_DOUBLE_EQ(*watch.share(), 0.1);
}

TEST_F(MachineWatchTest, StealIsUnknownWithoutTheFile) {
  const StealWatch watch({0}, folder_.path() + "/none");
  EXPECT_EQ(watch.share(), std::nullopt);
}

TEST_F(MachineWatchTest, ThrottlingIsADisturbanceAndStealIsNot) {
  counters(0, "1\n", "0\n");
  const MachineWatch watch(throttling({0}), StealWatch({0}, stat(0, 0, 0, 0)));
  stat(75, 25, 0, 0);
  search::Measurement calm;
  watch.note(calm);
  EXPECT_EQ(calm.disturbance, "");
  EXPECT_THAT(calm.conditions, ::testing::ElementsAre(::testing::Pair("steal", "25 %")));
  counters(0, "2\n", "0\n");
  search::Measurement hot;
  watch.note(hot);
  EXPECT_EQ(hot.disturbance, "thermal throttling, 1 event");
  counters(0, "2\n", "11\n");
  watch.note(hot);
  EXPECT_EQ(hot.disturbance, "thermal throttling, 12 events");
}

TEST(MachineWatch, WorksOnThisMachine) {
  search::Measurement measurement;
  MachineWatch().note(measurement);
  for (const auto& [name, value] : measurement.conditions) EXPECT_EQ(name, "steal") << value;
}

}  // namespace
}  // namespace nightshift::evaluator
