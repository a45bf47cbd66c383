#include "tools/noise/empty_problem.h"

#include <gtest/gtest.h>

#include <variant>

#include "tests/problems/scratch_folder.h"

namespace nightshift::tools {
namespace {

search::Problem timed(search::Backend backend) {
  search::Problem problem;
  problem.objectives.front().unit = "us";
  problem.target = search::usual_target(backend);
  problem.backend = std::move(backend);
  problem.sampling.samples = 7;
  return problem;
}

search::CommandBackend command(search::FigureRule::Source source) {
  search::CommandBackend c;
  c.figures = {{source, ""}};
  c.runs = 3;
  return c;
}

TEST(EmptyProblem, IsMadeOfTheSameAndMeasuredLikewise) {
  const problems::ScratchFolder folder;
  const auto host = empty_problem(timed(search::HostBackend{}), folder.path("."));
  ASSERT_TRUE(host);
  EXPECT_EQ(search::name_of(host->backend), "host");
  EXPECT_EQ(host->sampling.samples, 7);
  const auto cuda = empty_problem(timed(search::CudaBackend{}), folder.path("."));
  ASSERT_TRUE(cuda);
  EXPECT_EQ(search::name_of(cuda->backend), "cuda");
  EXPECT_EQ(cuda->target, search::Target::kGpus);
}

TEST(EmptyProblem, OfAProgramIsItsStart) {
  const problems::ScratchFolder folder;
  search::Problem program = timed(command(search::FigureRule::Source::kWallTime));
  program.target = search::Target::kGpus;
  const auto empty = empty_problem(program, folder.path("."));
  ASSERT_TRUE(empty);
  EXPECT_EQ(std::get<search::CommandBackend>(empty->backend).runs, 3);
  EXPECT_EQ(empty->target, search::Target::kGpus);  // where the program runs
}

TEST(EmptyProblem, IsNotThereForFiguresThatAreNotOfOurTaking) {
  const problems::ScratchFolder folder;
  EXPECT_FALSE(empty_problem(timed(command(search::FigureRule::Source::kJson)), folder.path(".")));
  search::CommandBackend server = command(search::FigureRule::Source::kWallTime);
  server.mode = search::CommandBackend::Mode::kServer;
  EXPECT_FALSE(empty_problem(timed(server), folder.path(".")));
  EXPECT_FALSE(empty_problem(timed(search::RecordedBackend{}), folder.path(".")));
  search::Problem bandwidth = timed(search::HostBackend{});
  bandwidth.objectives.front().unit = "GB/s";
  EXPECT_FALSE(empty_problem(bandwidth, folder.path(".")));
}

}  // namespace
}  // namespace nightshift::tools
