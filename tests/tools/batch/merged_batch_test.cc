#include "tools/batch/merged_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/fakes/fake_clock.h"
#include "tests/scheduler/sample_study.h"
#include "tools/batch/batch_log.h"
#include "tools/slurm/job_script.h"

namespace nightshift::tools {
namespace {

using scheduler::LeaseKind;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class MergedBatchTest : public ::testing::Test {
 protected:
  // A run of a shard on a node, in which its one device was busy for so long.
  void run_shard(std::size_t number, const std::string& node, double busy) {
    const std::string folder = shard_folder(batch, number);
    std::filesystem::create_directories(folder);
    BatchLog log(folder, "night", clock);
    const scheduler::Device device{node, "cpu:1", "A CPU", {1}};
    scheduler::BatchStudyTerms study;
    study.name = "study-" + std::to_string(number);
    log.begin({study}, {device}, std::nullopt, false);
    log.lease(study.name, log.device_name(device), LeaseKind::kOwner);
    clock.advance(100);
    log.keep_up([&](std::size_t) { return busy; });
    log.end("completed", "");
  }
  std::vector<std::pair<std::string, double>> busy() const {
    std::vector<std::pair<std::string, double>> all;
    for (const auto& device : scheduler::load_batch(batch).devices) {
      all.emplace_back(device.uuid, device.busy_seconds);
    }
    return all;
  }

  tests::ScratchFolder scratch;
  std::string batch = scratch / "batches/night";
  fakes::FakeClock clock;
};

TEST_F(MergedBatchTest, CoresOfSeveralNodesAreSeveralDevices) {
  std::filesystem::create_directories(batch);
  scheduler::BatchJournal(batch, "night").commit();
  run_shard(1, "n1", 60);
  run_shard(2, "n2", 70);
  run_shard(3, "n1", 20);  // after the first, on the same node
  run_shard(3, "n2", 5);   // once it was queued again
  EXPECT_EQ(merge_shards(batch).shards, 3U);
  EXPECT_THAT(busy(), UnorderedElementsAre(Pair("n1/cpu:1", 80), Pair("n2/cpu:1", 75)));
  std::vector<std::pair<std::string, std::string>> leases;
  for (const auto& lease : scheduler::load_batch(batch).leases) {
    leases.emplace_back(lease.study, lease.device);
  }
  EXPECT_THAT(leases, ElementsAre(Pair("study-1", "n1/cpu:1"), Pair("study-2", "n2/cpu:1"),
                                  Pair("study-3", "n1/cpu:1"), Pair("study-3", "n2/cpu:1")));
  merge_shards(batch);
  EXPECT_THAT(busy(), UnorderedElementsAre(Pair("n1/cpu:1", 80), Pair("n2/cpu:1", 75)));
}

TEST_F(MergedBatchTest, AShardThatDidNotEndByItselfSaysWhy) {
  std::filesystem::create_directories(batch);
  scheduler::BatchJournal(batch, "night").commit();
  run_shard(1, "n1", 60);
  std::filesystem::create_directories(shard_folder(batch, 2));
  scheduler::BatchJournal(shard_folder(batch, 2), "night").commit();
  std::ofstream(batch + "/slurm-77_1.log") << "all is well\n";
  std::ofstream(batch + "/slurm-77_2.log") << "begins\nslurmstepd: error: out of memory\n\n";
  const MergeResult merged = merge_shards(batch);
  const std::string why = "shard 2 has not run: slurmstepd: error: out of memory";
  EXPECT_THAT(merged.troubles, ElementsAre(why));
  (void)merge_shards(batch);
  std::vector<std::string> notices;
  for (const auto& event : scheduler::load_batch(batch).events) {
    if (event.kind == "notice") notices.push_back(event.text);
  }
  EXPECT_THAT(notices, ElementsAre(why));
}

TEST(ShardFolder, IsKnownByWhereItStands) {
  EXPECT_TRUE(is_shard_folder(shard_folder("batches/night", 3)));
  EXPECT_TRUE(is_shard_folder("shards/12/"));
  for (const char* other : {"", "/", "3", "batches/night", "batches/night/shards", "myshards/3",
                            "batches/night/shards/x", "batches/night/shards/3/study"}) {
    EXPECT_FALSE(is_shard_folder(other)) << other;
  }
}

}  // namespace
}  // namespace nightshift::tools
