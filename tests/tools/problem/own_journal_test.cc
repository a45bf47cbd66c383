#include "tools/problem/own_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "scheduler/errors.h"
#include "tools/problem/journaled_problem.h"

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

}  // namespace
}  // namespace nightshift::tools
