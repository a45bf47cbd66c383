#include "evaluator/kernel_build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/evaluator/cuda_setup.h"

namespace nightshift::evaluator {
namespace {

using cuda::CudaSetup;
using cuda::scale_by;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// The same kernel with its size as an argument.
std::string with_argument() {
  std::string text = cuda::kScaleProblem;
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("source = \"scale.cu\"", "source = \"scale.cu\"\nnames = \"definitions\"");
  return text;
}

TEST(KernelBuild, HasTheCodeThatABuilderMakes) {
  const CudaSetup setup;
  const KernelBuild build = kernel_plans(setup.builder_request(), scale_by(64), "", true);
  EXPECT_EQ(build.complaint, "");
  EXPECT_EQ(build.hash, std::get<ipc::Artifact>(setup.build(scale_by(64)).result).hash);
  ASSERT_THAT(build.cases, SizeIs(1));
  const KernelPlan& plan = build.cases.front();
  EXPECT_EQ(plan.cubin.substr(1, 3), "ELF");
  EXPECT_FALSE(plan.for_any_sizes) << "N is a macro of the source";
  ASSERT_THAT(plan.launches, SizeIs(1));
  EXPECT_EQ(plan.launches[0].grid[0], "16");
  EXPECT_EQ(plan.launches[0].symbol, "scale");
  // What was built before is taken as it is.
  const KernelBuild again = kernel_plans(setup.builder_request(), scale_by(64), build.hash, true);
  EXPECT_EQ(again.cases.front().cubin, plan.cubin);
}

TEST(KernelBuild, CodeThatIsToldNoSizeIsForAll) {
  const CudaSetup setup({}, with_argument());
  setup.folder().write("scale.cu",
                       "#define BLOCK 1\n#define SPOIL none\n"
                       "extern \"C\" __global__ void scale(const float* x, float f, float* y, "
                       "unsigned* l) { y[0] = f * x[0] + BLOCK; l[0] = 1; }");
  const KernelBuild build = kernel_plans(setup.builder_request(), scale_by(64), "", true);
  ASSERT_EQ(build.complaint, "");
  EXPECT_TRUE(build.cases.front().for_any_sizes);
  EXPECT_EQ(build.cases.front().launches.at(0).grid[0], "$N,64,/,ceil");
  // A definition of that name takes the size's value.
  setup.folder().write("scale.cu",
                       "#define N 5\nextern \"C\" __global__ void scale(const float* x, float f, "
                       "float* y, unsigned* l) { y[0] = f * x[N]; l[0] = 1; }");
  EXPECT_FALSE(
      kernel_plans(setup.builder_request(), scale_by(64), "", true).cases.front().for_any_sizes);
}

TEST(KernelBuild, WhatCannotBeBuiltIsSaid) {
  const CudaSetup setup;
  setup.folder().write("scale.cu", "#error it is not finished\n");
  const KernelBuild build = kernel_plans(setup.builder_request(), scale_by(64), "", false);
  EXPECT_NE(build.complaint, "");
  EXPECT_TRUE(build.cases.empty());
}

TEST(KernelBuild, CodeWithOwnFeaturesIsForOneArchitecture) {
  EXPECT_FALSE(is_for_one_architecture(89));
  EXPECT_TRUE(is_for_one_architecture(90));
}

}  // namespace
}  // namespace nightshift::evaluator
