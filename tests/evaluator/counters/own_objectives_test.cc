#include "evaluator/counters/own_objectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "evaluator/counters/build_time.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/artifact_tree.h"
#include "tests/evaluator/evaluator_setup.h"
#include "tests/evaluator/fake_counters.h"

namespace nightshift::evaluator {
namespace {

using search::OwnFigure;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

search::Problem host(std::vector<search::Objective> objectives) {
  search::Problem problem;
  problem.backend = search::HostBackend{};
  problem.objectives = std::move(objectives);
  return problem;
}

std::string refusal(const search::Problem& problem) {
  try {
    own_objectives(problem);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OwnObjectives, OfAHostKernelAreAllInOrder) {
  const auto own = own_objectives(host({{"binary_size", "KiB"}, {"time", "us"}, {"cycles", ""}}));
  ASSERT_EQ(own.size(), 3U);
  EXPECT_EQ(own[0].figure, OwnFigure::kBinarySize);
  EXPECT_EQ(own[1].per_base_unit, 1e6);
  EXPECT_THAT(counted(own), ElementsAre(OwnFigure::kCycles));
  EXPECT_TRUE(wants(own, OwnFigure::kTime));
  EXPECT_FALSE(wants(own, OwnFigure::kEnergy));
}

TEST(OwnObjectives, OfAProgramAreThoseThatItDoesNotPrint) {
  search::Problem problem = host({{"score", ""}, {"work", ""}});
  search::CommandBackend command;
  command.figures = {{}, {search::FigureRule::Source::kMeasured, "instructions"}};
  problem.backend = command;
  const auto own = own_objectives(problem);
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own[0].name, "work");
  EXPECT_EQ(own[0].figure, OwnFigure::kInstructions);
  command.figures[1].key = "error";
  problem.backend = command;
  EXPECT_THAT(refusal(problem), HasSubstr("is no figure of a program"));
}

TEST(OwnObjectives, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(refusal(host({{"energi", "J"}})), HasSubstr("'energi' is no figure"));
  EXPECT_THAT(refusal(host({{"energy", "s"}})), HasSubstr("cannot be given in 's'"));
  EXPECT_THAT(refusal(host({{"time", "ms", search::Direction::kMaximise}})),
              HasSubstr("can only be minimised"));
}

TEST(OwnObjectives, WhatTheMachineCannotMeasureIsToldInASentenceEach) {
  const TemporaryFolder folder;
  FakeCounters door({{OwnFigure::kInstructions, {1}}});
  const search::Problem problem =
      host({{"time", "ms"}, {"cycles", ""}, {"instructions", ""}, {"energy", "J"}});
  EXPECT_THAT(unmeasurable(problem, {&door, folder.path()}),
              ElementsAre("no 'cycles' here", HasSubstr("no package with RAPL")));
  write_zone(folder.path(), "intel-rapl:0", "package-0", 1);
  EXPECT_THAT(unmeasurable(host({{"energy", "J"}, {"instructions", ""}}), {&door, folder.path()}),
              IsEmpty());
}

TEST(BuildTime, IsThatOfTheFirstBuild) {
  const TemporaryFolder folder;
  EXPECT_THROW(build_time(folder.path(), "abc"), std::runtime_error);
  keep_build_time(folder.path(), "abc", 1.25);
  keep_build_time(folder.path(), "abc", 9);
  EXPECT_EQ(build_time(folder.path(), "abc"), 1.25);
  EXPECT_THROW(build_time(folder.path(), "abcd"), std::runtime_error);
  // A FIFO would make us wait.
  ASSERT_EQ(::mkfifo(artifact_path(folder.path(), std::string(kFigures) + "fifo").c_str(), 0600),
            0);
  EXPECT_THROW(build_time(folder.path(), "fifo"), std::runtime_error);
}

}  // namespace
}  // namespace nightshift::evaluator
