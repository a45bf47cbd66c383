#include "evaluator/command/run_meters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "evaluator/command/command_backend.h"
#include "evaluator/counters/binary_size.h"
#include "ipc/orphans.h"
#include "search/statistics/summary.h"
#include "search/trial.h"
#include "tests/evaluator/evaluator_setup.h"
#include "tests/evaluator/fake_counters.h"

namespace nightshift::evaluator {
namespace {

using search::FigureRule;
using search::Measured;
using search::OwnFigure;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Pair;

// What is measured of a program besides what it prints.
class RunMetersTest : public ::testing::Test {
 protected:
  RunMetersTest() {
    ipc::become_subreaper();
    problem_.name = "command";
    command_.directory = folder_.path();
    command_.runs = 2;
    command_.argv = {"/bin/sh", "-c", "echo '{{\"score\": 3}'"};
  }

  void figure(const std::string& name, const std::string& unit, FigureRule rule) {
    if (command_.figures.empty()) problem_.objectives.clear();
    problem_.objectives.push_back({name, unit});
    command_.figures.push_back(std::move(rule));
  }
  void measure(const std::string& name, const std::string& unit = "") {
    figure("its " + name, unit, {FigureRule::Source::kMeasured, name});
  }
  search::TrialOutcome outcome() {
    CommandTrialBackend backend(setting(), std::make_unique<CoreWatch>(), {&counters_, powercap()});
    ipc::EvaluateRequest request;
    if (!command_.build.empty()) {
      const auto built = backend.build({}, progress_);
      request.artifact = std::get<ipc::Artifact>(built.result).hash;
    }
    return backend.evaluate(request, progress_).outcome;
  }
  ipc::ConfigureRequest setting() {
    problem_.backend = command_;
    return setting_for(problem_, folder_);
  }
  search::Measurement measured() {
    const auto result = outcome();
    const auto* good = std::get_if<Measured>(&result);
    if (good == nullptr) throw std::runtime_error(search::describe(result));
    return good->measurement;
  }
  std::string refusal() {
    try {
      CommandTrialBackend backend(setting(), std::make_unique<CoreWatch>(),
                                  {&counters_, powercap()});
    } catch (const std::exception& error) {
      return error.what();
    }
    return "accepted";
  }
  std::filesystem::path powercap() const { return std::filesystem::path(folder_.path()) / "zones"; }

  TemporaryFolder folder_;
  FakeProgress progress_;
  FakeCounters counters_{{{OwnFigure::kInstructions, {700}}, {OwnFigure::kCycles, {300}}}};
  search::Problem problem_;
  search::CommandBackend command_;
};

TEST_F(RunMetersTest, EveryRunHasItsCountsBesideWhatItPrints) {
  measure("cycles");
  figure("score", "", {});
  measure("instructions");
  const auto found = measured();
  EXPECT_THAT(found.find("score")->values, ElementsAre(3, 3));
  EXPECT_THAT(found.find("its instructions")->values, ElementsAre(700, 700));
  EXPECT_THAT(found.find("its cycles")->values, ElementsAre(300, 300));
  EXPECT_THAT(counters_.opened, testing::Contains(Pair(OwnFigure::kCycles, CountedFrom::kExec)));
  EXPECT_THAT(counters_.opened,
              testing::Not(testing::Contains(Pair(testing::_, CountedFrom::kNow))));
}

TEST_F(RunMetersTest, CountersThatOthersHadAreSaidToEstimate) {
  measure("instructions");
  EXPECT_EQ(measured().condition("counters"), "");
  counters_ = FakeCounters({{OwnFigure::kInstructions, {700, 2'000'000, 1'000'000}}});
  const auto found = measured();
  EXPECT_THAT(found.find("its instructions")->values, ElementsAre(1400, 1400));
  EXPECT_THAT(found.condition("counters"), HasSubstr("estimates"));
}

TEST_F(RunMetersTest, AProgramNeedPrintNothing) {
  command_.argv = {"/bin/true"};
  measure("instructions");
  EXPECT_THAT(measured().find("its instructions")->values, ElementsAre(700, 700));
}

TEST_F(RunMetersTest, EnergyIsOfARun) {
  const std::string counter = write_zone(powercap(), "intel-rapl:0", "package-0", 0).string();
  command_.argv = {"/bin/sh", "-c", "read n < " + counter + "; echo $((n + 2000)) > " + counter};
  measure("energy", "mJ");
  EXPECT_THAT(measured().find("its energy")->values, ElementsAre(2, 2));
}

TEST_F(RunMetersTest, WhatIsBuiltHasASizeAndATime) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  command_.build = {"/bin/sh", "-c", "cp " + program + " {artifact}/main"};
  command_.argv = {"/bin/sh", "-c", "test -x {artifact}/main"};
  measure("binary_size", "KiB");
  measure("build_time", "ms");
  const auto first = measured();
  EXPECT_THAT(first.find("its binary_size")->values,
              ElementsAre(static_cast<double>(binary_size(program)) / 1024));
  EXPECT_THAT(first.find("its build_time")->values, ElementsAre(Gt(0)));
  EXPECT_EQ(first.condition("build time"), "of the first build of this machine code");
  EXPECT_EQ(measured().find("its build_time")->values, first.find("its build_time")->values);
}

// Python fills so many MiB with something that is no zero.
std::vector<std::string> filler(int mebibytes) {
  return {"/usr/bin/env", "python3", "-S", "-c",
          "x = bytearray(b'x') * (" + std::to_string(mebibytes) + " << 20)"};
}

double median_memory(const search::Measurement& found) {
  return search::median_of(found.find("its peak_memory")->values);
}

TEST_F(RunMetersTest, PeakMemoryIsWhatARunHasTouched) {
  measure("peak_memory", "MiB");
  command_.argv = filler(0);
  const auto without = measured();
  EXPECT_EQ(without.find("its peak_memory")->values.size(), 2U);
  command_.argv = filler(64);
  const double with = median_memory(measured());
  EXPECT_GT(with, 64);
  EXPECT_GT(with, median_memory(without) + 56);
}

// Files that the evaluator has mapped, as its libraries are, are not counted.
TEST_F(RunMetersTest, PeakMemoryOfAnEmptyProgramIsItsOwn) {
  constexpr std::size_t kOurs = std::size_t{64} << 20;
  void* const ours =
      ::mmap(nullptr, kOurs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(ours, MAP_FAILED);
  std::memset(ours, 'x', kOurs);
  measure("peak_memory", "KiB");
  command_.argv = {"/bin/true"};
  const double kibibytes = median_memory(measured());
  EXPECT_GT(kibibytes, 100);
  EXPECT_LT(kibibytes, kOurs >> 10);
  ::munmap(ours, kOurs);
}

TEST_F(RunMetersTest, PeakMemoryIsThatOfTheLargestOfItsProcesses) {
  measure("peak_memory", "MiB");
  const std::string fill = "python3 -S -c 'x = bytearray(b\"x\") * (64 << 20)'";
  command_.argv = {"/bin/sh", "-c", fill + "; " + fill};
  const double both = median_memory(measured());
  EXPECT_GT(both, 64);
  EXPECT_LT(both, 128);
}

class ServedMemory : public RunMetersTest {
 protected:
  ServedMemory() {
    measure("peak_memory", "MiB");
    problem_.parameters.push_back(parameter("MIB", {std::int64_t{0}, std::int64_t{64}}));
    command_.mode = search::CommandBackend::Mode::kServer;
    command_.argv = {"/usr/bin/env", "python3", "-S", "-u", "-c", kServer};
  }
  // Each answer has its memory back before it is given.
  static constexpr const char* kServer = R"(
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    x = bytearray(b'x') * (asked.get('MIB', 0) << 20)
    del x
    print(json.dumps({'configuration': asked}))
)";
  double asked(CommandTrialBackend& backend, std::int64_t mebibytes) {
    ipc::EvaluateRequest request;
    request.configuration = search::Configuration({{"MIB", mebibytes}});
    const auto report = backend.evaluate(request, progress_);
    const auto* good = std::get_if<Measured>(&report.outcome);
    if (good == nullptr) throw std::runtime_error(search::describe(report.outcome));
    return median_memory(good->measurement);
  }
};

TEST_F(ServedMemory, IsThatOfEachRequest) {
  CommandTrialBackend backend(setting(), std::make_unique<CoreWatch>(), {&counters_, powercap()});
  const double before = asked(backend, 0);
  const double with = asked(backend, 64);
  EXPECT_GT(with, before + 56);
  EXPECT_LT(asked(backend, 0), with - 56) << "the server has given it back";
}

TEST_F(ServedMemory, IsNotToldOfProtocol2) {
  EXPECT_EQ(refusal(), "accepted");
  command_.protocol = 2;
  EXPECT_THAT(refusal(), HasSubstr("a server has to answer with it"));
}

TEST_F(RunMetersTest, WhatIsNotThereIsRefusedBeforeAnyTrial) {
  measure("branch_misses");
  EXPECT_EQ(refusal(), "no 'branch_misses' here");
  command_.figures.back().key = "energy";
  EXPECT_THAT(refusal(), HasSubstr("'energy' cannot be given in ''"));
  problem_.objectives.back().unit = "J";
  EXPECT_THAT(refusal(), HasSubstr("no package with RAPL"));
  command_.figures.back().key = "binary_size";
  problem_.objectives.back().unit = "B";
  EXPECT_THAT(refusal(), HasSubstr("say how in command.build"));
  command_.figures.back().key = "instructions";
  problem_.objectives.back().unit = "";
  EXPECT_EQ(refusal(), "accepted");
  command_.mode = search::CommandBackend::Mode::kServer;
  EXPECT_THAT(refusal(), HasSubstr("a server has to answer with it"));
}

TEST_F(RunMetersTest, ABuilderMeasuresNothing) {
  measure("branch_misses");
  auto request = setting();
  request.measures = false;
  EXPECT_NO_THROW(
      CommandTrialBackend(request, std::make_unique<CoreWatch>(), {&counters_, powercap()}));
}

}  // namespace
}  // namespace nightshift::evaluator
