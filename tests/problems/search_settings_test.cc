// What a problem file says of where to begin: starts, weights, earlier studies.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/problems/cuda_text.h"
#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string problem(const std::string& search, const std::string& tile = "[1, 2, 4]") {
  return "name = \"p\"\nconstraints = [\"TILE * UNROLL <= 8\"]\n[command]\nargv = [\"true\", "
         "\"{TILE}{UNROLL}\"]\n" +
         std::string("[[objective]]\nname = \"time\"\n[parameters]\nTILE = ") + tile +
         "\nUNROLL = [1, 2, 4]\n[baseline]\nUNROLL = 2\n[search]\n" + search;
}

class SearchSettings : public ::testing::Test {
 protected:
  ProblemFolder folder_;
};

TEST_F(SearchSettings, StartsAreCompletedByTheBaseline) {
  const search::Problem read =
      folder_.read(problem("starts = [{ TILE = 4 }, { TILE = 2, UNROLL = 4 }]"));
  ASSERT_EQ(read.scheduling.starts.size(), 2U);
  EXPECT_EQ(read.scheduling.starts[0].to_json(), R"({"TILE": 4, "UNROLL": 2})");
  EXPECT_EQ(read.scheduling.starts[1].to_json(), R"({"TILE": 2, "UNROLL": 4})");
}

TEST_F(SearchSettings, MistakesInStartsAreReportedTogether) {
  EXPECT_THAT(folder_.diagnostics(problem("starts = [{ TIEL = 4 }, { TILE = 3 }]")),
              ElementsAre(HasSubstr("start 1 sets 'TIEL', which is no parameter; did you mean "
                                    "'TILE'?"),
                          HasSubstr("start 2: 'TILE' has no value 3")));
  EXPECT_THAT(folder_.diagnostics(problem("starts = [{ TILE = 4, UNROLL = 4 }]")),
              ElementsAre(HasSubstr("start 1 violates the constraint 'TILE * UNROLL <= 8'")));
}

std::vector<std::string> texts_of(const std::vector<search::Expression>& expressions) {
  std::vector<std::string> texts;
  for (const search::Expression& expression : expressions) texts.push_back(expression.text());
  return texts;
}

TEST_F(SearchSettings, AnExpectedCostIsOverParameters) {
  EXPECT_THAT(
      texts_of(folder_.read(problem("expected = \"64 / TILE + UNROLL\"")).scheduling.expected),
      ElementsAre("64 / TILE + UNROLL"));
  EXPECT_THAT(folder_.read(problem("expected = \"\"")).scheduling.expected, IsEmpty());
}

TEST_F(SearchSettings, MistakesInAnExpectedCostAreSaidInTheirPlace) {
  EXPECT_THAT(folder_.diagnostics(problem("expected = \"64 / TIEL\"")),
              ElementsAre(AllOf(HasSubstr("search.expected"), HasSubstr("'TIEL'"),
                                HasSubstr("did you mean 'TILE'?"))));
  EXPECT_THAT(
      folder_.diagnostics(problem("expected = \"TILE - 64\"")),
      ElementsAre(HasSubstr("search.expected 'TILE - 64' for the baseline: is -63; a cost is "
                            "a number above 0")));
  EXPECT_THAT(folder_.diagnostics(problem("expected = \"1 / (TILE - 1)\"")),
              ElementsAre(HasSubstr(
                  "search.expected '1 / (TILE - 1)' for the baseline: character 3: division by "
                  "zero")));
  EXPECT_THAT(folder_.diagnostics(problem("expected = \"SM_COUNT / TILE\"")),
              ElementsAre(HasSubstr("SM_COUNT")));
}

TEST_F(SearchSettings, AnExpectedCostOfACudaKernelMayDependOnTheDevice) {
  const CudaFolder folder;
  const search::Problem read =
      folder.read(cuda_problem("[search]\nexpected = \"ceil(M / (THREADS * SM_COUNT)) + N\"\n"));
  EXPECT_THAT(texts_of(read.scheduling.expected),
              ElementsAre("ceil(4 / (THREADS * SM_COUNT)) + 1024"));
  EXPECT_EQ(read.scheduling.multiprocessors, 0);
}

TEST_F(SearchSettings, WeightsGoWithTheirValuesWhateverTheOrder) {
  const search::Problem read =
      folder_.read(problem("", "{ values = [4, 1, 2], weights = [9, 1, 3.5] }"));
  const search::Parameter& tile = read.parameters[0];
  ASSERT_EQ(tile.values.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = search::as_number(tile.values[i]);
    EXPECT_EQ(tile.weights[i], value == 4 ? 9 : value == 1 ? 1 : 3.5);
  }
}

TEST_F(SearchSettings, WeightsMustBeOnePositiveNumberEach) {
  for (const char* weights : {"[1, 2]", "[1, 2, 0]", "[1, 2, 'x']", "3"}) {
    EXPECT_THAT(folder_.diagnostics(
                    problem("", std::string("{ values = [1, 2, 4], weights = ") + weights + " }")),
                ElementsAre(HasSubstr("weights must list a positive number for each of the 3 "
                                      "values")));
  }
}

TEST_F(SearchSettings, EarlierStudiesLieBesideTheFile) {
  const search::Problem read = folder_.read(problem("warm_start = [\"a.study\", \"/b\"]"));
  EXPECT_THAT(read.scheduling.warm_start, ElementsAre(folder_.path("a.study"), "/b"));
}

}  // namespace
}  // namespace nightshift::problems
