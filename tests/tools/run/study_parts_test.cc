#include "tools/run/study_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kernels/problem_file.h"
#include "tests/kernels/cuda_text.h"

namespace nightshift::tools {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(StudyParts, AStudyKeepsStartsAndNotTheirFile) {
  const kernels::CudaFolder folder;
  folder.write("found.json", R"([{"sizes": {}, "configuration": {"THREADS": 32, "UNROLL": 2}},
                                 {"sizes": {}, "configuration": {"FINISH": "kernel"}}])");
  const std::string text =
      kernels::cuda_problem("[search]\nstarts_file = \"found.json\"\nstarts = [{ UNROLL = 4 }]\n");
  const search::Problem problem = folder.read(text);
  ASSERT_THAT(problem.scheduling.starts, SizeIs(3));
  const auto overrides = study_header(problem, text, {{"search.seed", "7"}}, "all", {}).overrides;
  folder.write("found.json", "[]");
  const search::Problem again = folder.read(text, overrides);
  EXPECT_EQ(again.scheduling.starts, problem.scheduling.starts);
  EXPECT_EQ(again.scheduling.seed, 7U);
  // And so a second time.
  EXPECT_EQ(with_its_starts(again, overrides), overrides);
  EXPECT_THAT(with_its_starts(folder.read(kernels::cuda_problem()), {}), IsEmpty());
}

}  // namespace
}  // namespace nightshift::tools
