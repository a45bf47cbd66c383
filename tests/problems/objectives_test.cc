#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Objectives : public ::testing::Test {
 protected:
  // The objectives begin on line 7.
  static std::string text(const std::string& objectives) {
    return command_problem("argv = ['x']", objectives);
  }
  std::vector<std::string> diagnostics(const std::string& objectives) {
    return folder_.diagnostics(text(objectives));
  }
  ProblemFolder folder_;
};

TEST_F(Objectives, HaveWeightsAndLimits) {
  const search::Problem problem = folder_.read(text(R"([[objective]]
name = "time"
weight = 2
[[objective]]
name = "energy"
weight = 0.5
at_most = 300
[[objective]]
name = "accuracy"
direction = "maximise"
at_least = 0.9
)"));
  ASSERT_EQ(problem.objectives.size(), 3U);
  EXPECT_EQ(problem.scalarisation, search::Scalarisation::kWeighted);
  EXPECT_EQ(problem.objectives[0].weight, 2);
  EXPECT_EQ(problem.objectives[1].weight, 0.5);
  EXPECT_EQ(problem.objectives[1].at_most, 300);
  EXPECT_EQ(problem.objectives[2].weight, std::nullopt);
  EXPECT_EQ(problem.objectives[2].at_least, 0.9);
}

TEST_F(Objectives, TellTheirUnitWhereTheFileHasOne) {
  const auto told = [&](const std::string& objectives) {
    std::vector<bool> all;
    const search::Problem problem = folder_.read(text(objectives));
    for (const auto& rule : std::get<search::CommandBackend>(problem.backend).figures)
      all.push_back(rule.unit_is_told);
    return all;
  };
  EXPECT_THAT(told(""), ElementsAre(false));
  EXPECT_THAT(told("[[objective]]\nname = \"time\"\n"), ElementsAre(false));
  EXPECT_THAT(told("[[objective]]\nunit = \"ms\"\n"), ElementsAre(true));
  EXPECT_THAT(told("[[objective]]\nname = \"time\"\nunit = \"ms\"\n"
                   "[[objective]]\nname = \"energy\"\nweight = 1\n"),
              ElementsAre(true, false));
}

TEST_F(Objectives, ThatAreRatesSayTheirDirection) {
  for (const char* rate : {"name = \"qps\"", "name = \"read.bw\"", "name = \"x\"\nunit = \"GB/s\"",
                           "name = \"x\"\nunit = \"tok/s\"", "name = \"rate\"\nat_most = 3",
                           "name = \"MLUPS\"", "name = \"rate\"\nat_least = 3\nweight = 1"}) {
    const std::string objective = std::string("[[objective]]\n") + rate + "\n";
    EXPECT_THAT(diagnostics(objective),
                ElementsAre(AllOf(HasSubstr("a rate, of which more is better"),
                                  HasSubstr("direction = \"maximise\", or \"minimise\""))))
        << rate;
    for (const char* direction : {"maximise", "minimise"}) {
      EXPECT_THAT(diagnostics(objective + "direction = \"" + direction + "\"\n"), IsEmpty());
    }
  }
  EXPECT_THAT(diagnostics("[[objective]]\nname = \"score\"\n"),
              ElementsAre(HasSubstr("is 'score', of which more is better as a rule")));
  for (const char* other : {"name = \"time\"", "name = \"error_rate\"", "name = \"bwa\"",
                            "name = \"x\"\nunit = \"us/op\"", "name = \"rate\"\nat_least = 3"}) {
    EXPECT_THAT(diagnostics(std::string("[[objective]]\n") + other + "\n"), IsEmpty()) << other;
  }
}

TEST_F(Objectives, HaveRolesInAnEfficiency) {
  const search::Problem problem = folder_.read(text(R"([[objective]]
name = "time"
role = "time"
[[objective]]
name = "error"
role = "accuracy"
[search]
scalarisation = "efficiency"
)"));
  EXPECT_EQ(problem.scalarisation, search::Scalarisation::kEfficiency);
  EXPECT_EQ(problem.objectives[0].role, search::Role::kTime);
  EXPECT_EQ(problem.objectives[1].role, search::Role::kAccuracy);
}

TEST_F(Objectives, MistakesAreReportedTogether) {
  EXPECT_THAT(
      diagnostics(
          "[[objective]]\nwieght = 2\n[[objective]]\nname = 'energy'\nweight = 0\nat_most = "
          "'low'\n[[objective]]\nname = 'error'\nat_most = 1\nat_least = 2"),
      ElementsAre("8:1 unknown key 'wieght' in [objective]; did you mean 'weight'?",
                  HasSubstr("11:10 objective.weight must be a number from 1e-06 to 1000000, not "
                            "the integer 0"),
                  HasSubstr("12:11 objective.at_most must be a number"),
                  HasSubstr("16:12 objective.at_least must not be above 'at_most'")));
}

TEST_F(Objectives, ARoleBelongsToAnEfficiency) {
  EXPECT_THAT(diagnostics("[[objective]]\nrole = 'time'"),
              ElementsAre(HasSubstr("8:8 objective.role belongs to search.scalarisation = "
                                    "'efficiency'")));
  EXPECT_THAT(diagnostics("[[objective]]\nrole = 'tmie'\n[search]\nscalarisation = 'eficiency'"),
              ElementsAre("8:8 objective.role must be 'time', 'size' or 'accuracy', not the text "
                          "'tmie'; did you mean 'time'?",
                          "10:17 search.scalarisation must be 'weighted' or 'efficiency', not the "
                          "text 'eficiency'; did you mean 'efficiency'?"));
}

TEST_F(Objectives, AnEfficiencyNeedsItsRoles) {
  const std::string efficiency = "[search]\nscalarisation = 'efficiency'\n";
  EXPECT_THAT(diagnostics(efficiency + "[[objective]]\nrole = 'time'\nweight = 2"),
              ElementsAre(HasSubstr("8:17 search.scalarisation is 'efficiency', which needs"),
                          HasSubstr("11:10 objective.weight has no meaning")));
  EXPECT_THAT(
      diagnostics(efficiency + "[[objective]]\nrole = 'time'\n[[objective]]\nname = 'size'\n"
                               "role = 'size'\n[[objective]]\nname = 'b'\nrole = 'size'"),
      ElementsAre("16:8 objective.role is 'size', which an earlier objective has"));
  EXPECT_THAT(
      diagnostics(efficiency + "[[objective]]\nrole = 'time'\n[[objective]]\nname = 'size'\n"
                               "role = 'siez'"),
      ElementsAre(HasSubstr("13:8 objective.role must be")));
  EXPECT_THAT(diagnostics(efficiency), ElementsAre(HasSubstr("8:17 search.scalarisation is")));
}

TEST_F(Objectives, WeightedIsSaidOfWeightsOnly) {
  EXPECT_THAT(diagnostics("[search]\nscalarisation = 'weighted'"),
              ElementsAre("8:17 search.scalarisation is 'weighted', but no objective has a "
                          "'weight'"));
  EXPECT_THAT(diagnostics("[search]\nscalarisation = 3"),
              ElementsAre(HasSubstr("8:17 search.scalarisation must be 'weighted' or")));
  EXPECT_THAT(diagnostics("[search]\nscalarisation = 'weighted'\n[[objective]]\nweight = 2"),
              IsEmpty());
}

TEST_F(Objectives, AHostKernelMayHaveALimit) {
  const search::Problem problem = folder_.read(host_problem("[[objective]]\nat_most = 5.5\n"));
  EXPECT_EQ(problem.objectives[0].at_most, 5.5);
}

}  // namespace
}  // namespace nightshift::problems
