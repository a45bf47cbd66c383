#include "scheduler/study/proposals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/errors.h"
#include "tests/fakes/list_searcher.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using search::ConfigurationIndex;

class ProposalsTest : public ::testing::Test {
 protected:
  std::uint64_t next() { return static_cast<std::uint64_t>(proposals_.next(state_)->value); }

  search::Problem problem_ = fakes::command_problem(4);
  search::ParameterSpace space_{problem_.parameters, problem_.constraints};
  fakes::ListSearcher searcher_{space_.size()};
  StudyState state_{problem_, space_};
  Proposals proposals_{space_, searcher_};
};

TEST_F(ProposalsTest, ASearcherThatProposesAsThenGoesOnBehindIt) {
  proposals_.repeat(ConfigurationIndex{0});
  EXPECT_TRUE(proposals_.is_as_journaled());
  EXPECT_EQ(next(), 1U);
}

TEST_F(ProposalsTest, WhatAnotherSearcherProposesInsteadIsNotLost) {
  proposals_.repeat(ConfigurationIndex{3});
  EXPECT_FALSE(proposals_.is_as_journaled());
  proposals_.repeat(ConfigurationIndex{2});  // it is not asked any more
  EXPECT_EQ(next(), 0U);
  EXPECT_EQ(next(), 1U);
}

TEST_F(ProposalsTest, WhatTheStudyHasHadIsPassedOver) {
  ProposedTrial trial;
  trial.id = {1};
  trial.index = ConfigurationIndex{0};
  trial.configuration = space_.configuration(*trial.index);
  state_.proposed(trial);
  EXPECT_EQ(next(), 1U);
  for (int i = 0; i < 2; ++i) (void)next();
  EXPECT_EQ(proposals_.next(state_), std::nullopt);
}

TEST_F(ProposalsTest, AJournaledConfigurationHasTheIndexOfThisSpace) {
  ProposedTrial trial;
  trial.index = ConfigurationIndex{3};
  trial.configuration = space_.configuration(ConfigurationIndex{1});
  EXPECT_EQ(proposals_.placed(trial).index, ConfigurationIndex{1});
  trial.configuration = search::Configuration({{"x", std::int64_t{17}}});
  EXPECT_THROW((void)proposals_.placed(trial), StudyError);
}

}  // namespace
}  // namespace nightshift::scheduler
