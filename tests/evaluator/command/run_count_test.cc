#include "evaluator/command/run_count.h"

#include <gtest/gtest.h>

namespace nightshift::evaluator {
namespace {

constexpr double kNoTime = 1e-9, kForEver = 1e9;

struct Asked {
  search::Problem problem;
  ipc::EvaluateRequest request;

  RunCount count() const { return {problem, request}; }
};

Asked asked(int runs, double max_seconds) {
  Asked of;
  search::CommandBackend command;
  command.runs = runs;
  of.problem.backend = command;
  of.request.sampling.max_seconds = max_seconds;
  of.request.configuration = search::Configuration({{"N", search::Value(std::int64_t{1})}});
  return of;
}

TEST(RunCount, ANumberThatTheProblemSaysIsKeptHoweverLongARunTakes) {
  const Asked of = asked(7, kNoTime);
  EXPECT_EQ(of.count().most(), 7);
  EXPECT_TRUE(of.count().wants_more(6));
  EXPECT_FALSE(of.count().wants_more(7));
}

TEST(RunCount, WithoutOneTimeEndsExplorationsAfterOneRunAndBaselinesAfterThree) {
  Asked of = asked(0, kNoTime);
  EXPECT_TRUE(of.count().wants_more(0));
  EXPECT_FALSE(of.count().wants_more(1));
  of.request.configuration = {};
  EXPECT_TRUE(of.count().wants_more(2));
  EXPECT_FALSE(of.count().wants_more(3));
}

TEST(RunCount, ShortProgramsHaveFiveRuns) {
  const Asked of = asked(0, kForEver);
  EXPECT_TRUE(of.count().wants_more(4));
  EXPECT_FALSE(of.count().wants_more(5));
}

TEST(RunCount, WhatIsComparedHasTheNumberThatIsAskedFor) {
  Asked of = asked(0, kNoTime);
  of.request.sampling.precision = 0;
  of.request.sampling.samples = 2;
  EXPECT_EQ(of.count().most(), 2);
  EXPECT_TRUE(of.count().wants_more(1)) << "time ends nothing there";
  EXPECT_FALSE(of.count().wants_more(2));
  of.request.sampling.samples = 20;
  EXPECT_TRUE(of.count().wants_more(4));
  EXPECT_FALSE(of.count().wants_more(5));
}

}  // namespace
}  // namespace nightshift::evaluator
