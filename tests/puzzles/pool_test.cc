// What a pool promises apart from surviving puzzles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "ipc/child_process.h"
#include "ipc/process_table.h"
#include "pool_driver.h"
#include "residue.h"
#include "scheduler/errors.h"
#include "tests/fakes/paths.h"

namespace nightshift::puzzles {
namespace {

using scheduler::JobEnded;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// What a build failed by; nullptr where it did not.
const search::TrialOutcome* failure_of(const JobEnded& done) {
  return done.artifact ? nullptr : &done.report.outcome;
}

bool is_good(const JobEnded& done) {
  return std::holds_alternative<search::Measured>(done.report.outcome);
}

std::vector<int> cores_of(int pid) {
  cpu_set_t set;
  std::vector<int> cores;
  if (::sched_getaffinity(pid, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

TEST(Pool, ServesManyTrialsWithOneProcess) {
  PoolDriver driver(puzzle_problem(), {});
  EXPECT_TRUE(driver.measure(puzzle("good")).fresh_process);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(driver.measure(puzzle("good")).fresh_process);
}

TEST(Pool, GivesAProcessThatServedNothingWhenAsked) {
  PoolDriver driver(puzzle_problem(), {});
  driver.measure(puzzle("good"));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(driver.measure(puzzle("good"), true).fresh_process);
  EXPECT_FALSE(driver.measure(puzzle("good")).fresh_process);
}

TEST(Pool, GivesAFreshProcessWithoutASpareToo) {
  PoolDriver::Options options;
  options.hot_spares = 0;
  PoolDriver driver(puzzle_problem(), options);
  driver.measure(puzzle("good"));
  EXPECT_TRUE(driver.measure(puzzle("good"), true).fresh_process);
}

TEST(Pool, KeepsSeveralSparesAndOneOfThemSucceedsTheDead) {
  PoolDriver::Options options;
  options.hot_spares = 2;
  PoolDriver driver(puzzle_problem(), options);
  for (int i = 0; i < 3; ++i) {
    // Spares start once the current process stands, and again once a successor does.
    driver.measure(puzzle("good"));
    const std::vector<int> before = driver.pool().process_ids();
    ASSERT_EQ(before.size(), 3U);
    driver.measure(puzzle("segfault"));
    driver.measure(puzzle("good"));
    const std::vector<int> after = driver.pool().process_ids();
    EXPECT_NE(after.front(), before.front());
    EXPECT_EQ(std::count(before.begin(), before.end(), after.front()), 1) << "no spare took over";
  }
}

TEST(Pool, ReplacesAnEvaluatorThatServedItsShare) {
  PoolDriver::Options options;
  options.recycle_after = 3;
  PoolDriver driver(puzzle_problem(), options);
  std::vector<bool> fresh;
  for (int i = 0; i < 7; ++i) fresh.push_back(driver.measure(puzzle("good")).fresh_process);
  EXPECT_EQ(fresh, (std::vector<bool>{true, false, false, true, false, false, true}));
}

TEST(Pool, TakesAProcessPerTrialWhereTheProblemSaysSo) {
  search::Problem problem = puzzle_problem();
  problem.scheduling.process_per_trial = true;
  PoolDriver driver(problem, {});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(driver.measure(puzzle("good")).fresh_process);
}

TEST(Pool, ReplacesTheUsedUpEvaluatorAlthoughItHangsAtItsExit) {
  PoolDriver::Options options;
  options.recycle_after = 1;
  PoolDriver driver(puzzle_problem(), options);
  EXPECT_TRUE(is_good(driver.measure(puzzle("hang-at-exit"))));
  EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
}

TEST(Pool, EndsTheWholeTrialAtItsLimitThoughEveryPhaseKeepsItsOwn) {
  search::Problem problem = puzzle_problem();
  problem.limits.trial = 0.25;
  PoolDriver driver(problem, {});
  const JobEnded done = driver.measure(puzzle("marks-phases-for-ever"));
  const auto* late = std::get_if<search::TimedOut>(&done.report.outcome);
  ASSERT_NE(late, nullptr) << search::describe(done.report.outcome);
  EXPECT_EQ(late->limit_seconds, 0.25);
}

TEST(Pool, AnswersARequestThatDoesNotFitIntoTheMailbox) {
  PoolDriver driver(puzzle_problem(), {});
  search::Configuration huge({{"text", std::string(20 << 20, 'x')}});
  const JobEnded done = driver.measure(huge);
  ASSERT_TRUE(std::holds_alternative<search::LaunchFailed>(done.report.outcome));
  EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
}

TEST(Pool, AnswersTheTrialInHandWhenItsDeviceIsRetired) {
  PoolDriver::Options options;
  options.devices = plain_devices(2);
  PoolDriver driver(puzzle_problem(), options);
  driver.settle([&] { return driver.pool().can_measure(0); });
  scheduler::Job order;
  order.trial = {77};
  order.evaluation().configuration = puzzle("hang");
  driver.pool().start(order);
  driver.pool().retire(0, "its baseline wanders");
  const auto event = driver.pool().wait(std::nullopt);
  const auto* done = std::get_if<JobEnded>(&event);
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(done->report.outcome, search::TrialOutcome(search::DeviceLost{"its baseline wanders"}));
  EXPECT_TRUE(is_good(driver.measure(puzzle("good"), false, 1)));
  EXPECT_FALSE(driver.pool().can_measure(0));
  EXPECT_THAT(driver.surprises(), IsEmpty());
}

TEST(Pool, NamesAKillThatWasNotItsOwn) {
  PoolDriver driver(puzzle_problem(), {});
  driver.settle([&] { return driver.pool().can_measure(0); });
  scheduler::Job order;
  order.trial = {77};
  order.evaluation().configuration = puzzle("hang");
  driver.pool().start(order);
  ::kill(driver.pool().process_ids().front(), SIGKILL);
  scheduler::PoolEvent event;
  do event = driver.pool().wait(std::nullopt);
  while (std::holds_alternative<scheduler::Nothing>(event));
  const auto* done = std::get_if<JobEnded>(&event);
  ASSERT_NE(done, nullptr);
  EXPECT_TRUE(done->killed_by_others);
  EXPECT_TRUE(done->fresh_process);
}

TEST(Pool, CountsSignalsThatComeTogetherOnce) {
  const TemporaryFolder scratch, artifacts;
  const search::Problem problem = puzzle_problem();
  scheduler::ForkedPoolOptions options;
  options.evaluator_program = testing_paths::program("misbehave");
  options.scratch_folder = scratch.path();
  options.artifact_folder = artifacts.path();
  options.builders = 0;
  scheduler::ForkedWorkerPool pool(problem, plain_devices(1), options);
  ::kill(::getpid(), SIGTERM);
  ::kill(::getpid(), SIGINT);
  ::kill(::getpid(), SIGTERM);
  scheduler::PoolEvent event;
  do event = pool.wait(std::nullopt);
  while (std::holds_alternative<scheduler::Nothing>(event));
  ASSERT_TRUE(std::holds_alternative<scheduler::Interrupted>(event));
  EXPECT_EQ(std::get<scheduler::Interrupted>(event).count, 1);
}

TEST(Pool, TellsOnceThatItsEndIsNearAndItsChildrenNever) {
  PoolDriver driver(puzzle_problem(), {});
  EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
  const std::vector<int> before = driver.pool().process_ids();
  for (int i = 0; i < 2; ++i) {
    ::kill(::getpid(), SIGUSR1);
    for (const int pid : before) ::kill(pid, SIGUSR1);
    EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
  }
  driver.settle([&] { return !driver.surprises().empty(); });
  EXPECT_EQ(driver.pool().process_ids(), before);
  ASSERT_THAT(driver.surprises(), SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<scheduler::WindUp>(driver.surprises().front()));
}

TEST(Pool, LeavesIgnoredWhatWasIgnoredInItsChildrenToo) {
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGHUP, &ignore, &before);
  {
    PoolDriver driver(puzzle_problem(), {});
    EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
    const std::vector<int> processes = driver.pool().process_ids();
    ::kill(::getpid(), SIGHUP);
    for (const int pid : processes) ::kill(pid, SIGHUP);
    EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
    EXPECT_EQ(driver.pool().process_ids(), processes);
    EXPECT_THAT(driver.surprises(), IsEmpty());
  }
  ::sigaction(SIGHUP, &before, nullptr);
}

ipc::ChildProcess sleeper() {
  ipc::SpawnOptions options;
  options.program = "/bin/sleep";
  options.arguments = {"600"};
  return ipc::ChildProcess::spawn(options);
}

TEST(Pool, GivesNoticeOnceOfABystandersEnd) {
  ipc::ChildProcess bystander = sleeper();
  PoolDriver::Options options;
  options.bystanders = {{bystander.pid(), bystander.pidfd(), "it is gone", /*needed=*/false}};
  PoolDriver driver(puzzle_problem(), options);
  EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
  EXPECT_THAT(driver.surprises(), IsEmpty());
  bystander.kill_group();
  driver.settle([&] { return !driver.surprises().empty(); });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
  ASSERT_THAT(driver.surprises(), SizeIs(1));
  const auto* notice = std::get_if<scheduler::Notice>(&driver.surprises().front());
  ASSERT_NE(notice, nullptr);
  EXPECT_EQ(notice->text, "it is gone");
}

// So many descriptors at most, as long as this lives.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit limit{most, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(Pool, GivesNoticeOnceWhileNoProcessCanBeStarted) {
  PoolDriver::Options options;
  options.hot_spares = 0;
  PoolDriver driver(puzzle_problem(), options);
  EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
  {
    const DescriptorLimit none_left(3);
    EXPECT_FALSE(is_good(driver.measure(puzzle("segfault"))));
    driver.settle([&] { return !driver.surprises().empty(); });
  }
  EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
  ASSERT_THAT(driver.surprises(), SizeIs(1));
  const auto* notice = std::get_if<scheduler::Notice>(&driver.surprises().front());
  ASSERT_NE(notice, nullptr);
  EXPECT_THAT(notice->text, AllOf(HasSubstr("waits, as it cannot be started for now"),
                                  HasSubstr("Too many open files")));
}

TEST(Pool, MeasuresNothingWithoutABystanderThatIsNeeded) {
  ipc::ChildProcess bystander = sleeper();
  PoolDriver::Options options;
  options.bystanders = {{bystander.pid(), bystander.pidfd(), "it is gone", /*needed=*/true}};
  PoolDriver driver(puzzle_problem(), options);
  EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
  bystander.kill_group();
  EXPECT_EQ(driver.failure(), "it is gone");
  EXPECT_FALSE(driver.pool().can_measure(0));
}

TEST(Pool, PromotesASpareToTheCoresOfItsDevice) {
  const std::vector<int> usable = cores_of(0);
  if (usable.size() < 2) GTEST_SKIP() << "needs two cores";
  const int first = usable.front(), last = usable.back();
  PoolDriver::Options options;
  options.devices = {{"here", "cpu:" + std::to_string(last), "a core", {last}}};
  options.builder_cores = {first};
  PoolDriver driver(puzzle_problem(), options);
  EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
  driver.settle([&] { return driver.pool().process_ids().size() == 2; });
  const std::vector<int> before = driver.pool().process_ids();
  EXPECT_EQ(cores_of(before[0]), std::vector<int>{last});
  driver.measure(puzzle("segfault"));
  EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
  EXPECT_EQ(driver.pool().process_ids()[0], before[1]);
  EXPECT_EQ(cores_of(before[1]), std::vector<int>{last});
}

TEST(Pool, KeepsNoSpareWhereItWouldDisturbTheMeasurement) {
  const int core = cores_of(0).front();
  PoolDriver::Options options;
  options.devices = {{"here", "cpu", "all cores", cores_of(0)}};
  options.builder_cores = {core};
  PoolDriver driver(puzzle_problem(), options);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_good(driver.measure(puzzle("good"))));
  EXPECT_THAT(driver.pool().process_ids(), SizeIs(1));
}

TEST(Pool, NeitherBuildsDuringAMeasurementOnTheSameCoresNorTheOtherWayRound) {
  const int core = cores_of(0).front();
  PoolDriver::Options options;
  options.devices = {{"here", "cpu", "one core", {core}}};
  options.builder_cores = {core};
  options.builders = 1;
  PoolDriver driver(puzzle_problem(), options);
  auto& pool = driver.pool();
  driver.settle([&] { return pool.can_measure(0) && pool.can_build(); });
  scheduler::Job measure;
  measure.trial = {50};
  pool.start(measure);
  EXPECT_FALSE(pool.can_build());
  driver.settle([&] { return pool.can_measure(0) && pool.can_build(); });
  scheduler::Job build;
  build.request = ipc::BuildRequest{};
  build.trial = {51};
  pool.start(build);
  EXPECT_FALSE(pool.can_measure(0));
  driver.settle([&] { return pool.can_measure(0) && pool.can_build(); });
  ASSERT_THAT(driver.surprises(), SizeIs(2));
  EXPECT_FALSE(std::get<JobEnded>(driver.surprises()[0]).was_build());
  EXPECT_TRUE(std::get<JobEnded>(driver.surprises()[1]).was_build());
}

TEST(Pool, NeedsADevice) {
  PoolDriver::Options options;
  options.devices = {};
  EXPECT_THROW(PoolDriver(puzzle_problem(), options), scheduler::DeviceError);
}

// --- Builders ---

PoolDriver::Options with_builders(int count) {
  PoolDriver::Options options;
  options.builders = count;
  return options;
}

TEST(Builders, AnswerWithAnArtifactOrTheCompilersRefusal) {
  PoolDriver driver(puzzle_problem(), with_builders(1));
  const JobEnded built = driver.build(puzzle("good"));
  ASSERT_TRUE(built.artifact.has_value());
  EXPECT_EQ(built.artifact->hash, "good-hash");
  EXPECT_EQ(built.report.cost.build, 0.25);
  EXPECT_TRUE(built.fresh_process);
  const JobEnded refused = driver.build(puzzle("refuse"));
  const auto* outcome = failure_of(refused);
  ASSERT_NE(outcome, nullptr);
  EXPECT_EQ(*outcome, search::TrialOutcome(search::BuildFailed{"no such instruction"}));
  EXPECT_FALSE(refused.fresh_process);
}

TEST(Builders, ThatIsStoppedUntilItsLimitWasHeldByOthers) {
  search::Problem problem = puzzle_problem();
  problem.limits.build = 0.5;
  PoolDriver driver(problem, with_builders(1));
  driver.settle([&] { return driver.pool().can_build(); });
  scheduler::Job order;
  order.request = ipc::BuildRequest{};
  order.trial = {77};
  order.build().configuration = puzzle("hang");
  driver.pool().start(order);
  for (const int pid : driver.pool().process_ids()) ::kill(pid, SIGSTOP);
  scheduler::PoolEvent event;
  do event = driver.pool().wait(std::nullopt);
  while (!std::holds_alternative<JobEnded>(event));
  const auto& held = std::get<JobEnded>(event);
  EXPECT_TRUE(held.killed_by_others);
  EXPECT_EQ(held.report.outcome,
            search::TrialOutcome(search::TimedOut{search::Phase::kBuild, 0.5, false,
                                                  "the builder was stopped by a signal"}));
}

TEST(Builders, ThatCrashOrHangAreReplacedAndLeaveNothing) {
  const Residue residue;
  search::Problem problem = puzzle_problem();
  problem.limits.build = 0.5;
  PoolDriver driver(problem, with_builders(2));
  const JobEnded crashed = driver.build(puzzle("segfault"));
  const auto* crash = failure_of(crashed);
  ASSERT_NE(crash, nullptr);
  ASSERT_TRUE(std::holds_alternative<search::Crashed>(*crash));
  EXPECT_EQ(std::get<search::Crashed>(*crash).code, SIGSEGV);
  EXPECT_EQ(std::get<search::Crashed>(*crash).phase, search::Phase::kBuild);
  const JobEnded hung = driver.build(puzzle("hang"));
  const auto* late = failure_of(hung);
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(*late, search::TrialOutcome(search::TimedOut{search::Phase::kBuild, 0.5, false}));
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(driver.build(puzzle("good")).artifact.has_value());
  }
  driver.close();
  EXPECT_THAT(driver.surprises(), IsEmpty());
  EXPECT_THAT(residue.processes(), IsEmpty());
  EXPECT_EQ(residue.extra_descriptors(), 0);
}

}  // namespace
}  // namespace nightshift::puzzles
