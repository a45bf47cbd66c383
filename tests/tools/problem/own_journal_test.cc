#include "tools/problem/own_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "scheduler/errors.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tests/problems/scratch_folder.h"
#include "tests/tools/told_study.h"
#include "tools/problem/journaled_problem.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using scheduler::BatchStudyTerms;
using ::testing::AllOf;
using ::testing::HasSubstr;

BatchStudyTerms terms(const std::string& name, const std::string& size) {
  BatchStudyTerms study;
  study.name = name;
  study.problem = "/home/someone/p.toml";
  study.overrides = {{"host.sizes.N", size}, {"budget.trials", "4"}};
  return study;
}

// Empty where the journal of a study with these overrides may stand in the folder of `own`.
std::string complaint(const std::vector<std::pair<std::string, std::string>>& overrides,
                      const BatchStudyTerms& own) {
  scheduler::History history;
  history.header.problem_name = "p";
  history.header.problem_file = own.problem;
  history.header.overrides = overrides;
  try {
    expect_own_journal(history, StudyFolder("/night/" + own.name), own,
                       {terms("p-8", "8"), terms("p-16", "16")});
  } catch (const scheduler::JournalError& error) {
    return error.what();
  }
  return "";
}

TEST(OwnJournal, ThatOfAnotherStudyOfTheBatchIsNamedWithTheWayOut) {
  EXPECT_THAT(complaint({{"host.sizes.N", "8"}}, terms("p-16", "16")),
              AllOf(HasSubstr("/night/p-16/journal.sqlite"),
                    HasSubstr("that of the study p-8, not of p-16"), HasSubstr("put it back")));
}

TEST(OwnJournal, WhatIsSettledWhenAStudyBeginsAndBudgetsTellNoneFromAnother) {
  const std::vector<std::pair<std::string, std::string>> kept = {
      {"host.sizes.N", "16"}, {"budget.trials", "400"},  {kStarts, "[]"},
      {kStartsFile, "\"\""},  {kMultiprocessors, "132"}, {"search.warm_start", "[]"}};
  EXPECT_EQ(complaint(kept, terms("p-16", "16")), "");
}

TEST(OwnJournal, AStudyThatWasChangedSinceKeepsItsPlace) {
  EXPECT_EQ(complaint({{"host.sizes.N", "12"}}, terms("p-16", "16")), "");
}

std::string refusal(const std::string& folder, const std::string& command = "") {
  try {
    command.empty() ? (void)load_own_history(folder, scheduler::Detail::kHead)
                    : refuse_batch(StudyFolder(folder), command, "best");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(OwnJournal, ABatchIsNoStudyAndItsStudiesAreNamed) {
  const problems::ScratchFolder scratch;
  const std::string night = scratch.path("night");
  scheduler::BatchJournal journal(night, "night");
  journal.begin_run(1e9, {});
  journal.studies({terms("p-8", "8"), terms("p-16", "16")});
  journal.commit();
  EXPECT_THAT(refusal(night), HasSubstr(night +
                                        " is a batch, of which no study has begun; "
                                        "`nightshift batch run " +
                                        night + "`"));
  scheduler::StudyHeader header;
  header.problem_name = "p";
  header.problem_file = terms("p-16", "16").problem;
  header.overrides = terms("p-16", "16").overrides;
  scheduler::SqliteJournal::create(night + "/p-16", header, tests::told_problem());
  EXPECT_THAT(refusal(night),
              AllOf(HasSubstr("name one of its studies, as in " + night + "/p-16;"),
                    HasSubstr("`nightshift batch run " + night + "` goes on with all of them")));
  EXPECT_THAT(refusal(night, "nightshift explain"),
              HasSubstr("as in `nightshift explain " + night + "/p-16 best`"));
  EXPECT_EQ(refusal(night + "/p-16"), "");
}

}  // namespace
}  // namespace nightshift::tools
