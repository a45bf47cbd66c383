// Empty trials per second through the whole queue: searcher, tuner, mailbox, evaluator process and
// back, without a journal and with one. Usage: bench-queue [TRIALS] [DEVICES]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "evaluator/serve.h"
#include "scheduler/forked_worker_pool.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/tuner.h"
#include "search/searcher_catalogue.h"
#include "tests/fakes/null_journal.h"
#include "tools/bench/empty_problem.h"

namespace {

namespace fs = std::filesystem;
using namespace nightshift;

class EmptyBackend final : public evaluator::TrialBackend {
 public:
  search::TrialReport evaluate(const ipc::EvaluateRequest& request,
                               evaluator::ProgressSink&) override {
    const search::Value* x = request.configuration.find("x0");
    const double value = x == nullptr ? 1.0 : 1.0 + search::as_number(*x) * 0.01;
    return {search::Measured{{{{"time", {value}}}, {}}}, {}};
  }
};

struct Folder {
  fs::path path = fs::temp_directory_path() / ("nightshift-bench-" + std::to_string(getpid()));
  Folder() { fs::create_directories(path / "scratch"); }
  ~Folder() { fs::remove_all(path); }
};

double trials_per_second(std::uint64_t trials, int device_count, bool journaled) {
  const Folder folder;
  const search::Problem problem = bench::empty_problem(trials);
  const search::ParameterSpace space(problem.parameters, problem.constraints);
  const auto searcher = search::make_searcher("random", space, {});
  std::vector<scheduler::Device> devices;
  for (int i = 0; i < device_count; ++i)
    devices.push_back({"here", "empty:" + std::to_string(i), "", {}});
  scheduler::ForkedPoolOptions options;
  options.evaluator_program = fs::read_symlink("/proc/self/exe");
  options.artifact_folder = folder.path;
  options.scratch_folder = folder.path / "scratch";
  options.builders = 0;
  options.recycle_after = 1 << 30;
  scheduler::ForkedWorkerPool pool(problem, devices, options);
  std::unique_ptr<scheduler::Journal> journal = std::make_unique<fakes::NullJournal>();
  if (journaled) {
    scheduler::StudyHeader header;
    header.problem_name = problem.name;
    journal = scheduler::SqliteJournal::create(folder.path / "study", header, problem);
  }
  const scheduler::SystemClock clock;
  scheduler::TuningObserver silent;
  scheduler::Tuner tuner({problem, space, *searcher, pool, *journal, clock, silent});
  const auto begin = std::chrono::steady_clock::now();
  tuner.run(pool);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(trials) / seconds.count();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.starts_with("--")) {
    return evaluator::serve({argv + 1, argv + argc}, [](const ipc::ConfigureRequest&) {
      return std::make_unique<EmptyBackend>();
    });
  }
  const std::uint64_t trials = first.empty() ? 100000 : std::strtoull(argv[1], nullptr, 10);
  const int devices = argc > 2 ? std::atoi(argv[2]) : 1;
  fmt::print("{} empty trials, {} evaluator(s)\n", trials, devices);
  fmt::print("  journal off  {:10.0f} trials/s\n", trials_per_second(trials, devices, false));
  fmt::print("  journal on   {:10.0f} trials/s\n", trials_per_second(trials, devices, true));
}
