// A journal that was cut, torn or changed on the disk either gives a prefix of what was written,
// exactly, or is refused. Never does it give anything else, crash or hang.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>

#include "base/rng.h"
#include "scheduler/errors.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

namespace fs = std::filesystem;
using tests::events_of;
using tests::text_of;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kLogHeader = 32, kFrameHeader = 24;
constexpr std::uint64_t kTrials = 30, kCheckpointed = 20;

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// The first trials stand in the main file, the others in the log, as a killed run leaves them.
void write_killed_study(const std::string& folder) {
  auto journal = SqliteJournal::create(folder, tests::sample_header(), tests::sample_problem());
  for (std::uint64_t id = 1; id <= kCheckpointed; ++id) tests::write_sample_trial(*journal, id);
  journal->end_turn();
  journal = nullptr;
  journal = SqliteJournal::open(folder);
  for (std::uint64_t id = kCheckpointed + 1; id <= kTrials; ++id) {
    tests::write_sample_trial(*journal, id);
    if (id % 2 == 0) journal->end_turn();
  }
  _exit(0);  // no destructor: the log stays
}

class DamagedHistory : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string folder = scratch_ / "whole";
    const pid_t child = fork();
    if (child == 0) write_killed_study(folder);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    main_ = read_file(folder + "/journal.sqlite");
    log_ = read_file(folder + "/journal.sqlite-wal");
    const History history = load_history(folder, Detail::kTrials);
    header_ = text_of(history.header);
    events_ = events_of(history);
    ASSERT_EQ(history.trials.size(), kTrials);
    ASSERT_GT(log_.size(), 10 * kPage);
  }

  // Puts the two files there, and reads them in all ways.
  void expect_prefix_or_refusal(const std::string& main, const std::string& log) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write_file(folder_ + "/journal.sqlite", main);
    write_file(folder_ + "/journal.sqlite-wal", log);
    expect_prefix(load());
    if (++cases_ % 8 == 0) expect_resumable();
  }

  void expect_prefix(const std::optional<History>& history) {
    if (!history) {
      ++refused_;
      return;
    }
    ++read_;
    ASSERT_EQ(text_of(history->header), header_);
    const std::vector<std::string> events = events_of(*history);
    ASSERT_LE(events.size(), events_.size());
    ASSERT_TRUE(std::equal(events.begin(), events.end(), events_.begin()));
    longest_ = std::max(longest_, events.size());
    shortest_ = std::min(shortest_, events.size());
  }

  // What can be opened can be read, goes on where it was, and holds what is added.
  void expect_resumable() {
    try {
      const auto journal = SqliteJournal::open(folder_);
      const std::optional<History> before = load();
      if (!before) return;
      expect_prefix(before);
      tests::write_sample_trial(*journal, 1001);
      journal->end_turn();
      const History after = load_history(folder_, Detail::kTrials);
      ASSERT_EQ(after.events.size(), before->events.size() + 2);
      ASSERT_EQ(text_of(after.trials.back().finished.value()), text_of(tests::sample_result(1001)));
    } catch (const JournalError&) {
      ++refused_;
    }
  }

  std::optional<History> load() {
    try {
      return load_history(folder_, Detail::kTrials);
    } catch (const JournalError&) {
      return std::nullopt;
    }
  }

  tests::ScratchFolder scratch_;
  std::string folder_ = scratch_ / "damaged";
  std::string main_, log_, header_;
  std::vector<std::string> events_;
  std::size_t cases_ = 0, read_ = 0, refused_ = 0, longest_ = 0, shortest_ = SIZE_MAX;
};

TEST_F(DamagedHistory, ALogCutAnywhereGivesTheTurnsBeforeTheCut) {
  std::vector<std::size_t> lengths;
  for (std::size_t length = 0; length < log_.size(); length += 211) lengths.push_back(length);
  for (std::size_t frame = kLogHeader; frame <= log_.size(); frame += kFrameHeader + kPage) {
    for (const std::size_t edge : {frame - 1, frame, frame + 1, frame + kFrameHeader}) {
      lengths.push_back(std::min(edge, log_.size()));
    }
  }
  for (const std::size_t length : lengths) {
    SCOPED_TRACE(length);
    expect_prefix_or_refusal(main_, log_.substr(0, length));
  }
  EXPECT_EQ(refused_, 0U);
  EXPECT_EQ(longest_, events_.size());
  EXPECT_LT(shortest_, longest_);
}

TEST_F(DamagedHistory, AMainFileCutAnywhereIsReadExactlyOrRefused) {
  for (std::size_t length = 0; length < main_.size(); length += 509) {
    SCOPED_TRACE(length);
    expect_prefix_or_refusal(main_.substr(0, length), log_);
    expect_prefix_or_refusal(main_.substr(0, length), "");
  }
  for (std::size_t length = 0; length <= main_.size(); length += kPage) {
    expect_prefix_or_refusal(main_.substr(0, length), "");
    expect_prefix_or_refusal(main_.substr(0, length), log_);
  }
  EXPECT_GT(read_, 0U);
  EXPECT_GT(refused_, 0U);
}

TEST_F(DamagedHistory, APageOfTheMainFileTornZeroedOrSwappedIsReadExactlyOrRefused) {
  base::Rng rng(1);
  for (std::size_t page = 0; page < main_.size(); page += kPage) {
    SCOPED_TRACE(page);
    const std::size_t other = rng.below(main_.size() / kPage) * kPage;
    for (const std::size_t half : {std::size_t{0}, kPage / 2, std::size_t{512}}) {
      std::string torn = main_;
      std::fill_n(torn.begin() + static_cast<std::ptrdiff_t>(page + half), kPage - half, '\0');
      expect_prefix_or_refusal(torn, "");
      expect_prefix_or_refusal(torn, log_);
      torn = main_;
      torn.replace(page + half, kPage - half, main_, other + half, kPage - half);
      expect_prefix_or_refusal(torn, "");
    }
  }
  EXPECT_GT(refused_, 0U);
}

TEST_F(DamagedHistory, AFlippedBitInTheMainFileIsReadExactlyOrRefused) {
  base::Rng rng(2);
  for (int i = 0; i < 1500; ++i) {
    std::string flipped = main_;
    // Half of them where pages have their structure, not their rows.
    std::size_t at = rng.below(flipped.size());
    if (i % 2 == 0) at = at / kPage * kPage + rng.below(at < kPage ? 110 : 40);
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << rng.below(8)));
    SCOPED_TRACE(at);
    expect_prefix_or_refusal(flipped, "");
  }
  EXPECT_GT(read_, 0U);
  EXPECT_GT(refused_, 0U);
}

TEST_F(DamagedHistory, AFlippedBitInTheLogGivesTheTurnsBeforeIt) {
  base::Rng rng(3);
  for (int i = 0; i < 500; ++i) {
    std::string flipped = log_;
    std::size_t at = rng.below(flipped.size());
    if (i % 4 == 0) at = rng.below(kLogHeader + kFrameHeader);
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << rng.below(8)));
    SCOPED_TRACE(at);
    expect_prefix_or_refusal(main_, flipped);
  }
  EXPECT_LT(shortest_, longest_);
}

}  // namespace
}  // namespace nightshift::scheduler
