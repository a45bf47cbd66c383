#include "tools/table/unseen_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems/problem_file_error.h"
#include "tests/tools/table/stored_table.h"

namespace nightshift::tools {
namespace {

// Answers hold-outs: a candidate takes 0.8 of the default's time.
struct Answering final : search::TableQuestions {
  std::optional<search::Verdict> no_worse(std::size_t, std::size_t, double) override { return {}; }
  void begin_hold_out(const std::vector<std::size_t>& its_rows) override { rows = its_rows; }
  std::optional<std::vector<double>> hold_out(std::size_t shape, std::size_t) override {
    if (shape == silent) return std::nullopt;
    return std::vector<double>{0.2, 0.21, 0.19, 0.2, 0.2, 0.21, 0.19, 0.2};
  }
  std::vector<std::size_t> rows;
  std::size_t silent = 100;
};

struct Judged {
  Judged() {
    batch.name = "night";
    for (const std::int64_t n : {64, 256, 2048, 32768}) {
      TableStudy study;
      study.shape = {{{"N", n}}, 1};
      batch.studies.push_back(study);
      rule.rows.push_back({study.shape.sizes, 1, 1});
    }
    rule.names = {"N"};
    rule.configurations = {{}, tests::told_configuration(2)};
    rule.unseen.ranges = {{64, 32768}};
    rule.unseen.divisors = {{64}, {64}};
    rule.unseen.tree.resize(3);  // configuration 1 up to 1000, else the default
    rule.unseen.tree[0] = {false, {}, 1000, 1, 2, 0, 4};
    rule.unseen.tree[1].choice = 1;
  }
  UnseenShapes shapes() const {
    return {10, batch,
            [](const search::Sizes& sizes) {
              TableStudy study;
              study.shape = {sizes, 1};
              return study;
            },
            rule};
  }
  TableBatch batch;
  search::TableRule rule;
};

TEST(UnseenShapes, AnswersOfTheRuleAreHeldOut) {
  const Judged judged;
  const UnseenShapes shapes = judged.shapes();
  Answering questions;
  TableDocument d;
  shapes.judge(questions, d);
  ASSERT_EQ(d.unseen.size(), 3U);  // 128, 768, 8192
  EXPECT_THAT(questions.rows, ::testing::UnorderedElementsAre(1, 1, 0));
  for (const TableDocument::Unseen& one : d.unseen) {
    EXPECT_EQ(one.choice, one.sizes[0].second > 1000 ? 0U : 1U);
    EXPECT_NEAR(one.ratio, one.choice == 0 ? 1 : std::exp(-0.2), 1e-9);
  }
  EXPECT_NEAR(d.unseen_claim.ratio, std::exp(-0.4 / 3), 1e-9);
}

TEST(UnseenShapes, WhatIsNotReachedIsLeftOut) {
  const Judged judged;
  Answering questions;
  questions.silent = 0;
  TableDocument d;
  judged.shapes().judge(questions, d);
  EXPECT_LE(d.unseen.size(), 3U);
  for (const TableDocument::Unseen& one : d.unseen) EXPECT_TRUE(one.choice == 0 || one.pairs == 8);
}

TEST(UnseenShapes, SizesThatTheProblemRefusesAreLeftOut) {
  const Judged judged;
  const UnseenShapes shapes(
      10, judged.batch,
      [](const search::Sizes& sizes) {
        if (sizes[0].second == 128) {
          throw problems::ProblemFileError({{"p.toml", 3, 1, "start 1 violates a constraint"}});
        }
        TableStudy study;
        study.shape = {sizes, 1};
        return study;
      },
      judged.rule);
  EXPECT_EQ(shapes.batch().studies.size(), 2U);
  EXPECT_THAT(
      shapes.left_out(),
      ::testing::AllOf(::testing::HasSubstr("1 shape that nobody tuned is left out"),
                       ::testing::HasSubstr("N=128: p.toml:3:1: start 1 violates a constraint")));
  Answering questions;
  TableDocument d;
  shapes.judge(questions, d);
  EXPECT_EQ(d.unseen.size(), 2U);
  EXPECT_EQ(judged.shapes().left_out(), "");
}

}  // namespace
}  // namespace nightshift::tools
