#include "problems/readers/problem/problem_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/problems/cuda_text.h"
#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// The host problem with `text` in place of its sizes.
std::string with(const std::string& text) {
  const std::string sizes = "sizes = { N = 1024 }";
  std::string problem = host_problem();
  return problem.replace(problem.find(sizes), sizes.size(), text);
}

class ProblemCases : public ::testing::Test {
 protected:
  std::vector<std::string> mistakes(const std::string& text) {
    return folder_.diagnostics(with(text));
  }
  ProblemFolder folder_;
};

TEST_F(ProblemCases, AHostProblemHasSeveralSizes) {
  const search::Problem problem =
      folder_.read(with("cases = [{ N = 1024, M = 2 }, { M = 3, N = 4096 }]"));
  EXPECT_THAT(std::get<search::HostBackend>(problem.backend).cases,
              ElementsAre(ElementsAre(Pair("M", 2), Pair("N", 1024)),
                          ElementsAre(Pair("M", 3), Pair("N", 4096))));
  EXPECT_THAT(problem.cases.names, ElementsAre("M=2 N=1024", "M=3 N=4096"));
  EXPECT_EQ(problem.cases.aggregate, search::Aggregate::kGeometricMean);
  EXPECT_THAT(problem.cases.weights, IsEmpty());
}

TEST_F(ProblemCases, AConstraintHoldsForEachCase) {
  const search::Problem problem = folder_.read(with("cases = [{ N = 1024 }, { N = 4096 }]"));
  EXPECT_EQ(problem.constraints.size(), 2U);
}

TEST_F(ProblemCases, OneCaseAloneIsAProblemWithoutCases) {
  EXPECT_FALSE(search::has_cases(folder_.read(host_problem()).cases));
  const search::Problem one = folder_.read(with("aggregate = \"worst\"\ncases = [{ N = 64 }]"));
  EXPECT_FALSE(search::judges_worst(one.cases));
}

TEST_F(ProblemCases, WeightsAndTheAggregateAreRead) {
  const search::Problem weighted =
      folder_.read(with("aggregate = \"sum\"\ncases = [{ N = 64, weight = 2.5 }, { N = 128 }]"));
  EXPECT_THAT(weighted.cases.weights, ElementsAre(2.5, 1));
  EXPECT_EQ(weighted.cases.aggregate, search::Aggregate::kSum);
  const search::Problem worst =
      folder_.read(with("aggregate = \"worst\"\ncases = [{ N = 64 }, { N = 128 }]"));
  EXPECT_TRUE(search::judges_worst(worst.cases));
}

TEST_F(ProblemCases, AWeightIsAPositiveNumber) {
  for (const char* weight : {"0", "-1", "inf", "nan", "1e7", "\"often\""}) {
    EXPECT_THAT(mistakes(std::string("cases = [{ N = 64, weight = ") + weight + " }, { N = 128 }]"),
                ElementsAre(HasSubstr("weight must be a number from 1e-06 to 1000000, not")))
        << weight;
  }
}

TEST_F(ProblemCases, CasesDifferAndHaveTheSameSizes) {
  EXPECT_THAT(mistakes("cases = [{ N = 64, M = 1 }, { M = 1, N = 64 }]"),
              ElementsAre(HasSubstr("host.cases: this case is there twice, ")));
  EXPECT_THAT(mistakes("cases = [{ N = 64, M = 1 }, { N = 128 }]"),
              ElementsAre(HasSubstr("host.cases: this case lacks the size M; all cases have")));
  EXPECT_THAT(mistakes("cases = [{ N = 64 }, { N = 128, M = 1 }]"),
              ElementsAre(HasSubstr("this case has the size M, which the first case has not")));
  EXPECT_THAT(mistakes("sizes = { N = 64 }\ncases = [{ N = 128 }]"),
              ElementsAre(HasSubstr("host.cases and 'sizes' exclude each other")));
}

TEST_F(ProblemCases, TheWorstCaseHasNoWeights) {
  EXPECT_THAT(
      mistakes("aggregate = \"worst\"\ncases = [{ N = 64, weight = 2 }, { N = 128 }]"),
      ElementsAre(HasSubstr("host.aggregate is 'worst', which has no use for the weights")));
}

TEST_F(ProblemCases, TheWorstCaseIsNotRelativeToOneGivenFigure) {
  const std::string text = with("aggregate = \"worst\"\ncases = [{ N = 64 }, { N = 128 }]");
  EXPECT_THAT(folder_.diagnostics(
                  text, {{"schedule.normalisation", "given"}, {"schedule.given_baseline", "2"}}),
              ElementsAre(HasSubstr("needs the baseline's figure of each case")));
}

TEST_F(ProblemCases, ASizeThatIsWrongInOneCaseNamesIt) {
  EXPECT_THAT(mistakes("cases = [{ N = 64 }, { N = -64 }]"),
              Contains(HasSubstr("of argument 'a' ")));
  EXPECT_THAT(mistakes("cases = [{ N = 64 }, { N = -64 }]"), Contains(HasSubstr("in case N=-64")));
}

// --- [command] ---

std::string server(const std::string& more) {
  return "name = \"x\"\n[command]\nmode = \"server\"\nprotocol = 2\nargv = [\"true\"]\n" + more +
         "\n[parameters]\nA = [1, 2]\n";
}

TEST_F(ProblemCases, AServerNamesItsCases) {
  const search::Problem problem = folder_.read(
      server("aggregate = \"worst\"\ncases = [{ name = \"small\" }, { name = \"large\" }]"));
  EXPECT_THAT(problem.cases.names, ElementsAre("small", "large"));
  EXPECT_TRUE(search::judges_worst(problem.cases));
  EXPECT_THAT(folder_.diagnostics(server("cases = [{ name = \"a\" }, { name = \"a\" }]")),
              ElementsAre(HasSubstr("name is 'a', which an earlier case has")));
  EXPECT_THAT(folder_.diagnostics(server("cases = [{ weight = 2 }]")),
              ElementsAre(HasSubstr("command.cases.name is missing")));
}

TEST_F(ProblemCases, AProgramWithoutProtocol2HasNone) {
  const std::string text =
      "name = \"x\"\n[command]\nargv = [\"true\", \"{A}\"]\ncases = [{ name = \"a\" }]\n"
      "[parameters]\nA = [1, 2]\n";
  EXPECT_THAT(folder_.diagnostics(text),
              ElementsAre(HasSubstr("command.cases belong to a server of protocol = 2")));
}

}  // namespace
}  // namespace nightshift::problems
