#include "tools/study/continuation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "problems/problem_file.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tests/problems/scratch_folder.h"
#include "tools/problem/journaled_problem.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// A study of `sgemm` that was begun with a seed and a budget, and what it is continued with.
struct Case {
  Case() {
    history.header.problem_name = problem.name = "sgemm";
    history.header.problem_file = problem.file = "/sgemm.toml";
    history.header.problem_text = text = "name = ...";
    history.header.overrides = overrides = {{"search.seed", "7"}, {"budget.time", "600"}};
    history.header.device_selection = "cpu:0";
  }
  Continuation operator()() const {
    return continuation_of(history, StudyFolder("study"), {problem, text, overrides});
  }
  scheduler::History history;
  search::Problem problem;
  std::string text;
  std::vector<problems::Override> overrides;
};

TEST(Continuation, TheSameCommandChangesNothing) {
  const Continuation same = Case()();
  EXPECT_THAT(same.overrides, IsEmpty());
  EXPECT_THAT(same.notices, IsEmpty());
}

TEST(Continuation, AnotherBudgetIsTakenOver) {
  Case study;
  study.overrides = {{"search.seed", "7"}, {"budget.time", "1200"}};
  EXPECT_THAT(study().overrides, ElementsAre(Pair("budget.time", "1200")));
  EXPECT_THAT(study().notices, IsEmpty());
  // As a resume has left it.
  study.history.remarks = {{kOverrideRemark, "budget.time=1200", 1}};
  EXPECT_THAT(study().overrides, IsEmpty());
}

TEST(Continuation, MoreEffortIsTakenOverAndLessIsSaid) {
  Case study;
  study.text = study.history.header.problem_text =
      "name = 'sgemm'\n[command]\nargv = ['true', '{A}']\n[parameters]\nA = [1, 2]\n"
      "[search]\neffort = 'quick'\n";
  study.history.header.overrides = {};
  study.overrides = {{"search.effort", "\"full\""}};
  study.problem.scheduling.effort = search::Effort::kFull;
  EXPECT_THAT(study().overrides, ElementsAre(Pair("search.effort", "\"full\"")));
  EXPECT_THAT(study().notices, IsEmpty());
  study.overrides = {{"search.effort", "\"none\""}};
  study.problem.scheduling.effort = search::Effort::kNone;
  EXPECT_THAT(study().overrides, IsEmpty());
  EXPECT_THAT(study().notices, ElementsAre(HasSubstr("search.effort = \"none\" is not what")));
}

TEST(Continuation, WhatElseIsAnotherIsSaidAndStaysAsItWas) {
  Case study;
  study.text = "name = ... # mended";
  study.overrides = {{"search.searcher", "\"random\""}, {"budget.time", "600"}};
  EXPECT_THAT(study().overrides, IsEmpty());
  EXPECT_THAT(study().notices,
              ElementsAre(HasSubstr("/sgemm.toml has changed since the study was begun"),
                          HasSubstr("search.searcher = \"random\" is not what"),
                          HasSubstr("was begun with search.seed = 7")));
}

TEST(Continuation, WhatEndedWithoutAFigureBeginsAnewWithAMendedFile) {
  for (const char* status : {"failed", "completed"}) {
    Case study;
    study.history.status = status;
    EXPECT_FALSE(study().mended) << status;
    study.text = "name = ... # mended";
    EXPECT_TRUE(study().mended) << status;
    EXPECT_THAT(study().notices, IsEmpty());
  }
  Case interrupted;
  interrupted.history.status = "interrupted";
  interrupted.text = "name = ... # mended";
  EXPECT_FALSE(interrupted().mended);
}

TEST(Continuation, ThatItLearnsFromItselfBegunAnewIsNotSaid) {
  Case study;
  const std::string earlier = "[\"" + StudyFolder("study").path() + "/earlier/1\", \"/other\"]";
  study.history.header.overrides.emplace_back("search.warm_start", earlier);
  EXPECT_THAT(study().notices, IsEmpty());
  study.overrides.emplace_back("search.warm_start", "[\"/other\"]");
  EXPECT_THAT(study().notices, IsEmpty());
  study.history.header.overrides.back().second = "[\"/another\"]";
  EXPECT_THAT(study().notices, ElementsAre(HasSubstr("search.warm_start")));
}

TEST(Continuation, ThatStartsFromAFileAreKeptIsNotSaid) {
  Case study;
  study.history.header.overrides.emplace_back("search.starts", "[{\"A\" = 1}]");
  EXPECT_THAT(study().notices, ElementsAre(HasSubstr("search.starts")));
  study.history.header.overrides.emplace_back("search.starts_file", "\"\"");
  EXPECT_THAT(study().notices, IsEmpty());
  study.overrides.emplace_back("search.starts_file", "found.json");
  EXPECT_THAT(study().notices, IsEmpty());
}

TEST(Continuation, AnotherProblemIsRefused) {
  Case study;
  study.problem.name = "rmsnorm";
  EXPECT_THROW(study(), UsageError);
  Case recorded;
  recorded.text = recorded.history.header.problem_text = "";
  EXPECT_NO_THROW(recorded());
  recorded.problem.file = "/other.json";
  EXPECT_THROW(recorded(), UsageError);
}

TEST(Continuation, WhatTheCommandLetsChangeIsTakenOver) {
  Case study;
  study.history.header.overrides.emplace_back("acceptance.duels", "false");
  study.overrides.emplace_back("acceptance.duels", "true");
  EXPECT_THAT(study().overrides, IsEmpty());
  EXPECT_THAT(study().notices, ElementsAre(HasSubstr("acceptance.duels = true is not what")));
  const Continuation how = continuation_of(
      study.history, StudyFolder("study"),
      {study.problem, study.text, study.overrides, "--study", {"acceptance.duels"}});
  EXPECT_THAT(how.overrides, ElementsAre(Pair("acceptance.duels", "true")));
  EXPECT_THAT(how.notices, IsEmpty());
}

TEST(Continuation, TheDevicesGivenLastAreThoseOfTheStudy) {
  Case study;
  EXPECT_EQ(device_selection_of(study.history), "cpu:0");
  study.history.remarks = {{kDevicesRemark, "cpu:1", 1}, {kDevicesRemark, "cpu:2,cpu:3", 2}};
  EXPECT_EQ(device_selection_of(study.history), "cpu:2,cpu:3");
}

TEST(Continuation, TheNodesGivenLastAreThoseOfTheStudy) {
  Case study;
  EXPECT_EQ(nodes_of(study.history), "");
  study.history.remarks = {{kNodesRemark, "/a/nodes", 1}, {kNodesRemark, "slurm", 2}};
  EXPECT_EQ(nodes_of(study.history), "slurm");
  study.history.remarks.push_back({kNodesRemark, "", 3});  // on this machine since
  EXPECT_EQ(nodes_of(study.history), "");
}

TEST(Continuation, WhatFailedWithoutAFigureBeginsAnewWithOtherSettings) {
  for (const char* status : {"failed", "completed"}) {
    Case study;
    study.history.status = status;
    study.overrides.emplace_back("host.kernel.flags", "[\"-O2\"]");
    const bool has_failed = study.history.status == "failed";
    EXPECT_EQ(study().mended.has_value(), has_failed) << status;
    EXPECT_EQ(study().notices.empty(), has_failed) << status;
    if (!has_failed) continue;
    EXPECT_EQ(study().mended->what, "its settings were changed");
    EXPECT_EQ(study().mended->overrides, study.overrides);
  }
}

// A study with its journal, named alone.
class NamedStudy : public problems::ScratchFolder {
 public:
  NamedStudy() {
    write_problem("steps");
    std::string text;
    const search::Problem problem = problems::read_problem(file_, overrides_, &text);
    scheduler::StudyHeader header;
    header.problem_name = problem.name;
    header.problem_file = file_;
    header.problem_text = text;
    header.overrides = overrides_;
    journal_ = scheduler::SqliteJournal::create(path("study"), header, problem);
  }
  void write_problem(const std::string& name, const std::string& more = "") const {
    std::ofstream(file_) << "name = '" << name << "'\n[command]\nargv = ['true', '{A}']\n"
                         << more << "[parameters]\nA = [1, 2]\n";
  }
  void end(const std::string& status) {
    journal_->status(status, "the baseline failed", 1);
    journal_->end_turn();
  }
  Continuation resumed() const {
    Continuation how;
    how.overrides = {{"budget.time", "60"}};
    take_mended_file(StudyFolder(path("study")), how);
    return how;
  }

 private:
  std::string file_ = path("steps.toml");
  std::vector<problems::Override> overrides_ = {{"search.seed", "7"}};
  std::unique_ptr<scheduler::SqliteJournal> journal_;
};

TEST(Continuation, AStudyThatIsNamedAloneBeginsAnewWithAMendedFile) {
  NamedStudy study;
  study.end("failed");
  EXPECT_FALSE(study.resumed().mended) << "it is as it was";
  study.write_problem("steps", "runs = 3\n");
  const Continuation how = study.resumed();
  ASSERT_TRUE(how.mended);
  EXPECT_THAT(how.mended->text, HasSubstr("runs = 3"));
  EXPECT_THAT(how.mended->overrides,
              ElementsAre(Pair("search.seed", "7"), Pair("budget.time", "60")));
  study.end("interrupted");
  EXPECT_FALSE(study.resumed().mended) << "it goes on";
}

TEST(Continuation, AStudyThatIsNamedAloneSaysWhatItCannotTake) {
  NamedStudy study;
  study.end("failed");
  study.write_problem("steps", "rums = 3\n");
  EXPECT_FALSE(study.resumed().mended);
  EXPECT_THAT(study.resumed().notices,
              ElementsAre(AllOf(HasSubstr("cannot be read"), HasSubstr("rums"))));
  study.write_problem("stairs");
  EXPECT_FALSE(study.resumed().mended);
  EXPECT_THAT(study.resumed().notices, ElementsAre(HasSubstr("is the problem stairs now")));
}

}  // namespace
}  // namespace nightshift::tools
