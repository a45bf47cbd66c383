// A pool under fire: empty trials and builds without end on several devices, while a thread kills
// random evaluators and builders at random instants. Every order must be answered exactly once,
// with the right content or as killed, and nothing may be left afterwards.
//
//   kill-storm KILLS [DEVICES [BUILDERS [MEAN_PAUSE_MS]]]
//
// Prints its counts; exit code 0 when every promise held.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "evaluator/serve.h"
#include "kill_storm_killer.h"
#include "pool_driver.h"
#include "residue.h"

namespace {

using namespace nightshift;
using Seconds = std::chrono::duration<double>;

// What trial n must answer.
double expected_value(std::uint64_t n) { return 0.5 * static_cast<double>(n) + 0.125; }
std::string expected_hash(std::uint64_t n) { return "artifact-" + std::to_string(n); }

search::Configuration configuration_of(std::uint64_t n) {
  return search::Configuration({{"n", static_cast<std::int64_t>(n)}});
}
std::uint64_t number_in(const search::Configuration& configuration) {
  return static_cast<std::uint64_t>(std::get<std::int64_t>(*configuration.find("n")));
}

class EchoBackend final : public evaluator::TrialBackend {
 public:
  ipc::BuiltReply build(const ipc::BuildRequest& request, evaluator::ProgressSink&) override {
    return {ipc::Artifact{expected_hash(number_in(request.configuration)), 0}, 0};
  }
  search::TrialReport evaluate(const ipc::EvaluateRequest& request,
                               evaluator::ProgressSink&) override {
    search::Measured measured;
    measured.measurement.figures = {{"time", {expected_value(number_in(request.configuration))}}};
    return {std::move(measured), {}};
  }
};

struct Counts {
  std::uint64_t measured = 0, built = 0, killed_trials = 0, killed_builds = 0;
  std::uint64_t wrong = 0, unexpected = 0, doubled = 0, devices_failed = 0;
};

class Storm {
 public:
  Storm(const search::Problem& problem, int devices, const scheduler::ForkedPoolOptions& options)
      : pool_(problem, puzzles::plain_devices(devices), options) {}

  // Keeps every place busy until the killer is done; then answers what is outstanding.
  void run(puzzles::Killer& killer);
  const Counts& counts() const { return counts_; }
  std::size_t outstanding() const { return trials_.size() + builds_.size(); }

 private:
  void fill();
  void fold(const scheduler::PoolEvent& event);
  void fold_trial(const scheduler::JobEnded& done);
  void fold_build(const scheduler::JobEnded& done);
  // Whether this was the first answer to an order that was given.
  bool first_answer(std::set<std::uint64_t>& open, std::uint64_t n) {
    if (open.erase(n) == 1) return true;
    ++counts_.doubled;
    return false;
  }

  scheduler::ForkedWorkerPool pool_;
  Counts counts_;
  std::uint64_t next_ = 0;
  std::set<std::uint64_t> trials_, builds_;  // outstanding
};

void Storm::run(puzzles::Killer& killer) {
  std::vector<int> aimed_at;
  while (!killer.finished()) {
    fill();
    std::vector<int> alive = pool_.process_ids();
    if (alive != aimed_at) {
      aimed_at = std::move(alive);
      killer.aim_at(aimed_at);
    }
    fold(pool_.wait(std::chrono::steady_clock::now() + std::chrono::milliseconds(100)));
    if (counts_.devices_failed > 0) return;
  }
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (outstanding() > 0 && std::chrono::steady_clock::now() < patience) {
    fold(pool_.wait(patience));
  }
}

void Storm::fill() {
  for (scheduler::DeviceIndex d = 0; d < pool_.devices().size(); ++d) {
    if (!pool_.can_measure(d)) continue;
    scheduler::Job order;
    order.trial = {++next_};
    order.attempt = static_cast<std::uint32_t>(next_ % 7);
    order.device = d;
    order.fresh_process = next_ % 97 == 0;
    order.evaluation().configuration = configuration_of(next_);
    trials_.insert(next_);
    pool_.start(order);
  }
  while (pool_.can_build()) {
    scheduler::Job order;
    order.request = ipc::BuildRequest{};
    order.trial = {++next_};
    order.attempt = static_cast<std::uint32_t>(next_ % 7);
    order.build().configuration = configuration_of(next_);
    builds_.insert(next_);
    pool_.start(order);
  }
}

void Storm::fold(const scheduler::PoolEvent& event) {
  if (const auto* ended = std::get_if<scheduler::JobEnded>(&event)) {
    ended->was_build() ? fold_build(*ended) : fold_trial(*ended);
  } else if (const auto* failed = std::get_if<scheduler::DeviceFailed>(&event)) {
    std::printf("device %zu failed: %s\n", failed->device, failed->reason.c_str());
    ++counts_.devices_failed;
  }
}

bool was_killed(const search::TrialOutcome& outcome, bool by_others) {
  const auto* crashed = std::get_if<search::Crashed>(&outcome);
  return by_others && crashed != nullptr && crashed->cause == search::Crashed::Cause::kSignal &&
         crashed->code == SIGKILL;
}

void Storm::fold_trial(const scheduler::JobEnded& done) {
  const std::uint64_t n = done.trial.value;
  if (!first_answer(trials_, n)) return;
  const search::TrialOutcome& outcome = done.report.outcome;
  const auto* measured = std::get_if<search::Measured>(&outcome);
  if (measured != nullptr) {
    const std::vector<search::Samples> expected{{"time", {expected_value(n)}}};
    const bool right = measured->measurement.figures == expected && done.attempt == n % 7;
    ++(right ? counts_.measured : counts_.wrong);
  } else if (was_killed(outcome, done.killed_by_others)) {
    ++counts_.killed_trials;
  } else {
    std::printf("trial %llu: %s\n", static_cast<unsigned long long>(n),
                search::describe(outcome).c_str());
    ++counts_.unexpected;
  }
}

void Storm::fold_build(const scheduler::JobEnded& done) {
  const std::uint64_t n = done.trial.value;
  if (!first_answer(builds_, n)) return;
  if (done.artifact) {
    const bool right = done.artifact->hash == expected_hash(n) && done.attempt == n % 7;
    ++(right ? counts_.built : counts_.wrong);
  } else if (was_killed(done.report.outcome, done.killed_by_others)) {
    ++counts_.killed_builds;
  } else {
    std::printf("build %llu: %s\n", static_cast<unsigned long long>(n),
                search::describe(done.report.outcome).c_str());
    ++counts_.unexpected;
  }
}

unsigned long long printable(std::uint64_t n) { return n; }

// Prints the counts; true when every promise held.
bool report(const Counts& c, std::uint64_t kills, double seconds, std::size_t unanswered) {
  const std::uint64_t answered = c.measured + c.built + c.killed_trials + c.killed_builds;
  std::printf("%llu kills in %.1f s: %.0f kills/s\n", printable(kills), seconds,
              static_cast<double>(kills) / seconds);
  std::printf(
      "%llu orders answered (%.0f/s): %llu measured, %llu built, %llu trials and %llu builds "
      "killed\n",
      printable(answered), static_cast<double>(answered) / seconds, printable(c.measured),
      printable(c.built), printable(c.killed_trials), printable(c.killed_builds));
  std::printf(
      "unanswered %zu, answered twice %llu, wrong content %llu, other outcomes %llu, devices "
      "failed %llu\n",
      unanswered, printable(c.doubled), printable(c.wrong), printable(c.unexpected),
      printable(c.devices_failed));
  return unanswered == 0 && c.doubled == 0 && c.wrong == 0 && c.unexpected == 0 &&
         c.devices_failed == 0 && c.measured > 0;
}

bool nothing_left(const puzzles::Residue& residue, const std::string& scratch) {
  const auto processes = residue.processes();
  const bool empty = std::filesystem::is_empty(scratch);
  const bool changed = residue.shared_memory_changed();
  std::printf("left over: %zu processes, %d descriptors, %d memory files, scratch folder %s%s\n",
              processes.size(), residue.extra_descriptors(), residue.memory_files(),
              empty ? "empty" : "not empty", changed ? ", names in /dev/shm" : "");
  for (const std::string& process : processes) std::printf("  %s\n", process.c_str());
  return processes.empty() && residue.extra_descriptors() == 0 && residue.memory_files() == 0 &&
         empty && !changed;
}

int run_storm(std::uint64_t kills, int devices, int builders, double pause_ms) {
  const puzzles::Residue residue;
  const puzzles::TemporaryFolder scratch, artifacts;
  const search::Problem problem = puzzles::puzzle_problem();
  scheduler::ForkedPoolOptions options;
  options.evaluator_program = std::filesystem::read_symlink("/proc/self/exe");
  options.scratch_folder = scratch.path();
  options.artifact_folder = artifacts.path();
  options.builders = builders;
  options.respawn_first = 0.001;
  options.respawn_last = 0.01;
  options.recycle_after = 10'000;
  bool good = false;
  {
    Storm storm(problem, devices, options);
    const auto begin = std::chrono::steady_clock::now();
    puzzles::Killer killer(kills, pause_ms / 1000, 20240229);
    storm.run(killer);
    const Seconds taken = std::chrono::steady_clock::now() - begin;
    good = report(storm.counts(), killer.kills(), taken.count(), storm.outstanding());
  }
  return nothing_left(residue, scratch.path()) && good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.rfind("--", 0) == 0) {
    return evaluator::serve({argv + 1, argv + argc},
                            [](const auto&) { return std::make_unique<EchoBackend>(); });
  }
  const std::uint64_t kills = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (kills == 0) {
    std::fprintf(stderr, "usage: kill-storm KILLS [DEVICES [BUILDERS [MEAN_PAUSE_MS]]]\n");
    return 2;
  }
  return run_storm(kills, argc > 2 ? std::atoi(argv[2]) : 2, argc > 3 ? std::atoi(argv[3]) : 1,
                   argc > 4 ? std::atof(argv[4]) : 1.0);
}
