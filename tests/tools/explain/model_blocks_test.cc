#include "tools/explain/model_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/document/document_writers.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

StudyModel some_model() {
  StudyModel model;
  model.scored = model.fitted = 108;
  model.failed = 3;
  model.has_shares = true;
  model.quality.explained = 0.9;
  model.parts = {{"B", 0.75, {{"0", 1.9, 1.8, 2.0}, {"5", 0.9, 0.85, 0.95}}},
                 {"A", 0.05, {{"0", 1.3, 1.2, 1.4}, {"1", 1.2, 1.1, 1.3}}}};
  model.pairs = {{"A", "B", 0.15}};
  model.rest = 0.05;
  return model;
}

TEST(ModelBlocks, SayWhatMattersMost) {
  EXPECT_THAT(to_text(model_blocks(some_model()), 0),
              AllOf(HasSubstr("A forest fitted to 108 configurations foretells 90.00 %"),
                    HasSubstr("\nB "), HasSubstr("75.00 %"), HasSubstr("5 (0.9000)"),
                    HasSubstr("15.00 %"), Not(HasSubstr("expected to be the best"))));
}

TEST(ModelBlocks, AdviseWhereThatWasAskedFor) {
  StudyModel model = some_model();
  model.was_advised = true;
  model.advice = {search::Configuration({{"B", search::Value(std::int64_t{5})}}), 0.7, 0.95};
  model.best = 0.8;
  EXPECT_THAT(to_text(model_blocks(model), 0),
              AllOf(HasSubstr("Not measured, and expected to be the best"), HasSubstr("B=5")));
}

TEST(ModelBlocks, DrawTheShares) {
  Document document;
  document.title = "Model";
  document.blocks = model_blocks(some_model());
  EXPECT_THAT(to_html(document), AllOf(HasSubstr("<svg"), HasSubstr("Share of the variance")));
}

TEST(ModelBlocks, WithoutAModelSayWhy) {
  StudyModel model;
  model.doubt = "too little data: 3 configurations";
  EXPECT_THAT(to_text(model_blocks(model), 0),
              AllOf(HasSubstr("too little data"), Not(HasSubstr("foretells"))));
}

TEST(ModelBlocks, AreAnObjectOfJson) {
  StudyModel model = some_model();
  model.advice = {search::Configuration({{"B", search::Value(std::int64_t{5})}}), 0.7, 0.95};
  const auto json = nlohmann::json::parse(model_json(model));
  EXPECT_EQ(json.at("scored"), 108);
  EXPECT_EQ(json.at("parameters")[0].at("name"), "B");
  EXPECT_EQ(json.at("parameters")[0].at("values").size(), 2U);
  EXPECT_EQ(json.at("advice").at("configuration").at("B"), 5);
}

}  // namespace
}  // namespace nightshift::tools
