// What the journal costs, in microseconds of wall time and of CPU:
//
//   bench-journal [FOLDER] [TRIALS]
//
// writes TRIALS trials (100,000) to a study below FOLDER (the system's temporary folder) as the
// tuner does: propose, two state changes, finish with 20 samples; one commit per trial, and one per
// 10. Beside it, as the yardstick, the same outcomes appended to a plain file, one write(2) each.
// Then what a commit that survives a power failure costs, and what it costs to open and to read.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>

#include "base/rng.h"
#include "ipc/trial_text.h"
#include "ipc/unique_fd.h"
#include "scheduler/journal/sqlite_journal.h"

namespace {

using namespace nightshift;
using scheduler::SqliteJournal;
namespace fs = std::filesystem;

struct Duration {
  double wall = 0;  // seconds
  double cpu = 0;   // of this process; says what it costs on a machine that others load
};

Duration duration_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC};
}

scheduler::FinishedTrial sample_result(std::uint64_t id) {
  base::Rng rng(id);
  search::Measured measured;
  measured.measurement.figures = {{"time", {}}};
  for (int i = 0; i < 20; ++i) {
    measured.measurement.figures[0].values.push_back(1.5 + 0.03 * rng.normal());
  }
  measured.measurement.conditions = {{"cores", "1"}, {"cache", "warm"}};
  scheduler::FinishedTrial result;
  result.id = {id};
  result.report = {measured, {0.8, 0.01, 0.04, 0}};
  result.device = "node/cpu:1";
  result.artifact = fmt::format("{:032x}", id);
  result.value = 1.5;
  result.normalised = search::Score{0.9, 0.004};
  result.started = 1e9 + static_cast<double>(id);
  result.finished = result.started + 0.5;
  return result;
}

void write_trial(SqliteJournal& journal, std::uint64_t id) {
  const auto number = static_cast<std::int64_t>(id);
  scheduler::ProposedTrial trial;
  trial.id = {id};
  trial.index = search::ConfigurationIndex{id * 7};
  trial.configuration = search::Configuration({{"block_x", number % 1024},
                                               {"block_y", number % 16},
                                               {"unroll", number % 8},
                                               {"cached", true}});
  journal.propose(trial, 1e9);
  journal.note(trial.id, scheduler::TrialState::kBuilding, 1, "", "", 1e9);
  journal.note(trial.id, scheduler::TrialState::kRunning, 1, "node/cpu:1", "", 1e9);
  journal.finish(sample_result(id));
}

double megabytes(const fs::path& folder) {
  double bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    bytes += static_cast<double>(entry.file_size());
  }
  return bytes / 1e6;
}

void print_rate(const std::string& what, const Duration& time, std::uint64_t trials) {
  const auto n = static_cast<double>(trials);
  fmt::print("{:<44}{:9.2f} us/trial ({:6.2f} us CPU){:12.0f} trials/s\n", what,
             time.wall / n * 1e6, time.cpu / n * 1e6, n / time.wall);
}

void bench_writes(const fs::path& root, std::uint64_t trials, std::uint64_t per_commit) {
  const fs::path folder = root / fmt::format("every-{}", per_commit);
  const auto journal = SqliteJournal::create(folder.string(), {}, {});
  const Duration time = duration_of([&] {
    for (std::uint64_t id = 1; id <= trials; ++id) {
      write_trial(*journal, id);
      if (id % per_commit == 0) journal->end_turn();
    }
    journal->end_turn();
  });
  print_rate(fmt::format("journal, a commit per {} trial(s)", per_commit), time, trials);
}

void bench_plain_file(const fs::path& root, std::uint64_t trials) {
  const ipc::UniqueFd file(
      open((root / "plain").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  const Duration time = duration_of([&] {
    for (std::uint64_t id = 1; id <= trials; ++id) {
      const std::string line = ipc::to_json(sample_result(id).report.outcome) + "\n";
      if (write(file.get(), line.data(), line.size()) < 0) std::perror("write");
    }
  });
  print_rate("yardstick: JSON line by write(2), no record", time, trials);
}

void bench_values_alone(std::uint64_t trials) {
  volatile double last = 0;  // keeps the work from being optimised away
  const Duration time = duration_of([&] {
    for (std::uint64_t id = 1; id <= trials; ++id) last = sample_result(id).finished;
  });
  print_rate("of each, making up the values", time, trials);
}

void bench_durable(const fs::path& root) {
  constexpr int kCommits = 200;
  const auto journal = SqliteJournal::create((root / "durable").string(), {}, {});
  const Duration time = duration_of([&] {
    for (std::uint64_t id = 1; id <= kCommits; ++id) {
      write_trial(*journal, id);
      journal->commit_durably();
    }
  });
  fmt::print("{:<44}{:9.2f} us/commit\n", "journal, durable commit of one trial",
             time.wall / kCommits * 1e6);
}

void bench_reading(const fs::path& folder, std::uint64_t trials) {
  fmt::print("{:<44}{:9.2f} MB\n", "size on disk", megabytes(folder));
  const Duration open = duration_of([&] { SqliteJournal::open(folder.string()); });
  fmt::print("{:<44}{:9.2f} ms\n", "open (lock, recovery, quick_check, close)", open.wall * 1e3);
  std::size_t read = 0;
  const auto load = [&](scheduler::Detail detail) {
    read = scheduler::load_history(folder.string(), detail).trials.size();
  };
  print_rate("load_history, trials", duration_of([&] { load(scheduler::Detail::kTrials); }),
             trials);
  print_rate("load_history, full", duration_of([&] { load(scheduler::Detail::kFull); }), trials);
  if (read != trials) throw std::runtime_error(fmt::format("only {} trials were read", read));
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path parent = argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path();
  const std::uint64_t trials = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100'000;
  std::string name = (parent / "bench-journal-XXXXXX").string();
  if (trials == 0 || mkdtemp(name.data()) == nullptr) {
    fmt::print(stderr, "usage: bench-journal [FOLDER] [TRIALS]; FOLDER must be writable\n");
    return 2;
  }
  const fs::path root = name;
  try {
    fmt::print("{} trials of 20 samples in {}\n", trials, root.string());
    bench_writes(root, trials, 1);
    bench_writes(root, trials, 10);
    bench_plain_file(root, trials);
    bench_values_alone(trials);
    bench_durable(root);
    bench_reading(root / "every-1", trials);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    fs::remove_all(root);
    return 1;
  }
  fs::remove_all(root);
  return 0;
}
