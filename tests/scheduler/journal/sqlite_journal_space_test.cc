// The journal on file systems that are full or cannot be written to. The child that tests it mounts
// a small one of its own, so that nobody else sees it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>

#include "scheduler/errors.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotMount = 77;

// Fails the child that calls it, saying why.
void require(bool condition, const std::string& what) {
  if (condition) return;
  fmt::print(stderr, "not so: {}\n", what);
  std::fflush(stderr);
  _exit(1);
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const JournalError& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Runs `body` in a child; its exit status.
int in_child(const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    try {
      body();
    } catch (const std::exception& error) {
      require(false, error.what());
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Gives this process a file system of `bytes` at `folder`.
void mount_own(const std::string& folder, std::size_t bytes) {
  const std::string size = fmt::format("size={}", bytes);
  if (unshare(CLONE_NEWNS) != 0 ||
      mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("tmpfs", folder.c_str(), "tmpfs", 0, size.c_str()) != 0) {
    _exit(kCannotMount);
  }
}

std::unique_ptr<SqliteJournal> make_study(const std::string& folder) {
  return SqliteJournal::create(folder, tests::sample_header(), tests::sample_problem());
}

// Writes a turn per trial until it fails; the message, and how many turns ended well.
std::pair<std::string, std::uint64_t> write_until_failure(SqliteJournal& journal) {
  std::uint64_t id = 0;
  try {
    for (id = 1; id < 100'000; ++id) {
      tests::write_sample_trial(journal, id);
      journal.end_turn();
    }
  } catch (const JournalError& error) {
    return {error.what(), id - 1};
  }
  return {"no error", id};
}

TEST(JournalWithoutSpace, SaysWhatToDoAndKeepsEveryFinishedTurn) {
  const tests::ScratchFolder scratch;
  fs::create_directories(scratch / "disk");
  const int status = in_child([&] {
    mount_own(scratch / "disk", 2 << 20);
    const std::string folder = scratch / "disk/study";
    auto journal = make_study(folder);
    const auto [error, turns] = write_until_failure(*journal);
    require(contains(error, "no space left for it") && contains(error, "nightshift resume"), error);
    require(error_of([&] { journal->remark("late", "", 1); }) == error, "later calls fail alike");
    journal.reset();
    require(load_history(folder, Detail::kFull).trials.size() == turns, "every turn is there");

    // The same disk with more room.
    const std::string all = scratch / "disk";
    require(mount("tmpfs", all.c_str(), "tmpfs", MS_REMOUNT, "size=8m") == 0, "remount");
    journal = SqliteJournal::open(folder);
    tests::write_sample_trial(*journal, turns + 1);
    journal->end_turn();
    require(load_history(folder, Detail::kFull).trials.size() == turns + 1, "it goes on");
  });
  if (status == kCannotMount) GTEST_SKIP() << "no right to mount a small file system";
  EXPECT_EQ(status, 0);
}

TEST(JournalWithoutSpace, AFullDiskIsSaidWhenTheStudyIsMade) {
  const tests::ScratchFolder scratch;
  fs::create_directories(scratch / "disk");
  const int status = in_child([&] {
    mount_own(scratch / "disk", 40 << 10);
    const std::string folder = scratch / "disk/study";
    const std::string error = error_of([&] { make_study(folder); });
    require(contains(error, "space"), error);
    require(!holds_study(folder), "there is no half study");
  });
  if (status == kCannotMount) GTEST_SKIP() << "no right to mount a small file system";
  EXPECT_EQ(status, 0);
}

TEST(JournalWithoutSpace, AFileSizeLimitIsLikeAFullDisk) {
  const tests::ScratchFolder scratch;
  const int status = in_child([&] {
    auto journal = make_study(scratch / "study");
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{600 << 10, 600 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto [error, turns] = write_until_failure(*journal);
    require(contains(error, "no space left for it below the limit of a file's size"), error);
    require(contains(error, "ulimit -f"), error);
    journal.reset();
    require(load_history(scratch / "study", Detail::kFull).trials.size() == turns, "all turns");
  });
  EXPECT_EQ(status, 0);
}

TEST(JournalWithoutRight, AReadOnlyStudyIsReadWithItsLogButNotWritten) {
  const tests::ScratchFolder scratch;
  const std::string disk = scratch / "disk";
  fs::create_directories(disk);
  const int status = in_child([&] {
    mount_own(disk, 8 << 20);
    const int killed = in_child([&] {
      auto journal = make_study(disk + "/study");
      tests::write_sample_trial(*journal, 1);
      journal->end_turn();
      journal.reset();
      journal = SqliteJournal::open(disk + "/study");
      tests::write_sample_trial(*journal, 2);
      journal->end_turn();
      _exit(0);
    });
    require(killed == 0, "a study with a log");
    fs::copy(disk + "/study", disk + "/with-index");
    fs::copy(disk + "/study", disk + "/without-index");
    fs::remove(disk + "/without-index/journal.sqlite-shm");
    fs::copy(disk + "/study", disk + "/ended");
    SqliteJournal::open(disk + "/ended").reset();
    require(mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0, "remount");

    for (const char* name : {"/with-index", "/without-index", "/ended"}) {
      const History history = load_history(disk + name, Detail::kFull);
      require(history.trials.size() == 2 && history.trials[1].finished, name);
      const std::string error = error_of([&] { SqliteJournal::open(disk + name); });
      require(contains(error, "read-only"), error);
    }
    const std::string error = error_of([&] { make_study(disk + "/new"); });
    require(contains(error, "choose another one"), error);
  });
  if (status == kCannotMount) GTEST_SKIP() << "no right to mount a file system of its own";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace nightshift::scheduler
