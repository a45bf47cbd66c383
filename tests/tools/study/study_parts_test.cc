#include "tools/study/study_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "problems/problem_file.h"
#include "tests/problems/cuda_text.h"

namespace nightshift::tools {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(StudyParts, AStudyKeepsStartsAndNotTheirFile) {
  const problems::CudaFolder folder;
  folder.write("found.json", R"([{"sizes": {}, "configuration": {"THREADS": 32, "UNROLL": 2}},
                                 {"sizes": {}, "configuration": {"FINISH": "kernel"}}])");
  const std::string text =
      problems::cuda_problem("[search]\nstarts_file = \"found.json\"\nstarts = [{ UNROLL = 4 }]\n");
  const search::Problem problem = folder.read(text);
  ASSERT_THAT(problem.scheduling.starts, SizeIs(3));
  const auto overrides = study_header(problem, text, {{"search.seed", "7"}}, "all", {}).overrides;
  folder.write("found.json", "[]");
  const search::Problem again = folder.read(text, overrides);
  EXPECT_EQ(again.scheduling.starts, problem.scheduling.starts);
  EXPECT_EQ(again.scheduling.seed, 7U);
  // And so a second time.
  EXPECT_EQ(with_what_it_keeps(again, overrides), overrides);
  EXPECT_THAT(with_what_it_keeps(folder.read(problems::cuda_problem()), {}), IsEmpty());
}

scheduler::Device gpu_of(int multiprocessors) {
  scheduler::Device device;
  device.gpu.multiprocessors = multiprocessors;
  return device;
}

TEST(StudyParts, AnExpectedCostIsThatOfTheFirstGpuAndStaysSo) {
  const problems::CudaFolder folder;
  const std::string text = problems::cuda_problem("[search]\nexpected = \"THREADS * SM_COUNT\"\n");
  search::Problem problem = folder.read(text);
  EXPECT_THAT(with_what_it_keeps(problem, {}), IsEmpty());  // no GPU is known
  settle_multiprocessors(problem, {gpu_of(0), gpu_of(78), gpu_of(132)});
  EXPECT_EQ(problem.scheduling.multiprocessors, 78);
  const auto overrides = study_header(problem, text, {}, "all", {}).overrides;
  search::Problem again = folder.read(text, overrides);
  settle_multiprocessors(again, {gpu_of(132)});
  EXPECT_EQ(again.scheduling.multiprocessors, 78);
  EXPECT_EQ(with_what_it_keeps(again, overrides), overrides);
}

TEST(StudyParts, WhatNobodyAsksOfADeviceIsNotKept) {
  const problems::CudaFolder folder;
  search::Problem problem =
      folder.read(problems::cuda_problem("[search]\nexpected = \"THREADS\"\n"));
  settle_multiprocessors(problem, {gpu_of(78)});
  EXPECT_THAT(with_what_it_keeps(problem, {}), IsEmpty());
}

}  // namespace
}  // namespace nightshift::tools
