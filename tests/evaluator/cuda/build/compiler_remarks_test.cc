#include "evaluator/cuda/build/compiler_remarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/evaluator/cuda_setup.h"

namespace nightshift::evaluator::cuda {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

TEST(CompilerRemarks, AreWhatMayBeSlowWithTheNumberOfTheRemark) {
  EXPECT_EQ(performance_remarks(
                "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions "
                "are serialized due to  some reason in the function 'f'\nsomething else\n"),
            "wgmma.mma_async instructions are serialized due to some reason in the function 'f' "
            "(C7514)");
}

TEST(CompilerRemarks, EachIsThereOnce) {
  const std::string one = "info : (C1) Potential Performance Loss: a\n";
  const std::string other = "info : (C2) Potential Performance Loss: b";
  EXPECT_EQ(performance_remarks(one + one + other), "a (C1); b (C2)");
}

TEST(CompilerRemarks, OtherWordsAreNone) {
  for (const char* words : {"", "\n", "warning: a variable is unused\n", "Potential Performance\n",
                            "Potential Performance Loss:"}) {
    EXPECT_EQ(performance_remarks(words), "") << words;
  }
}

TEST(CompilerRemarks, AreOfOneKibibyteAtMostAndPrintable) {
  std::string words = "Potential Performance Loss: \x01\x7f a\t";
  words += std::string(5000, 'b');
  const std::string remarks = performance_remarks(words);
  EXPECT_EQ(remarks.size(), 1024u);
  EXPECT_EQ(remarks.substr(0, 4), "a bb");
}

std::string remarked_kernel() {
  return std::string(
             "//ptxas info    : (C7514) Potential Performance Loss: products are serialized\n") +
         kScaleKernel;
}

TEST(CompilerRemarks, AreAConditionOfWhatIsMeasured) {
  for (const bool remarked : {true, false}) {
    CudaSetup setup;
    if (remarked) setup.folder().write("scale.cu", remarked_kernel());
    CudaTrialBackend backend(setup.evaluator_request());
    const search::TrialReport report = setup.evaluate(backend, scale_by(64));
    const auto* measured = std::get_if<search::Measured>(&report.outcome);
    ASSERT_NE(measured, nullptr) << search::describe(report.outcome);
    const auto& conditions = measured->measurement.conditions;
    if (remarked) {
      EXPECT_THAT(conditions, Contains(Pair("compiler", "products are serialized (C7514)")));
    } else {
      EXPECT_THAT(conditions, Not(Contains(Key("compiler"))));
    }
  }
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
