#include "tools/study/taken_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "problems/problem_file.h"
#include "tests/problems/data_files.h"
#include "tests/problems/scratch_folder.h"
#include "tests/tools/study/explored_trial.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/made_of.h"

namespace nightshift::tools {
namespace {

using scheduler::History;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A study of a recorded space, which depends on nothing but its file.
class TakenUp : public ::testing::Test {
 protected:
  TakenUp() { std::filesystem::copy_file(problems::data_file("stencil.json"), file_); }

  void begin(bool knows_what_it_is_made_of) {
    search::Problem problem = problems::read_problem(file_, {});
    scheduler::StudyHeader header;
    header.problem_name = problem.name;
    header.problem_file = file_;
    header.overrides = {{"search.seed", "7"}};
    header.device_selection = "all";
    if (knows_what_it_is_made_of) header.identity = made_of(problem);
    journal_ = scheduler::SqliteJournal::create(folder_.path(), header, problem);
    space_ = std::make_unique<search::ParameterSpace>(problems::make_space(problem));
  }
  void explore() { tests::explore(*journal_, *space_, {0}); }
  TakenStudy taken(const Continuation& how = {}) {
    journal_.reset();
    return take_up(folder_, how);
  }
  // The same space with one blank more.
  void change_file() const { std::ofstream(file_, std::ios::app) << " "; }
  History history() const {
    return scheduler::load_history(folder_.path(), scheduler::Detail::kTrials);
  }

  problems::ScratchFolder scratch_;
  std::string file_ = scratch_.path("space.json");
  StudyFolder folder_{scratch_.path("study")};
  std::unique_ptr<scheduler::SqliteJournal> journal_;
  std::unique_ptr<search::ParameterSpace> space_;
};

TEST_F(TakenUp, WhereNothingHasChangedItGoesOn) {
  begin(true);
  explore();
  const TakenStudy study = taken();
  ASSERT_TRUE(study.earlier);
  EXPECT_EQ(study.earlier->trials.size(), 1U);
  EXPECT_THAT(study.notices, IsEmpty());
}

TEST_F(TakenUp, WhatAnEarlierVersionDidNotKeepIsSaidOnceAndKnownFromThenOn) {
  begin(false);
  EXPECT_THAT(taken().notices, ElementsAre(HasSubstr("an earlier version has not kept")));
  const TakenStudy again = taken();
  EXPECT_THAT(again.notices, IsEmpty());
  EXPECT_THAT(again.earlier->remarks, ::testing::Not(IsEmpty()));
}

TEST_F(TakenUp, AChangeAfterThatIsNoticed) {
  begin(false);
  taken();
  change_file();
  EXPECT_FALSE(taken().earlier);
}

TEST_F(TakenUp, AfterAChangeItBeginsAnewWithWhatItHadAndLearnsFromItself) {
  begin(true);
  explore();
  change_file();
  {
    const TakenStudy study = taken({{{"budget.trials", "9"}}, {}, {}, {}});
    EXPECT_FALSE(study.earlier);
    EXPECT_THAT(study.notices, ElementsAre(HasSubstr("the recording " + file_ + " has changed")));
    EXPECT_EQ(study.problem.budget.trials, 9U);
    EXPECT_EQ(study.problem.scheduling.seed, 7U);
    EXPECT_THAT(study.problem.scheduling.warm_start, ElementsAre(folder_.earlier(1)));
  }
  EXPECT_THAT(history().trials, IsEmpty());
  const History earlier = scheduler::load_history(folder_.earlier(1), scheduler::Detail::kTrials);
  EXPECT_EQ(earlier.trials.size(), 1U);
  EXPECT_EQ(earlier.status, "interrupted");
  EXPECT_EQ(problem_of(history()).scheduling.warm_start, std::vector{folder_.earlier(1)});
  EXPECT_TRUE(taken().earlier) << "the new one knows what it is made of";
}

TEST_F(TakenUp, WhereNothingWasMeasuredThereIsNothingToLearn) {
  begin(true);
  change_file();
  EXPECT_THAT(taken().problem.scheduling.warm_start, IsEmpty());
}

TEST_F(TakenUp, BuildsGoWithTheStudyThatTheyAreOf) {
  begin(true);
  std::filesystem::create_directories(folder_.artifacts() + "/some");
  change_file();
  taken();
  EXPECT_FALSE(std::filesystem::exists(folder_.artifacts()));
  EXPECT_TRUE(std::filesystem::exists(folder_.earlier(1) + "/artifacts/some"));
}

TEST(MadeOf, SettingsOfDevicesCountWhereTheStudyWasMeasuredOnThem) {
  using Kind = search::IdentityPart::Kind;
  History history;
  history.header.identity = {{Kind::kDeviceSetting, "n/GPU-a power limit", "700 W"},
                             {Kind::kDeviceSetting, "n governor", "performance"}};
  search::Identity now = history.header.identity;
  now[0].value = "500 W";
  EXPECT_THAT(changes_since(history, now), IsEmpty());
  scheduler::TrialRecord trial;
  trial.finished.emplace();
  trial.finished->device = "n/GPU-a";
  history.trials.push_back(trial);
  EXPECT_EQ(changes_since(history, now).size(), 1U);
  now[1].value = "powersave";
  EXPECT_EQ(list_of_changes(changes_since(history, now), true),
            "n governor was performance and is powersave and n/GPU-a power limit was 700 W and is "
            "500 W");
  EXPECT_EQ(list_of_changes(changes_since(history, now), false), "");
}

}  // namespace
}  // namespace nightshift::tools
