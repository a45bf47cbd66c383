#include "tools/batch/merged_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "scheduler/journal/sqlite_journal.h"
#include "tests/fakes/fake_clock.h"
#include "tests/scheduler/sample_study.h"
#include "tools/batch/batch_log.h"
#include "tools/slurm/job_script.h"

namespace nightshift::tools {
namespace {

using scheduler::LeaseKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;
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
  // A run of the study "one" in the batch or a shard: its journal, and what the record has of it.
  void run_study(const std::string& folder, double created, const std::string& status,
                 double seconds) {
    const bool ends = status == "completed";
    scheduler::StudyHeader header = tests::sample_header();
    header.created = created;
    const auto journal =
        scheduler::SqliteJournal::create(folder + "/one", header, tests::sample_problem());
    journal->status(status, "", seconds);
    journal->commit_durably();
    scheduler::BatchStudyTerms study;
    study.name = "one";
    BatchLog log(folder, "night", clock);
    log.begin({study}, {}, std::nullopt, false);
    log.state("one", scheduler::BatchStudyState::kRunning, "");
    clock.advance(seconds);
    log.state(
        "one",
        ends ? scheduler::BatchStudyState::kCompleted : scheduler::BatchStudyState::kInterrupted,
        status + " after " + std::to_string(static_cast<int>(seconds)));
    log.end(status, "");
  }
  std::string shard(std::size_t number) {
    std::filesystem::create_directories(shard_folder(batch, number));
    return shard_folder(batch, number);
  }
  // What the batch has of "one": its record, and the seconds of its journal.
  std::pair<std::string, double> kept() const {
    const auto history = scheduler::load_history(batch + "/one", scheduler::Detail::kHead);
    return {scheduler::load_batch(batch).studies.at(0).reason, history.run_seconds};
  }
  std::vector<std::string> notices() const {
    std::vector<std::string> texts;
    for (const auto& event : scheduler::load_batch(batch).events) {
      if (event.kind == "notice") texts.push_back(event.text);
    }
    return texts;
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
  EXPECT_THAT(notices(), ElementsAre(why));
  run_shard(2, "n1", 60);
  EXPECT_THAT(merge_shards(batch).troubles, IsEmpty());
  EXPECT_THAT(notices(), IsEmpty()) << "it has run meanwhile";
}

TEST_F(MergedBatchTest, AShardWithoutAStudyThatIsLeftHasNothingToRun) {
  std::filesystem::create_directories(batch);
  scheduler::BatchJournal(batch, "night").commit();
  {
    scheduler::BatchJournal left(shard(1), "night");
    scheduler::BatchStudyTerms study;
    study.name = "one";
    left.studies({study});
    left.state("one", scheduler::BatchStudyState::kCancelled, "", {}, 100);
    left.commit();
  }
  EXPECT_THAT(merge_shards(batch).troubles, IsEmpty());
}

TEST_F(MergedBatchTest, AShardWhoseRecordIsGoneIsNamedAndTheOthersAreJoined) {
  std::filesystem::create_directories(batch);
  scheduler::BatchJournal(batch, "night").commit();
  run_shard(1, "n1", 60);
  run_shard(4, "n2", 70);
  (void)shard(3);  // without a journal; the folder of 2 is gone
  const MergeResult merged = merge_shards(batch);
  EXPECT_THAT(busy(), UnorderedElementsAre(Pair("n1/cpu:1", 60), Pair("n2/cpu:1", 70)));
  EXPECT_THAT(merged.troubles, ElementsAre(StartsWith("shard 2 is left out: "),
                                           StartsWith("shard 3 is left out: ")));
  EXPECT_EQ(merged.unread, 2U);
}

TEST_F(MergedBatchTest, WhatTheBatchHasMeasuredLongerItselfKeepsItsRow) {
  run_study(batch, 1e9, "interrupted", 60);
  run_study(shard(1), 1e9, "interrupted", 40);  // later, and not as far
  EXPECT_EQ(merge_shards(batch).left, 1U);
  EXPECT_EQ(kept(), std::pair(std::string("interrupted after 60"), 60.0));
}

TEST_F(MergedBatchTest, AStudyThatHasEndedGoesBeforeOneThatHasNot) {
  run_study(shard(1), 1e9, "completed", 40);
  run_study(batch, 1e9, "interrupted", 60);
  EXPECT_EQ(merge_shards(batch).taken, 1U);
  EXPECT_EQ(kept(), std::pair(std::string("completed after 40"), 40.0));
  EXPECT_EQ(merge_shards(batch).left, 1U) << "again";
  EXPECT_EQ(kept(), std::pair(std::string("completed after 40"), 40.0));
  EXPECT_THAT(notices(), IsEmpty()) << "one went on from the other";
}

TEST_F(MergedBatchTest, AStudyThatWasMeasuredTwiceIsNamedWithTheResultThatIsKept) {
  run_study(batch, 1e9, "completed", 60);
  run_study(shard(1), 1.1e9, "completed", 40);
  run_study(shard(2), 1.2e9, "completed", 70);
  EXPECT_THAT(
      merge_shards(batch).troubles,
      ElementsAre("one: shard 1 has measured it for 40 s, and the batch itself for 60 s: the "
                  "result of the batch itself is kept",
                  "one: shard 2 has measured it for 70 s, and the batch itself for 60 s: the "
                  "result of shard 2 is kept"));
  EXPECT_EQ(kept(), std::pair(std::string("completed after 70"), 70.0));
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
