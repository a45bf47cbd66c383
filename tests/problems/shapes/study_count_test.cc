#include "problems/shapes/study_count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::problems {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(StudyCount, TakesAsManyAsABatchMayHave) {
  EXPECT_EQ(flaw_of_product({"p", 1, {}}, 0), "");
  EXPECT_EQ(flaw_of_product({"p", 1, {}}, kMostStudies - 1), "");
  EXPECT_EQ(flaw_of_product({"p", 1, {100, 100}}, 0), "");
  EXPECT_EQ(flaw_of_product({"p", kMostShapes, {1, 1}}, 0), "");
  EXPECT_NE(flaw_of_product({"p", 1, {}}, kMostStudies), "");
  EXPECT_NE(flaw_of_product({"p", 1, {100, 101}}, 0), "");
  EXPECT_NE(flaw_of_product({"p", 5001, {2}}, 0), "");
}

TEST(StudyCount, TellsTheNumberAndTheMost) {
  EXPECT_THAT(flaw_of_product({"gemm", 1, std::vector<std::size_t>(12, 8)}, 0),
              AllOf(HasSubstr("'gemm' would become 68719476736 studies, "),
                    HasSubstr("at most 10000"), HasSubstr("'each'")));
  EXPECT_THAT(flaw_of_product({"gemm", 6000, {}}, 7000),
              AllOf(HasSubstr("6000 studies beside 7000 others"), Not(HasSubstr("'each'"))));
}

TEST(StudyCount, CountsWhatNoNumberHolds) {
  EXPECT_THAT(flaw_of_product({"p", 10'000, std::vector<std::size_t>(200, 65'536)}, 0),
              HasSubstr("more than 2^128 studies"));
}

}  // namespace
}  // namespace nightshift::problems
