#include "tools/text/configuration_text.h"

#include <gtest/gtest.h>

namespace nightshift::tools {
namespace {

search::Problem problem_of(int parameters) {
  search::Problem problem;
  problem.backend = search::CommandBackend{};
  for (int i = 0; i < parameters; ++i) {
    search::Parameter parameter;
    parameter.name = "PARAMETER" + std::to_string(i);
    for (const std::int64_t v : {1, 2}) parameter.values.emplace_back(v);
    problem.parameters.push_back(parameter);
  }
  return problem;
}

search::Configuration with(const search::Problem& problem, const char* name) {
  search::Configuration c = search::resolved(problem, {});
  c.set(name, std::int64_t{2});
  return c;
}

TEST(ConfigurationText, IsWholeWhereItIsNotWide) {
  const search::Problem problem = problem_of(3);
  const search::Configuration c = with(problem, "PARAMETER1");
  EXPECT_EQ(configuration_text(c, problem), "PARAMETER0=1 PARAMETER1=2 PARAMETER2=1");
  EXPECT_EQ(difference_text(c, problem), "PARAMETER1=2 (not 1)");
}

TEST(ConfigurationText, AWideOneIsWhatDiffers) {
  const search::Problem problem = problem_of(40);
  EXPECT_EQ(configuration_text(with(problem, "PARAMETER7"), problem),
            "PARAMETER7=2 (not 1); 39 parameters as in the baseline");
  const search::Configuration same = search::resolved(problem, {});
  EXPECT_EQ(configuration_text(same, problem), "40 parameters as in the baseline");
  EXPECT_EQ(difference_text(same, problem), "as the baseline");
}

}  // namespace
}  // namespace nightshift::tools
