#include "tools/table/kept/table_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "tests/problems/scratch_folder.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::SizeIs;
using Kind = StoredMeasurement::Kind;

StoredMeasurement block(const std::string& shape) {
  StoredMeasurement m;
  m.shape = shape;
  m.effects = {{"{\"x\": 1}", -0.25}};
  m.artifacts = {{"{}", "aa"}, {"{\"x\": 1}", "bb"}};
  m.failed = {{"{\"x\": 2}", "wrong"}};
  return m;
}

TableStore::Of all(const std::string& of) {
  return [of](const std::string&) { return of; };
}

TEST(TableStore, ALineIsReadAsItWasWritten) {
  StoredMeasurement m = block("M=1");
  m.kind = Kind::kTrial;
  m.of = "hash";
  m.configuration = "{\"x\": 1}";
  m.pairs = {0.1, 0.2};
  m.counts = {1, 1};
  m.level = 0.001, m.margin = 0.01, m.accepted = true, m.ratio = 0.9, m.p_value = 1e-5;
  m.interval = {0.8, std::numeric_limits<double>::infinity()};
  m.reason = "no more than 1 % worse";
  const auto read = stored_measurement(line_of(m));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(line_of(*read), line_of(m));
  EXPECT_EQ(read->effects, m.effects);
  EXPECT_EQ(read->counts, m.counts);
  EXPECT_EQ(read->interval.high, m.interval.high);
}

TEST(TableStore, WhatIsNoSuchLineIsNone) {
  for (const char* line : {"", "{", "[]", "{\"is\": \"moon\"}", "{\"is\": \"block\"}",
                           R"({"is": "block", "of": "", "shape": 3})",
                           R"({"is": "trial", "of": "", "shape": "", "pairs": [null]})"}) {
    EXPECT_FALSE(stored_measurement(line).has_value()) << line;
  }
}

TEST(TableStore, KeepsWhatIsAddedAndPassesOverWhatIsOfSomethingElse) {
  const problems::ScratchFolder folder;
  const std::string path = folder.path("measured.jsonl");
  {
    TableStore store(path, all("today"));
    store.add(block("M=1"));
    store.add(block("M=2"));
    StoredMeasurement pairs = block("M=1");
    pairs.kind = Kind::kHoldOut;
    pairs.table = "rows";
    pairs.configuration = "{\"x\": 1}";
    store.add(pairs);
  }
  const TableStore again(path, all("today"));
  EXPECT_EQ(again.size(), 3U);
  EXPECT_THAT(again.blocks_of("M=1"), SizeIs(1));
  EXPECT_NE(again.hold_out("rows", "M=1", "{\"x\": 1}"), nullptr);
  EXPECT_EQ(again.hold_out("other rows", "M=1", "{\"x\": 1}"), nullptr);
  EXPECT_EQ(again.trial("M=1", "{\"x\": 1}"), nullptr);
  EXPECT_EQ(TableStore(path, all("tomorrow")).size(), 0U);
}

// Another shape with a problem file of its own changes nothing for those of before.
TEST(TableStore, WhatCountsIsAskedForEachShape) {
  const problems::ScratchFolder folder;
  const std::string path = folder.path("measured.jsonl");
  const auto of = [](const std::string& later) {
    return [later](const std::string& shape) { return shape == "M=1" ? "first" : later; };
  };
  TableStore store(path, of("second"));
  store.add(block("M=1"));
  store.add(block("M=2"));
  EXPECT_EQ(TableStore(path, of("second")).size(), 2U);
  const TableStore changed(path, of("third"));
  EXPECT_THAT(changed.blocks_of("M=1"), SizeIs(1));
  EXPECT_THAT(changed.blocks_of("M=2"), SizeIs(0));
}

TEST(TableStore, ALineThatAKillCutOffCostsThatLineAlone) {
  const problems::ScratchFolder folder;
  const std::string path = folder.path("measured.jsonl");
  TableStore(path, all("today")).add(block("M=1"));
  std::ofstream(path, std::ios::app) << "{\"is\": \"block\", \"of\": \"tod";
  TableStore store(path, all("today"));
  EXPECT_EQ(store.size(), 1U);
  store.add(block("M=2"));
  EXPECT_EQ(TableStore(path, all("today")).size(), 2U);
}

TEST(TableStore, AFolderThatTakesNoFileIsSaid) {
  TableStore store("/nowhere/measured.jsonl", all("today"));
  EXPECT_THROW(store.add(block("M=1")), UsageError);
}

TEST(TableStore, ADiskThatTakesNoMoreIsNoMistakeOfItsUser) {
  TableStore store("/dev/full", all("today"));
  EXPECT_THROW(store.add(block("M=1")), OutputError);
}

TEST(TableStore, WhatAnEarlierVersionWroteOfTheSameCounts) {
  const problems::ScratchFolder folder;
  const std::string path = folder.path("measured.jsonl");
  TableStore(path, all("by absolute paths")).add(block("M=1"));
  TableStore store(path, all("today"), all("by absolute paths"));
  EXPECT_EQ(store.size(), 1U);
  EXPECT_EQ(TableStore(path, all("today"), all("others")).size(), 0U);
  store.add(block("M=2"));
  EXPECT_EQ(TableStore(path, all("today")).size(), 1U) << "new lines are of today";
}

}  // namespace
}  // namespace nightshift::tools
