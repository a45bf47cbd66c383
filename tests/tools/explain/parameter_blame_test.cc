#include "tools/explain/parameter_blame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/told_study.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

search::Configuration of_values(std::int64_t tile, const std::string& opt) {
  return search::Configuration({{"TILE", search::Value(tile)}, {"OPT", search::Value(opt)}});
}

std::string blame_told(const tests::ToldStudy& study,
                       const search::Problem& problem = tests::told_problem()) {
  return parameter_blame(study.history(), problem, "batches/my night/p-N16384");
}

TEST(ParameterBlame, WhatIsLeftToMeasureIsAskedOfTheStudy) {
  const std::string text = blame_told({});
  EXPECT_THAT(text, HasSubstr("  nightshift compare 'batches/my night/p-N16384' "))
      << "the problem's file has not the settings that the study measured with";
  EXPECT_THAT(text, Not(HasSubstr("sgemm.toml")));
}

TEST(ParameterBlame, OfTheOnlyChangeTheDuelWithTheBaselineTells) {
  tests::ToldStudy study;
  study.history().trials[1].proposed.configuration = of_values(2, "plain");
  const std::string text = blame_told(study);
  EXPECT_THAT(text, AllOf(HasSubstr("TILE"), HasSubstr("time 100.0 % higher"),
                          HasSubstr("[81.82 %, 122.2 %]"), HasSubstr("pairs of confirmation 1")));
  EXPECT_THAT(text, Not(HasSubstr("not tried")));
  EXPECT_THAT(text, Not(HasSubstr("nightshift compare")));
}

TEST(ParameterBlame, DefaultsAreNoBaselineThatIsAnotherProgram) {
  search::Problem problem = tests::told_problem();
  search::HostBackend host = std::get<search::HostBackend>(problem.backend);
  host.baseline.file = "other.cc";
  problem.backend = host;
  tests::ToldStudy study;
  study.history().trials[1].proposed.configuration = of_values(2, "plain");
  EXPECT_THAT(blame_told(study, problem),
              AllOf(HasSubstr("not tried"), HasSubstr("p-N16384' TILE=2 TILE=1\n")));
}

}  // namespace
}  // namespace nightshift::tools
