#include "tools/table/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <any>
#include <variant>

#include "tools/command_line.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

TableOptions parsed(const Words& words) {
  const auto result = parse_command_line(words);
  const Invocation* invocation = std::get_if<Invocation>(&result);
  if (invocation == nullptr) {
    ADD_FAILURE() << std::get<Answer>(result).text;
    return {};
  }
  return std::any_cast<TableOptions>(invocation->options);
}

std::string refusal(const Words& words) {
  const auto result = parse_command_line(words);
  const Answer* answer = std::get_if<Answer>(&result);
  return answer == nullptr ? "" : answer->text;
}

TEST(TableCommand, TakesEveryOption) {
  const TableOptions o =
      parsed({"table",    "night", "--problem",    "gemm",  "--devices",        "cpu:1",
              "--budget", "20m",   "--candidates", "16",    "--most",           "4",
              "--k",      "3",     "--slack",      "2%",    "--margin",         "0.005",
              "--blocks", "5",     "--pairs",      "64",    "--hold-out-pairs", "12",
              "--seed",   "7",     "--anew",       "--json"});
  EXPECT_EQ(o.asked.batch, "night");
  EXPECT_EQ(o.asked.family, "gemm");
  EXPECT_EQ(o.asked.budget, 1200);
  EXPECT_EQ(o.asked.candidates, 16U);
  EXPECT_EQ(o.asked.most, 4U);
  EXPECT_EQ(o.asked.k, 3U);
  EXPECT_EQ(o.asked.slack, 0.02);
  EXPECT_EQ(o.asked.margin, 0.005);
  EXPECT_EQ(o.asked.blocks, 5);
  EXPECT_EQ(o.asked.pairs, 64);
  EXPECT_EQ(o.asked.hold_out_pairs, 12);
  EXPECT_TRUE(o.asked.anew);
}

TEST(TableCommand, ALookUpOfNothingIsOneToo) {
  EXPECT_EQ(parsed({"table", "night", "--look-up", ""}).look_up, "") << "it measures nothing";
  EXPECT_EQ(parsed({"table", "night"}).look_up, std::nullopt);
}

TEST(TableCommand, NamesAreForAFormatAndARecheckMeasures) {
  const auto names = parsed({"table", "night", "--format", "vllm", "--names", "A=B,C=D"}).names;
  EXPECT_EQ(names, (std::vector<std::pair<std::string, std::string>>{{"A", "B"}, {"C", "D"}}));
  EXPECT_THAT(refusal({"table", "night", "--names", "A=B"}), HasSubstr("--names is for --format"));
  EXPECT_THAT(refusal({"table", "night", "--format", "json", "--names", "A"}),
              HasSubstr("names such as BLOCK_M=BLOCK_SIZE_M"));
  EXPECT_TRUE(parsed({"table", "night", "--recheck"}).recheck);
  EXPECT_THAT(refusal({"table", "night", "--recheck", "--look-up", "M=1"}),
              HasSubstr("--recheck measures"));
}

TEST(TableCommand, AFormatIsOneOfThoseThereAre) {
  EXPECT_EQ(parsed({"table", "night", "--format", "header"}).format->name, "header");
  EXPECT_THAT(refusal({"table", "night", "--format", "heder"}), HasSubstr("did you mean"));
  EXPECT_THAT(refusal({"table", "night", "--output", "x.h"}),
              HasSubstr("--output is for --format"));
  EXPECT_THAT(refusal({"table", "night", "--format", "json", "--look-up", "M=1"}),
              HasSubstr("expected one of them"));
  EXPECT_THAT(refusal({"table", "night", "--slack", "3"}), HasSubstr("a share such as 3%"));
}

}  // namespace
}  // namespace nightshift::tools
