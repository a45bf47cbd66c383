// How long a device is without an evaluator: from the SIGKILL of the current one to the end of the
// next empty trial, with and without a hot spare, idle and in the middle of a trial. Beside it what
// a process per trial costs at the least: fork and exec of /bin/true.
//
//   bench-respawn [REPETITIONS]
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "evaluator/serve.h"
#include "scheduler/forked_worker_pool.h"

namespace {

using namespace nightshift;
using SteadyClock = std::chrono::steady_clock;

// Answers at once; the configuration {"hang": true} is never answered.
class EmptyBackend final : public evaluator::TrialBackend {
 public:
  search::TrialReport evaluate(const ipc::EvaluateRequest& request,
                               evaluator::ProgressSink&) override {
    while (request.configuration.find("hang") != nullptr) ::pause();
    search::Measured measured;
    measured.measurement.figures = {{"time", {1.0}}};
    return {std::move(measured), {}};
  }
};

struct TemporaryFolder {
  TemporaryFolder() {
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("mkdtemp " + path);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path = (std::filesystem::temp_directory_path() / "nightshift-bench-XXXXXX").string();
};

class Bench {
 public:
  explicit Bench(int hot_spares)
      : pool_(problem_, {{"here", "bench:0", "bench", {}}}, options(hot_spares)) {}

  // Seconds from the kill to the end of the next empty trial.
  double respawn(bool busy);
  // Empty trials a second with one in flight.
  double rate(int trials);

 private:
  scheduler::ForkedPoolOptions options(int hot_spares) const {
    scheduler::ForkedPoolOptions o;
    o.evaluator_program = std::filesystem::read_symlink("/proc/self/exe");
    o.scratch_folder = o.artifact_folder = folder_.path;
    o.builders = 0;
    o.hot_spares = hot_spares;
    o.recycle_after = 1'000'000;
    o.catch_signals = false;
    return o;
  }
  void start(search::Configuration configuration);
  void wait_for_end();
  // Whether the pool has not yet noticed that this process is gone.
  bool stands(int process) const {
    const std::vector<int> all = pool_.process_ids();
    return std::find(all.begin(), all.end(), process) != all.end();
  }

  TemporaryFolder folder_;
  search::Problem problem_;
  scheduler::ForkedWorkerPool pool_;
  std::uint64_t trial_ = 0;
};

void Bench::start(search::Configuration configuration) {
  while (!pool_.can_measure(0)) pool_.wait(std::nullopt);
  scheduler::Job order;
  order.trial = {++trial_};
  order.evaluation().configuration = std::move(configuration);
  pool_.start(order);
}

void Bench::wait_for_end() {
  while (true) {
    const scheduler::PoolEvent event = pool_.wait(std::nullopt);
    if (std::holds_alternative<scheduler::JobEnded>(event)) return;
    if (const auto* failed = std::get_if<scheduler::DeviceFailed>(&event)) {
      throw std::runtime_error(failed->reason);
    }
  }
}

double Bench::respawn(bool busy) {
  using namespace std::chrono_literals;
  start({});
  wait_for_end();
  // The spare comes up meanwhile, as it does during the trials of a study.
  const auto settled = SteadyClock::now() + 50ms;
  while (SteadyClock::now() < settled) pool_.wait(settled);
  const int current = pool_.process_ids().front();
  if (busy) {
    start(search::Configuration({{"hang", true}}));
    pool_.wait(SteadyClock::now() + 1ms);
  }
  const auto begin = SteadyClock::now();
  ::kill(current, SIGKILL);
  if (busy) {
    wait_for_end();
  } else {
    while (stands(current)) pool_.wait(SteadyClock::now());
  }
  start({});
  wait_for_end();
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

double Bench::rate(int trials) {
  start({});
  wait_for_end();
  const auto begin = SteadyClock::now();
  for (int i = 0; i < trials; ++i) {
    start({});
    wait_for_end();
  }
  return trials / std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

double run_true() {
  const auto begin = SteadyClock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/true", "true", static_cast<char*>(nullptr));
    ::_exit(1);
  }
  ::waitpid(child, nullptr, 0);
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

void print(const char* what, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double share) {
    return 1e3 * seconds[static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1))];
  };
  std::printf("%-52s median %7.3f ms   p90 %7.3f ms   (n = %zu)\n", what, at(0.5), at(0.9),
              seconds.size());
}

template <class Measure>
std::vector<double> repeat(int n, Measure measure) {
  std::vector<double> seconds;
  for (int i = 0; i < n; ++i) seconds.push_back(measure());
  return seconds;
}

int run(int n) {
  for (const int spares : {1, 0}) {
    Bench bench(spares);
    for (const bool busy : {false, true}) {
      const std::string what = std::string("kill of ") + (busy ? "a busy" : "an idle") +
                               " evaluator to next trial, " + (spares > 0 ? "spare" : "no spare");
      print(what.c_str(), repeat(n, [&] { return bench.respawn(busy); }));
    }
  }
  print("peer: fork, exec and end of /bin/true", repeat(n, run_true));
  std::printf("empty trials through the pool, one in flight: %.0f per second\n",
              Bench(1).rate(20'000));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.rfind("--", 0) == 0) {
    return evaluator::serve({argv + 1, argv + argc},
                            [](const auto&) { return std::make_unique<EmptyBackend>(); });
  }
  const int n = argc > 1 ? std::atoi(argv[1]) : 200;
  if (n < 1) {
    std::fprintf(stderr, "usage: bench-respawn [REPETITIONS]\n");
    return 2;
  }
  return run(n);
}
