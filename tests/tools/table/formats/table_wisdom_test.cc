#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/table/formats/told_table.h"
#include "tools/table/formats/table_formats.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Json = nlohmann::json;
using search::Configuration;

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream rest(text);
  for (std::string line; std::getline(rest, line);) lines.push_back(Json::parse(line));
  return lines;
}

// As its reader takes it: the header names the figure, values stand in the header's order, and the
// device is called as CUDA calls it.
TEST(TableWisdom, IsReadByKernelLauncher) {
  TableDocument d = tests::told_table();
  d.devices = {"node7/gpu:GPU-1 (NVIDIA H200)", "node7/gpu:GPU-2 (NVIDIA H200)"};
  const std::vector<Json> lines = lines_of(table_wisdom(d));
  ASSERT_THAT(lines, SizeIs(4)) << "a row a device of one name";
  EXPECT_EQ(lines[0], Json({{"version", "1.0"},
                            {"objective", "time"},
                            {"tunable_parameters", {"TILE", "FAST", "OPT"}},
                            {"key", "my gemm*/"}}));
  EXPECT_EQ(lines[1]["config"], Json({16, true, "a\"b"}));
  EXPECT_EQ(lines[1]["problem_size"], Json({64, 64}));
  EXPECT_EQ(lines[1]["time"], 0.8);
  EXPECT_EQ(lines[1]["environment"]["device_name"], "NVIDIA H200");
  EXPECT_EQ(lines[3]["config"], Json({8, false, "a\"b"})) << "the default, whose OPT says nothing";
  EXPECT_EQ(lines[3]["time"], 1);
}

TEST(TableWisdom, ADefaultOfAnotherProgramHasNoLineAndFourSizesAreRefused) {
  TableDocument d = tests::told_table();
  d.default_values = {};
  EXPECT_THAT(lines_of(table_wisdom(d)), SizeIs(3));
  d.rule.names = {"A", "B", "C", "D"};
  EXPECT_THROW(table_wisdom(d), UsageError);
}

TableDocument moe_table() {
  TableDocument d = tests::told_table();
  const auto values = [](std::int64_t tile) {
    return Configuration({{"BLOCK_M", tile},
                          {"BLOCK_SIZE_N", std::int64_t{64}},
                          {"BLOCK_SIZE_K", std::int64_t{32}},
                          {"GROUP_SIZE_M", std::int64_t{1}},
                          {"num_warps", std::int64_t{4}}});
  };
  d.devices = {"node7/gpu:GPU-1 (NVIDIA H200)"};
  d.default_values = values(16);
  d.rule.configurations = {{}, values(32), values(128)};
  d.rule.names = {"M", "E", "N"};
  d.rule.rows = {{{{"M", 128}, {"E", 8}, {"N", 7168}}, 1, 2},
                 {{{"M", 1}, {"E", 8}, {"N", 7168}}, 1, 0},
                 {{{"M", 1}, {"E", 8}, {"N", 3584}}, 1, 1}};
  return d;
}

std::string refusal(const TableDocument& d) {
  try {
    table_vllm(d);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(TableVllm, IsAFileOfBatchSizesForEachModel) {
  const auto files = table_vllm(renamed(moe_table(), {{"BLOCK_M", "BLOCK_SIZE_M"}}));
  ASSERT_THAT(files, SizeIs(2));
  EXPECT_EQ(files[0].name, "E=8,N=3584,device_name=NVIDIA_H200.json");
  EXPECT_EQ(files[1].name, "E=8,N=7168,device_name=NVIDIA_H200.json");
  const Json json = Json::parse(files[1].text);
  EXPECT_THAT(json, SizeIs(2));
  EXPECT_EQ(json["1"]["BLOCK_SIZE_M"], 16) << "the default";
  EXPECT_EQ(json["128"], Json({{"BLOCK_SIZE_M", 128},
                               {"BLOCK_SIZE_N", 64},
                               {"BLOCK_SIZE_K", 32},
                               {"GROUP_SIZE_M", 1},
                               {"num_warps", 4}}));
}

TEST(TableVllm, WhatItsReaderLacksIsSaidWithTheOptionThatGivesIt) {
  EXPECT_THAT(refusal(moe_table()), HasSubstr("--names PARAMETER=BLOCK_SIZE_M"));
  EXPECT_THAT(refusal(renamed(moe_table(), {{"M", "tokens"}})), HasSubstr("--names SIZE=M"));
  TableDocument other = renamed(moe_table(), {{"BLOCK_M", "BLOCK_SIZE_M"}});
  other.default_values = {};
  EXPECT_THAT(refusal(other), HasSubstr("the default is another program"));
}

}  // namespace
}  // namespace nightshift::tools
