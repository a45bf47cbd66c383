// SIGKILL of the writer at any instant: what it had acknowledged is there.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/rng.h"
#include "ipc/unique_fd.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

constexpr int kKills = 30;
constexpr std::uint64_t kTrialsPerRun = 1'000'000;  // more than it lives for

// Writes trials from `first` on and says so after each turn.
[[noreturn]] void write_until_killed(const std::string& folder, std::uint64_t first,
                                     int acknowledge) {
  try {
    const auto journal = holds_study(folder) ? SqliteJournal::open(folder)
                                             : SqliteJournal::create(folder, tests::sample_header(),
                                                                     tests::sample_problem());
    for (std::uint64_t id = first; id < first + kTrialsPerRun; ++id) {
      tests::write_sample_trial(*journal, id);
      if (id % 3 == 0) continue;
      if (id % 50 == 0) {
        journal->commit_durably();
      } else {
        journal->end_turn();
      }
      if (write(acknowledge, &id, sizeof id) != ssize_t{sizeof id}) _exit(2);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  _exit(3);
}

TEST(KilledWriter, LosesNothingThatItAcknowledged) {
  const tests::ScratchFolder scratch;
  const std::string folder = scratch / "study";
  base::Rng rng(4);
  std::uint64_t written = 0;
  for (int kill_number = 0; kill_number < kKills; ++kill_number) {
    std::array<int, 2> pipe_ends{};
    ASSERT_EQ(pipe(pipe_ends.data()), 0);
    ipc::UniqueFd in(pipe_ends[0]), out(pipe_ends[1]);
    const pid_t child = fork();
    if (child == 0) write_until_killed(folder, written + 1, out.get());
    out.reset();
    // The child runs on while the count is awaited, so that the kill hits it anywhere in a turn.
    std::uint64_t acknowledged = 0;
    for (std::uint64_t wanted = 1 + rng.below(40); wanted > 0; --wanted) {
      ASSERT_EQ(read(in.get(), &acknowledged, sizeof acknowledged), ssize_t{sizeof acknowledged});
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    std::uint64_t last = 0;
    while (read(in.get(), &last, sizeof last) == ssize_t{sizeof last}) acknowledged = last;

    const History history = load_history(folder, Detail::kFull);
    ASSERT_GE(history.trials.size(), acknowledged);
    ASSERT_EQ(history.runs, kill_number + 1);
    ASSERT_EQ(history.status, "running");
    for (std::uint64_t id = 1; id <= history.trials.size(); ++id) {
      const TrialRecord& record = history.trials[id - 1];
      ASSERT_EQ(tests::text_of(record.proposed), tests::text_of(tests::sample_proposal(id)));
      ASSERT_EQ(tests::text_of(record.finished.value()), tests::text_of(tests::sample_result(id)));
      ASSERT_EQ(record.changes.size(), 1U);
    }
    written = history.trials.size();
  }
}

}  // namespace
}  // namespace nightshift::scheduler
