#include "evaluator/sampling/machine_watch.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

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
  const MachineWatch watch(throttling({0}), StealWatch({0}, stat(0, 0, 0, 0)),
                           PagingWatch(folder_.path() + "/none"));
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

TEST_F(MachineWatchTest, PagesOfADiskAreConditionsWhereThereWereAny) {
  const std::string file = folder_.write("vmstat", "nr_free_pages 5\npswpin 10\npswpout 7\n");
  const MachineWatch watch(throttling({}), StealWatch({}, folder_.path() + "/none"),
                           PagingWatch(file));
  search::Measurement calm;
  watch.note(calm);
  EXPECT_THAT(calm.conditions, ::testing::IsEmpty());
  folder_.write("vmstat", "nr_free_pages 900\npswpin 13\npswpout 9\npswpin_zero 4\n");
  search::Measurement paged;
  watch.note(paged);
  EXPECT_THAT(paged.conditions, ::testing::ElementsAre(::testing::Pair("pages swapped", "5")));
  folder_.write("vmstat", "pswpin 0\npswpout 0\n");  // counters that make no sense
  search::Measurement again;
  watch.note(again);
  EXPECT_THAT(again.conditions, ::testing::IsEmpty());
}

TEST_F(MachineWatchTest, APageThatComesFromAFileOnDiskIsAMajorFault) {
  const std::string file = folder_.write("paged", std::string(1 << 20, 'x'));
  const PagingWatch watch(folder_.path() + "/none");
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  ::fsync(descriptor);
  if (::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) != 0) GTEST_SKIP() << "no such advice";
  auto* bytes = static_cast<char*>(::mmap(nullptr, 1 << 20, PROT_READ, MAP_PRIVATE, descriptor, 0));
  ASSERT_NE(bytes, MAP_FAILED);
  unsigned char there = 1;
  ASSERT_EQ(::mincore(bytes, 4096, &there), 0);
  const volatile char first = bytes[0];
  EXPECT_EQ(first, 'x');
  ::munmap(bytes, 1 << 20);
  ::close(descriptor);
  if ((there & 1U) != 0) GTEST_SKIP() << "the file system keeps its files in memory";
  EXPECT_GE(watch.counts().major_faults, 1u);
}

TEST(MachineWatch, WorksOnThisMachine) {
  search::Measurement measurement;
  MachineWatch().note(measurement);
  for (const auto& [name, value] : measurement.conditions) {
    EXPECT_THAT(name, ::testing::AnyOf("steal", "pages from disk", "pages swapped")) << value;
  }
}

}  // namespace
}  // namespace nightshift::evaluator
