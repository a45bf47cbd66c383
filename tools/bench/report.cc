// What it costs to tell of a long study:
//
//   bench-report [TRIALS] [FOLDER]
//
// makes a study of TRIALS explorations (100,000) in FOLDER, which stays (else below the system's
// temporary folder, removed at the end), as a night on one device leaves it: eight parameters of
// which some matter together, failures, a baseline behind every 16th, duels and a hold-out. Then
// its page, its text and its model are told seven times each: seconds from start to end, the least
// and the median, the peak of resident memory, and the size of the page.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/rng.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/bench/command_cost.h"

namespace {

using namespace nightshift;
using scheduler::SqliteJournal;
namespace fs = std::filesystem;

constexpr double kEvening = 1.8e9;  // Unix seconds
constexpr double kSecondsOfTrial = 0.25;
constexpr std::uint64_t kTrialsOfBaseline = 16, kTrialsOfDuel = 5000;
constexpr int kPairs = 32;
constexpr const char* kDevice = "node/cpu:1";

struct Row {
  const char* name;
  std::vector<std::int64_t> values;
  double matters;  // of the logarithm of its best value over its worst
};
const std::vector<Row>& rows() {
  static const std::vector<Row> all = {{"TILE_M", {16, 32, 64, 128, 256, 512}, 0.9},
                                       {"TILE_N", {16, 32, 64, 128, 256, 512}, 0.7},
                                       {"TILE_K", {8, 16, 32, 64}, 0.3},
                                       {"STAGES", {1, 2, 3, 4, 5}, 0.4},
                                       {"WARPS", {1, 2, 4, 8}, 0.2},
                                       {"UNROLL", {1, 2, 4, 8, 16}, 0.1},
                                       {"VECTOR", {1, 2, 4, 8}, 0.05},
                                       {"CACHED", {0, 1}, 0}};
  return all;
}

std::string problem_text() {
  std::string argv = "\"./made\"", parameters;
  for (const Row& row : rows()) {
    argv += fmt::format(", \"{{{}}}\"", row.name);
    parameters += fmt::format("{} = [{}]\n", row.name, fmt::join(row.values, ", "));
  }
  return "name = \"made\"\n[command]\nargv = [" + argv + "]\n[parameters]\n" + parameters;
}

struct Made {
  search::Configuration configuration;
  double score = 1;  // before noise
};

// Each configuration of the space once, in an order that jumps.
Made made(std::uint64_t trial) {
  constexpr std::uint64_t kStride = 76'543;  // has no factor of the space's size
  std::uint64_t rest = trial * kStride;
  std::vector<std::pair<std::string, search::Value>> entries;
  double logarithm = 0, together = 1;
  for (const Row& row : rows()) {
    const std::size_t pick = rest % row.values.size();
    rest /= row.values.size();
    const double share = static_cast<double>(pick) / static_cast<double>(row.values.size() - 1);
    logarithm += row.matters * std::abs(share - 0.6);
    if (row.matters > 0.5) together *= share;
    entries.emplace_back(row.name, row.values[pick]);
  }
  return {search::Configuration(std::move(entries)), 0.8 * std::exp(logarithm + 0.5 * together)};
}

class Night {
 public:
  explicit Night(const std::string& folder) {
    scheduler::StudyHeader header;
    header.problem_name = "made";
    header.problem_file = "/home/someone/made/problem.toml";
    header.problem_text = problem_text();
    header.environment = {{"cpu", "A processor of 16 cores"}, {"os", "Linux"}};
    header.created = kEvening;
    search::Problem problem;
    problem.name = "made";
    journal_ = SqliteJournal::create(folder, header, problem);
  }

  void run(std::uint64_t trials) {
    baseline();
    std::uint64_t best = 0;
    double best_score = 1;
    for (std::uint64_t i = 1; i <= trials; ++i) {
      const Made one = made(i);
      const std::uint64_t id = explore(one, i % 11 == 0);
      if (i % 11 != 0 && one.score < best_score) {
        best_score = one.score;
        best = id;
        best_ = one;
      }
      if (i % kTrialsOfBaseline == 0) baseline();
      if (i % kTrialsOfDuel == 0 && best > 0) confirm(best, scheduler::Purpose::kDuel);
      if (i % 100 == 0) journal_->end_turn();
    }
    if (best > 0) confirm(best, scheduler::Purpose::kHoldOut);
    journal_->status("completed", "the time budget of 12 h is used up", at_ - kEvening);
    journal_->commit_durably();
  }

 private:
  scheduler::ProposedTrial next(search::JobKind job, const search::Configuration& configuration) {
    scheduler::ProposedTrial proposed;
    proposed.id = {++id_};
    proposed.job = job;
    proposed.configuration = configuration;
    return proposed;
  }
  void end(const scheduler::ProposedTrial& proposed, double score, bool fails) {
    journal_->propose(proposed, at_);
    scheduler::FinishedTrial finished;
    finished.id = proposed.id;
    finished.device = kDevice;
    finished.started = at_;
    finished.finished = at_ += kSecondsOfTrial;
    finished.report.cost = {0, 0.01, 0.2, 0};
    if (fails) {
      finished.report.outcome = search::WrongResult{"y", 17, 1, 2, 1, 1e-5};
    } else {
      std::vector<double> times(20);
      for (double& time : times) time = 1.5 * score * std::exp(0.02 * rng_.normal());
      finished.report.outcome =
          search::Measured{{{{"time", times}}, {{"cores", "1"}, {"cache", "warm"}}}};
      finished.value = times.front();
      finished.normalised = search::Score{score, 0.004};
    }
    journal_->finish(finished);
  }
  void baseline() { end(next(search::JobKind::kBaseline, {}), 1, false); }
  std::uint64_t explore(const Made& one, bool fails) {
    const auto proposed = next(search::JobKind::kExplore, one.configuration);
    end(proposed, one.score, fails);
    return proposed.id.value;
  }
  void confirm(std::uint64_t candidate, scheduler::Purpose purpose) {
    scheduler::ConfirmationSetup setup;
    setup.id = {++confirmation_};
    setup.purpose = purpose;
    setup.candidate = {candidate};
    setup.devices = {kDevice};
    journal_->open(setup, at_);
    for (int round = 1; round <= kPairs; ++round) {
      for (const auto arm : {scheduler::Arm::kCandidate, scheduler::Arm::kBaseline}) {
        const bool ours = arm == scheduler::Arm::kCandidate;
        auto proposed =
            next(search::JobKind::kConfirm, ours ? best_.configuration : search::Configuration());
        proposed.confirmation = setup.id;
        proposed.candidate = {candidate};
        proposed.round = round;
        proposed.arm = arm;
        proposed.device = kDevice;
        end(proposed, ours ? best_.score : 1, false);
      }
    }
    scheduler::ConfirmationVerdict verdict;
    verdict.id = setup.id;
    verdict.candidate = setup.candidate;
    verdict.verdict.acceptance = search::Accept{"better on new data"};
    verdict.verdict.ratio = best_.score;
    verdict.verdict.interval = {best_.score * 0.99, best_.score * 1.01};
    verdict.verdict.p_value = 1e-9;
    verdict.verdict.devices = {{kDevice, kPairs, 0, -std::log(best_.score), 0.005}};
    journal_->verdict(verdict, at_);
  }

  std::unique_ptr<SqliteJournal> journal_;
  base::Rng rng_{17};
  Made best_;
  std::uint64_t id_ = 0, confirmation_ = 0;
  double at_ = kEvening;
};

void run(const std::string& folder, std::uint64_t trials) {
  const std::string study = folder + "/made", page = folder + "/page.html";
  fmt::print("{} explorations in {}\n", trials, study);
  Night(study).run(trials);
  const std::string program = bench::nightshift_program();
  bench::print_cost("report --html", {program, "report", study, "--html", page});
  fmt::print("{:<24} {:.2f} MB\n", "the page", static_cast<double>(fs::file_size(page)) / 1e6);
  bench::print_cost("report", {program, "report", study});
  bench::print_cost("explain --model", {program, "explain", study, "--model"});
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t trials = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  std::string made = (fs::temp_directory_path() / "bench-report-XXXXXX").string();
  const std::string folder = argc > 2 ? argv[2] : mkdtemp(made.data()) == nullptr ? "" : made;
  if (trials == 0 || folder.empty()) {
    fmt::print(stderr, "usage: bench-report [TRIALS] [FOLDER]\n");
    return 2;
  }
  int code = 0;
  try {
    run(folder, trials);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    code = 1;
  }
  if (argc <= 2) fs::remove_all(folder);
  return code;
}
