#include "problems/readers/problem/loose_tolerance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "search/cuda_problem.h"
#include "tests/problems/cuda_text.h"
#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class LooseTolerance : public ::testing::Test {
 protected:
  // Of [host] with one output, 'b'.
  std::vector<std::string> host(const std::string& of_all,
                                const std::string& of_output = "") const {
    std::string text = host_problem(of_all.empty() ? "" : "[host.tolerance]\n" + of_all);
    const std::string access = "access = \"out\"\n";
    return folder_.read(text.replace(text.find(access), access.size(), access + of_output)).notes;
  }
  const ProblemFolder folder_;
};

TEST_F(LooseTolerance, AShareOfAllOfTheAnswerIsTold) {
  EXPECT_THAT(host(""), IsEmpty());
  EXPECT_THAT(host("relative = 0.05\nabsolute = 5"), IsEmpty());
  EXPECT_THAT(host("relative = 5"),
              ElementsAre("host.tolerance.relative is 5, which is 500 % of the expected value: an "
                          "answer of zeros is right; where 5 % is meant, write 0.05"));
  EXPECT_THAT(host("relative = 1"), ElementsAre(HasSubstr("is 1, which is 100 %")));
}

TEST_F(LooseTolerance, AnOutputsOwnGoesBeforeTheProblems) {
  EXPECT_THAT(host("relative = 5", "tolerance = { relative = 0.5 }\n"), IsEmpty());
  EXPECT_THAT(
      host("relative = 0.5", "tolerance = { relative = 2.5 }\n"),
      ElementsAre(StartsWith("host.argument.tolerance.relative of 'b' is 2.5, which is 250 %")));
}

TEST_F(LooseTolerance, AGateIsLooseWhereItsElementsAreNotHeldEither) {
  const CudaFolder folder;
  const auto gated = [&](double norm, double element) {
    search::Problem problem = folder.read(CudaFolder::changed({}));
    auto& gate = std::get<search::CudaBackend>(problem.backend).gates.front();
    gate.norm = norm;
    gate.element = element;
    return loose_tolerance_notes(problem);
  };
  EXPECT_THAT(gated(0.05, 50), IsEmpty());
  EXPECT_THAT(gated(5, 0.1), IsEmpty());
  EXPECT_THAT(
      gated(5, 50),
      ElementsAre(HasSubstr("is 5, which is 500 % of the norm of the answer: an answer of")));
}

}  // namespace
}  // namespace nightshift::problems
