#include "evaluator/counters/hardware_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "evaluator/process/launched_child.h"
#include "tests/evaluator/evaluator_setup.h"
#include "tests/evaluator/fake_counters.h"

namespace nightshift::evaluator {
namespace {

using search::OwnFigure;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(HardwareCounters, TellWhatWasCountedBetweenTwoReadings) {
  FakeCounters door({{OwnFigure::kInstructions, {1200}}, {OwnFigure::kCacheMisses, {7}}});
  HardwareCounters counters({OwnFigure::kCacheMisses, OwnFigure::kInstructions}, CountedFrom::kNow,
                            door);
  EXPECT_THAT(door.opened, ElementsAre(Pair(OwnFigure::kCacheMisses, CountedFrom::kNow),
                                       Pair(OwnFigure::kInstructions, CountedFrom::kNow)));
  for (int i = 0; i < 3; ++i) {
    counters.begin();
    counters.end();
    EXPECT_THAT(counters.counts(), ElementsAre(7, 1200));
  }
  EXPECT_FALSE(counters.estimated());
}

TEST(HardwareCounters, OfProgramsAreOpenedForEach) {
  FakeCounters door({{OwnFigure::kCycles, {5}}});
  HardwareCounters counters({OwnFigure::kCycles}, CountedFrom::kExec, door);
  for (int i = 0; i < 3; ++i) {
    counters.begin();
    counters.end();
    EXPECT_THAT(counters.counts(), ElementsAre(5));
  }
  EXPECT_THAT(door.opened, testing::SizeIs(3));
}

TEST(HardwareCounters, ThatRanForAQuarterOfTheTimeAreEstimates) {
  FakeCounters door({{OwnFigure::kCycles, {100, 4'000'000, 1'000'000}}});
  HardwareCounters counters({OwnFigure::kCycles}, CountedFrom::kNow, door);
  counters.begin();
  counters.end();
  EXPECT_THAT(counters.counts(), ElementsAre(400));
  EXPECT_TRUE(counters.estimated());
}

TEST(HardwareCounters, ThatNeverRanAreAnErrorAndNotZero) {
  FakeCounters door({{OwnFigure::kCycles, {0, 1'000'000, 0}}});
  HardwareCounters counters({OwnFigure::kCycles}, CountedFrom::kNow, door);
  counters.begin();
  counters.end();
  EXPECT_THROW(counters.counts(), NotMeasurable);
}

TEST(HardwareCounters, OfNoFigureNeedNobodyToCount) {
  FakeCounters door({});
  HardwareCounters counters({}, CountedFrom::kNow, door);
  counters.begin();
  counters.end();
  EXPECT_THAT(counters.counts(), ElementsAre());
  EXPECT_THROW(HardwareCounters({OwnFigure::kCycles}, CountedFrom::kNow, door), NotMeasurable);
}

TEST(HardwareCounters, ARefusalNamesWhatIsMissingAndWhatToDo) {
  EXPECT_THAT(counters_refused("cycles", EACCES, "4"),
              AllOf(HasSubstr("'cycles'"), HasSubstr("kernel.perf_event_paranoid is 4"),
                    HasSubstr("sysctl kernel.perf_event_paranoid=2"), HasSubstr("container")));
  EXPECT_THAT(counters_refused("cycles", EPERM, ""), HasSubstr("too high"));
  EXPECT_THAT(counters_refused("cycles", ENOENT, "2"),
              AllOf(HasSubstr("virtual machine"), testing::Not(HasSubstr("sysctl"))));
  EXPECT_THAT(counters_refused("cycles", ENOSYS, ""), HasSubstr("no perf_event_open"));
  EXPECT_THAT(counters_refused("cycles", EMFILE, ""), HasSubstr("ulimit -n"));
}

// Page faults are counted where there are no hardware counters.
class PageFaults : public ::testing::Test {
 protected:
  std::unique_ptr<Counter> open(CountedFrom from) const {
    return open_perf_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, from, "page faults");
  }
  void SetUp() override {
    try {
      open(CountedFrom::kNow);
    } catch (const NotMeasurable& why) {
      GTEST_SKIP() << why.what();
    }
  }
  static constexpr std::size_t kPages = 256;
  static void touch() {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* const memory =
        ::mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ::madvise(memory, kPages * page, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
    ::munmap(memory, kPages * page);
  }
  static void run(const std::string& script) {
    LaunchOptions options;
    options.program = {"/bin/sh", "-c", script};
    ipc::ChildProcess child = launch(options);
    FakeProgress progress;
    ASSERT_TRUE(wait_for_end(child, after(Clock::now(), 0), progress));
  }
};

TEST_F(PageFaults, OfThisThreadAreCountedFromNowOn) {
  touch();
  const auto counter = open(CountedFrom::kNow);
  const std::uint64_t before = counter->read().value;
  EXPECT_LT(before, kPages);
  touch();
  EXPECT_GE(counter->read().value, before + kPages);
  EXPECT_GT(counter->read().running, 0U);
}

TEST_F(PageFaults, OfThreadsThatStartLaterAreCountedToo) {
  const auto counter = open(CountedFrom::kNow);
  std::thread(touch).join();
  EXPECT_GE(counter->read().value, kPages);
}

TEST_F(PageFaults, OfAProgramAreCountedFromItsExecOnWithWhatItStarts) {
  const auto one = open(CountedFrom::kExec);
  touch();
  EXPECT_EQ(one->read().value, 0U) << "this thread's own do not count";
  run("true");
  const std::uint64_t of_one = one->read().value;
  EXPECT_GT(of_one, 0U);
  const auto three = open(CountedFrom::kExec);  // the first may have ended with its child
  run("/bin/sh -c true; /bin/sh -c true; true");
  EXPECT_GT(three->read().value, 2 * of_one);
}

}  // namespace
}  // namespace nightshift::evaluator
