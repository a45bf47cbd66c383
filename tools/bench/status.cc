// What it costs to look at a large batch:
//
//   bench-status [STUDIES] [TRIALS] [FOLDER]
//
// makes a batch of STUDIES studies (200) with TRIALS trials in all (1,000,000) in FOLDER, which
// stays (else below the system's temporary folder, removed at the end), as a batch of twelve hours
// on eight devices leaves it: the journal of each study, the batch's own with leases, events and
// progress. Then `nightshift status` and `report` of it and `status` of one study run seven times
// each: seconds from start to end, the least and the median, and the peak of resident memory.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/rng.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/bench/command_cost.h"

namespace {

using namespace nightshift;
using scheduler::BatchJournal;
using scheduler::BatchStudyState;
using scheduler::SqliteJournal;
namespace fs = std::filesystem;

constexpr double kEvening = 1.8e9;  // Unix seconds
constexpr double kNight = 12 * 3600;
constexpr std::size_t kDevices = 8;

std::string name_of_study(std::size_t study) { return fmt::format("kernel-{:03}", study); }
std::string device_of(std::size_t study) { return fmt::format("gpu:{}", study % kDevices); }

void write_study(const std::string& folder, std::size_t study, std::uint64_t trials) {
  search::Problem problem;
  problem.name = name_of_study(study);
  scheduler::StudyHeader header;
  header.problem_name = problem.name;
  header.created = kEvening;
  const auto journal = SqliteJournal::create(folder, header, problem);
  base::Rng rng(study);
  for (std::uint64_t id = 1; id <= trials; ++id) {
    scheduler::ProposedTrial proposed;
    proposed.id = {id};
    proposed.configuration = search::Configuration({{"block_x", static_cast<std::int64_t>(id)},
                                                    {"unroll", static_cast<std::int64_t>(id % 8)}});
    journal->propose(proposed, kEvening);
    scheduler::FinishedTrial finished;
    finished.id = {id};
    const double time = 1 + 0.2 * rng.normal();
    finished.report.outcome = search::Measured{{{{"time", {time, time}}}, {}}};
    if (id % 9 == 0) finished.report.outcome = search::WrongResult{"element 17 differs"};
    finished.device = device_of(study);
    if (id % 9 != 0) finished.normalised = search::Score{std::max(time, 0.2), 0.01};
    finished.started = kEvening + static_cast<double>(id);
    finished.finished = finished.started + 0.5;
    journal->finish(finished);
    if (id % 100 == 0) journal->end_turn();
  }
  journal->status("completed", "the time budget of 10 min is used up", kNight / 25);
  journal->commit_durably();
}

void write_batch(const std::string& folder, std::size_t studies, std::uint64_t trials) {
  BatchJournal journal(folder, "night");
  journal.begin_run(kEvening, kEvening + kNight);
  std::vector<scheduler::BatchStudyTerms> terms(studies);
  for (std::size_t s = 0; s < studies; ++s) {
    terms[s].name = name_of_study(s);
    terms[s].problem = "/home/someone/kernels/" + terms[s].name + "/problem.toml";
  }
  journal.studies(terms);
  const double turn = kNight / (static_cast<double>(studies) / kDevices);
  for (std::size_t s = 0; s < studies; ++s) {
    const std::string name = name_of_study(s);
    const double begin = kEvening + turn * static_cast<double>(s / kDevices), end = begin + turn;
    std::optional<scheduler::BatchClaim> claim;
    if (s % 3 == 0) claim = {0.8, {0.78, 0.82}, 1e-6, 0.01};
    journal.state(name, BatchStudyState::kWaiting, "", {}, kEvening);
    journal.state(name, BatchStudyState::kRunning, "", {}, begin);
    journal.lease(name, device_of(s), scheduler::LeaseKind::kOwner, begin);
    journal.event({begin, name, "begun", "begins on " + device_of(s)});
    for (int duel = 1; duel <= 20; ++duel) {
      const double at = begin + turn * duel / 21;
      const std::string guest = device_of(s + 1 + static_cast<std::size_t>(duel) % (kDevices - 1));
      journal.lease(name, guest, scheduler::LeaseKind::kGuest, at);
      journal.lease(name, guest, scheduler::LeaseKind::kNone, at + 5);
      journal.event({at, name, "accepted", fmt::format("trial {} accepted", duel * 17)});
    }
    journal.progress(
        name, {trials, trials - trials / 9, trials / 9, 20, "", 0.75, 0.8, turn, turn, 1, end});
    journal.lease(name, device_of(s), scheduler::LeaseKind::kNone, end);
    journal.state(name, BatchStudyState::kCompleted, "the time budget is used up", claim, end);
    journal.event({end, name, "ended", "the time budget is used up"});
  }
  for (std::size_t d = 0; d < kDevices; ++d) {
    journal.device({device_of(d), "NVIDIA H200", "", "", 0.97 * kNight});
  }
  journal.end_run("completed", "every study has ended", kEvening + kNight);
  journal.commit();
}

void run(const std::string& folder, std::size_t studies, std::uint64_t trials) {
  const std::uint64_t each = trials / studies;
  fmt::print("{} studies of {} trials in {}\n", studies, each, folder);
  for (std::size_t s = 0; s < studies; ++s) {
    write_study(folder + "/" + name_of_study(s), s, each);
  }
  write_batch(folder, studies, each);
  const std::string program = bench::nightshift_program();
  bench::print_cost("status of the batch", {program, "status", folder});
  bench::print_cost("status of one study", {program, "status", folder + "/" + name_of_study(0)});
  bench::print_cost("report of the batch", {program, "report", folder});
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t studies = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200;
  const std::uint64_t trials = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000'000;
  std::string made = (fs::temp_directory_path() / "bench-status-XXXXXX").string();
  const std::string folder = argc > 3 ? argv[3] : mkdtemp(made.data()) == nullptr ? "" : made;
  if (studies == 0 || trials < studies || folder.empty()) {
    fmt::print(stderr, "usage: bench-status [STUDIES] [TRIALS] [FOLDER]\n");
    return 2;
  }
  int code = 0;
  try {
    run(folder, studies, trials);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    code = 1;
  }
  if (argc <= 3) fs::remove_all(folder);
  return code;
}
