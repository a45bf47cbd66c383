#include "scheduler/trials/tolerance_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

using search::ElementType;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

search::Problem problem_with(ElementType type) {
  search::Argument sum;
  sum.name = "sum";
  sum.type = type;
  sum.access = search::Argument::Access::kOut;
  search::HostBackend host;
  host.arguments = {sum};
  search::Problem problem;
  problem.backend = host;
  return problem;
}

search::WrongResult off_by(double error) { return {"sum", 0, 1, 1 - error, error, 2.2e-6}; }

TEST(ToleranceAdvice, NamesWhatToWriteWhereTheUsualToleranceIsMissedByRounding) {
  const search::Problem problem = problem_with(ElementType::kFloat32);
  EXPECT_THAT(tolerance_advice(problem, off_by(3.8e-6)),
              HasSubstr("write tolerance = { absolute = 2e-05 } into [host]"));
  EXPECT_THAT(tolerance_advice(problem, off_by(8e-6)), HasSubstr("{ absolute = 5e-05 }"));
  EXPECT_THAT(tolerance_advice(problem, off_by(1.3e-5)), HasSubstr("{ absolute = 1e-04 }"));
  EXPECT_THAT(tolerance_advice(problem, off_by(1.1e-6)), HasSubstr("{ absolute = 5e-06 }"));
  EXPECT_THAT(tolerance_advice(problem, off_by(1.25e-6)), HasSubstr("{ absolute = 1e-05 }"));
}

TEST(ToleranceAdvice, AFloat64AnswerMayBeOneOfFloat32) {
  const search::Problem problem = problem_with(ElementType::kFloat64);
  const search::WrongResult single = {"sum", 0, 3, 3.0000002, 2e-7, 3e-11};
  EXPECT_THAT(tolerance_advice(problem, single), HasSubstr("{ absolute = 1e-06 } into [host]; "
                                                           "without it 1e-11 of an element"));
  EXPECT_THAT(tolerance_advice(problem, search::WrongResult{"sum", 0, 3, 3.1, 0.1, 3e-11}),
              IsEmpty());
}

TEST(ToleranceAdvice, OtherFailuresHaveNone) {
  search::Problem problem = problem_with(ElementType::kFloat32);
  EXPECT_THAT(tolerance_advice(problem, off_by(1)), IsEmpty()) << "no rounding";
  EXPECT_THAT(tolerance_advice(problem, search::BuildFailed{"x"}), IsEmpty());
  EXPECT_THAT(tolerance_advice(problem_with(ElementType::kInt32), off_by(3.8e-6)), IsEmpty());
  EXPECT_THAT(tolerance_advice({}, off_by(3.8e-6)), IsEmpty());
  std::get<search::HostBackend>(problem.backend).tolerance.absolute = 2e-6;
  EXPECT_THAT(tolerance_advice(problem, off_by(3.8e-6)), IsEmpty()) << "the problem's own";
}

}  // namespace
}  // namespace nightshift::scheduler
