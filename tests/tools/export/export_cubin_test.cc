#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/told_study.h"
#include "tools/export/export_formats.h"
#include "tools/export/exports.h"
#include "tools/usage_error.h"

// What is written and launched is held by tests/e2e/kernels_test.py.
namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

std::string complaint(const search::Problem& problem) {
  const tests::ToldStudy study;
  const StudyFolder folder("studies/told");
  std::vector<std::string> notices;
  try {
    to_cubin({study.history(), tests::told_summary(), problem, folder, std::nullopt, notices});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(CubinExport, IsOfCudaAlone) {
  EXPECT_THAT(complaint(tests::told_problem()),
              HasSubstr("studies/told is no study of [cuda] kernels"));
}

TEST(CubinExport, NeedsToKnowForWhichGpu) {
  search::Problem problem = tests::told_problem();
  problem.backend = search::CudaBackend{};
  EXPECT_THAT(complaint(problem), HasSubstr("with --architecture N"));
}

TEST(CubinExport, IsAFormThatNeedsABestAndAFile) {
  for (const ExportFormat& format : export_formats()) {
    EXPECT_EQ(format.is_binary, format.name == "cubin");
    EXPECT_TRUE(!format.is_binary || format.needs_best);
  }
}

}  // namespace
}  // namespace nightshift::tools
