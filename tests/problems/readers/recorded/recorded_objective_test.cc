#include "problems/readers/recorded/recorded_objective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "problems/problem_file.h"
#include "tests/problems/scratch_folder.h"

namespace nightshift::problems {
namespace {

using search::Direction;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// The words are those by which [command] refuses to minimise a rate.
TEST(RecordedObjective, IsBetterWhenHigherByTheWordsOfPrograms) {
  for (const char* name :
       {"fps", "qps", "ops", "iops", "tokens_per_second", "MLUPS", "frame rate", "throughput",
        "GFLOPs", "hashrate", "fitness", "performance", "energy_efficiency", "hit ratio"}) {
    EXPECT_EQ(objective_named(name).direction, Direction::kMaximise) << name;
  }
  for (const char* name : {"latency", "bandwidth_time", "error rate", "miss ratio", "cost"}) {
    EXPECT_EQ(objective_named(name).direction, Direction::kMinimise) << name;
  }
}

TEST(RecordedObjective, TheUnitGoesBeforeTheName) {
  EXPECT_EQ(objective_named("efficiency", "GFLOP/s/W").direction, Direction::kMaximise);
  EXPECT_EQ(objective_named("memory", "GB/s").direction, Direction::kMaximise);
  EXPECT_EQ(objective_named("work", "fps").direction, Direction::kMaximise);
  EXPECT_EQ(objective_named("performance", "ms").direction, Direction::kMinimise);
  EXPECT_EQ(objective_named("power", "J/s").direction, Direction::kMinimise);
  EXPECT_EQ(objective_named("cache_misses", "1/s").direction, Direction::kMinimise);
}

TEST(DirectionRemark, IsOfWordsThatSayNothing) {
  EXPECT_THAT(direction_remark(objective_named("quality")), HasSubstr("direction = \"maximise\""));
  EXPECT_NE(direction_remark({"spills", "B", Direction::kMinimise}), "");
  for (const char* name : {"time", "fps", "score", "energy", "GFLOP/s"}) {
    EXPECT_EQ(direction_remark(objective_named(name)), "") << name;
  }
  EXPECT_EQ(direction_remark({"TotalDuration", "us", Direction::kMinimise}), "");
}

class RecordedDirection : public ::testing::Test {
 protected:
  // A problem over a recording of this objective.
  search::Problem read(const std::string& name, const std::string& more) const {
    const std::string space = folder_.write(
        "space.json",
        R"({"tune_params": {"x": [1, 2]}, "tune_params_keys": ["x"], "objective": ")" + name +
            R"(", "cache": {"1": {"x": 1, ")" + name + R"(": 5}, "2": {"x": 2, ")" + name +
            R"(": 7}}})");
    return read_problem(
        folder_.write("p.toml", "name = 'p'\n[recorded]\nfile = '" + space + "'\n" + more));
  }

  ScratchFolder folder_;
};

TEST_F(RecordedDirection, IsTheRecordingsWhereTheFileSaysNone) {
  const std::string named = "[[objective]]\nname = 'fps'\n";
  EXPECT_EQ(read("fps", "").objectives.front().direction, Direction::kMaximise);
  EXPECT_EQ(read("fps", named).objectives.front().direction, Direction::kMaximise);
  EXPECT_EQ(read("fps", named + "unit = 'frames/s'\n").objectives.front().direction,
            Direction::kMaximise);
  EXPECT_EQ(read("fps", named + "direction = 'minimise'\n").objectives.front().direction,
            Direction::kMinimise);
}

TEST_F(RecordedDirection, ThatIsAssumedIsSaid) {
  EXPECT_THAT(read("quality", "").notes, ElementsAre(HasSubstr("lower is assumed")));
  const search::Problem said =
      read("quality", "[[objective]]\nname = 'quality'\ndirection = 'maximise'\n");
  EXPECT_EQ(said.objectives.front().direction, Direction::kMaximise);
  EXPECT_THAT(said.notes, SizeIs(0));
}

}  // namespace
}  // namespace nightshift::problems
