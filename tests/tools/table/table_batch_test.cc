#include "tools/table/table_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "scheduler/journal/batch_journal.h"
#include "tests/problems/scratch_folder.h"
#include "tests/tools/table/stored_table.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal(const std::string& word, const std::string& family = "") {
  try {
    read_table_batch(word, family, {});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

struct JournaledBatch : problems::ScratchFolder {
  explicit JournaledBatch(const std::vector<scheduler::BatchStudyTerms>& studies) {
    scheduler::BatchJournal journal(path("night"), "night");
    journal.begin_run(1e9, {});
    journal.studies(studies);
    journal.end_run("completed", "", 1e9 + 1);
    journal.commit();
  }
  std::string folder() const { return path("night"); }
};

scheduler::BatchStudyTerms terms(const std::string& name, const std::string& problem,
                                 std::vector<std::pair<std::string, std::int64_t>> shape) {
  scheduler::BatchStudyTerms terms;
  terms.name = name;
  terms.problem = problem;
  terms.shape = std::move(shape);
  return terms;
}

TEST(TableBatch, WhatIsNoneIsRefusedWithWhatToDo) {
  EXPECT_THAT(refusal("/nowhere"), HasSubstr("/nowhere: expected a batch"));
  const JournaledBatch plain({terms("a", "/p.toml", {})});
  EXPECT_THAT(refusal(plain.folder()),
              HasSubstr("no study with a shape; give its [[study]] `shapes`"));
  const JournaledBatch refused({});
  EXPECT_THAT(refusal(refused.folder()), HasSubstr("the batch has not begun"));
  const JournaledBatch several(
      {terms("a", "/p.toml", {{"N", 1}}), terms("b", "/q.toml", {{"N", 1}})});
  EXPECT_THAT(refusal(several.folder()), HasSubstr("/p.toml and /q.toml; name the studies of one"));
  EXPECT_THAT(refusal(several.folder(), "a"), HasSubstr("a has not begun"));
  EXPECT_THAT(refusal(several.folder(), "c"), HasSubstr("has no study 'c' with a shape"));
}

// A study that has not begun is told, so that nothing has to be measured here.
TEST(TableBatch, StudiesAreFoundByTheirNamesBeginning) {
  const JournaledBatch batch(
      {terms("q", "/q.toml", {{"N", 1}}), terms("q-N2", "/q.toml", {{"N", 2}}),
       terms("p16", "/p16.json.gz", {{"N", 16}}), terms("p32", "/p32.json.gz", {{"N", 32}}),
       terms("q8", "/q8.toml", {{"N", 8}})});
  EXPECT_THAT(refusal(batch.folder(), "p"),
              AllOf(HasSubstr("p16 has not begun"), HasSubstr("p32 has")));
  EXPECT_THAT(refusal(batch.folder(), "p1"),
              AllOf(HasSubstr("p16 has not begun"), Not(HasSubstr("p32 has"))));
  EXPECT_THAT(refusal(batch.folder(), "q"),
              AllOf(HasSubstr("q has not begun"), HasSubstr("q-N2 has"), Not(HasSubstr("q8 has"))))
      << "what is called so comes before what begins so";
}

TEST(TableBatch, ANameThatNothingBeginsWithIsToldAnother) {
  const JournaledBatch batch({terms("gemm-M1-N2", "/p/gemm.toml", {{"N", 1}}),
                              terms("gemm-M1", "/p/gemm.toml", {{"N", 2}}),
                              terms("plain", "/p/plain.toml", {})});
  EXPECT_THAT(refusal(batch.folder(), "gem-M1"), HasSubstr("; did you mean 'gemm-M1'?; give its"));
  EXPECT_THAT(refusal(batch.folder(), "gmm"), HasSubstr("; did you mean 'gemm'?"));
  EXPECT_THAT(refusal(batch.folder(), "/p/gem.toml"), HasSubstr("; did you mean '/p/gemm.toml'?"));
  EXPECT_THAT(refusal(batch.folder(), "plain"), Not(HasSubstr("did you mean")));
}

TEST(TableBatch, TheShapeAndItsCallsSurviveTheJournal) {
  scheduler::BatchStudyTerms one = terms("a", "/p.toml", {{"M", 3}, {"N", 4}});
  one.calls = 7;
  const JournaledBatch batch({one});
  const auto read = scheduler::load_batch(batch.folder()).studies.front().terms;
  EXPECT_EQ(read.shape, one.shape);
  EXPECT_EQ(read.calls, 7);
}

TEST(TableBatch, CandidatesAreThoseThatServeAllShapesTogether) {
  tests::StoredTable stored;
  for (const std::int64_t tile : {1, 2, 4, 8}) {
    const search::Configuration c = tests::told_configuration(tile);
    stored.batch.configurations[c.to_json()] = c;
  }
  const auto known = [&](std::size_t study, std::int64_t tile, double ratio) {
    stored.batch.studies[study].known[tests::told_configuration(tile).to_json()] = std::log(ratio);
  };
  known(0, 2, 0.5), known(1, 2, 0.6), known(2, 4, 0.7), known(2, 2, 1.1), known(1, 8, 1.3);
  const auto two = table_candidates(stored.batch, 2);
  ASSERT_EQ(two.size(), 3U);
  EXPECT_TRUE(two[0].is_baseline());
  EXPECT_EQ(table_candidates(stored.batch, 1)[1], tests::told_configuration(2));
  EXPECT_EQ(table_candidates(stored.batch, 8).size(), 3U) << "none of the others gains anything";
}

TEST(TableBatch, AStudySaysWhyNothingIsKnownOfItsShape) {
  tests::ToldStudy told;
  scheduler::History& history = told.history();
  EXPECT_EQ(why_unknown(history, "p-N64"), "");
  history.trials.front().finished->value.reset();
  EXPECT_EQ(why_unknown(history, "p-N64"), "p-N64 has not measured its baseline yet");
  history.status = "failed";
  history.status_reason = "the baseline failed on node/cpu:1: SIGABRT\nwhat to do";
  EXPECT_EQ(why_unknown(history, "p-N64"), "p-N64: the baseline failed on node/cpu:1: SIGABRT");
}

TEST(TableBatch, AShapeIsKnownByItsStudyOrByTheMatrix) {
  TableStudy study;
  search::MatrixColumn column;
  column.cells.resize(2);
  EXPECT_TRUE(is_known(study, column, "")) << "the study measured its default";
  EXPECT_FALSE(is_known(study, column, "the budget was used up"));
  study.unknown = "p-N64: the baseline failed";
  EXPECT_FALSE(is_known(study, column, ""));
  column.cells[1].effects = {0.1};
  EXPECT_TRUE(is_known(study, column, "")) << "it runs by now";
  column.cells[0].failed = true;
  EXPECT_FALSE(is_known(study, column, "the default failed"));
}

}  // namespace
}  // namespace nightshift::tools
