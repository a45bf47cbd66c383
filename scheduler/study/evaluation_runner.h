#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/study/build_queue.h"
#include "scheduler/worker_pool.h"
#include "search/problem.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

// What is measured beside others: a configuration, empty for the baseline, and what messages call
// it.
struct Contender {
  std::string name;
  search::Configuration configuration;
};

// One evaluation as a plan asks for it; `contender` is a position in the runner's list.
struct PlannedEvaluation {
  std::size_t contender = 0;
  bool fresh_process = false;
};
// How it ended, after as many attempts as it deserved (scheduler/study/retry.h).
struct EvaluationEnd {
  search::TrialReport report;        // its figures are checked, see report_check.h
  bool fresh_process = false;        // the process had served nothing before
  double started = 0, finished = 0;  // Unix seconds; of the last attempt
};

// Decides what each device measures next; a fold over what was measured.
class EvaluationPlan {
 public:
  virtual ~EvaluationPlan() = default;
  // The evaluation that the device makes now; nullopt where it has none. What is returned is
  // measured, and the device is not asked again before ended() or lost().
  virtual std::optional<PlannedEvaluation> next(DeviceIndex device) = 0;
  // The outcome is Measured or a failure that is not the device's.
  virtual void ended(DeviceIndex device, const PlannedEvaluation& evaluation,
                     const EvaluationEnd& end) = 0;
  virtual void lost(DeviceIndex device, const std::string& reason) = 0;
};

struct EvaluationRunnerParts {
  const search::Problem& problem;
  WorkerPool& pool;
  const Clock& clock;
  std::vector<Contender> contenders;
};

// Measures a few known configurations evaluation by evaluation: without a search, a queue or a
// journal, but built, checked, sampled and retried as the tuner does it. What `compare` and `noise`
// rest on.
//
//   EvaluationRunner runner({problem, pool, clock, {{"A", a}, {"B", b}}});
//   if (runner.build() && runner.run(plan)) ...
class EvaluationRunner {
 public:
  explicit EvaluationRunner(EvaluationRunnerParts parts);

  // Called at least ten times a second while something is waited for.
  std::function<void()> on_tick = [] {};
  // Told what the pool gives notice of.
  std::function<void(const std::string&)> on_notice = [](const std::string&) {};

  // Builds the reference and every contender, each once. False where a signal stopped it; throws
  // StudyError that names what cannot be built, and DeviceError where no device is left.
  bool build();
  // Measures until no device has an evaluation left. False where a signal stopped it: evaluations
  // in flight were given ten seconds. Throws what the plan throws.
  bool run(EvaluationPlan& plan);

  // Hash of the contender's machine code; empty for backends that do not build.
  std::string artifact(std::size_t contender) const;

 private:
  struct Lane {
    std::optional<PlannedEvaluation> evaluation;
    search::TrialId trial;
    std::uint32_t attempt = 1;
    double started = 0;
    bool busy = false;  // otherwise an evaluation waits to be tried again
    std::string lost;   // why it is out of service; empty while it is in
  };
  struct Build {
    BuildKey key;
    ipc::BuildRequest request;
    std::string name;
    std::uint32_t attempt = 1;
    bool running = false;
    std::optional<ipc::Artifact> artifact;
  };

  void plan_build(BuildKey::Kind kind, const std::string& name,
                  const search::Configuration& configuration);
  BuildKey key_of(const Contender& contender) const;
  const Build* find(const BuildKey& key) const;
  void start_builds();
  void on(const BuildDone& done);
  void fill(EvaluationPlan& plan);
  void measure(DeviceIndex device);
  void on(const MeasureDone& done, EvaluationPlan& plan);
  void lose(DeviceIndex device, const std::string& reason, EvaluationPlan* plan);
  void interrupted(const Interrupted& signal);
  bool any_busy() const;
  bool stopped() const;  // nothing more is started
  PoolEvent wait();

  EvaluationRunnerParts parts_;
  search::Scoring scoring_;
  std::vector<Lane> lanes_;
  std::map<search::TrialId, Build> builds_;
  std::uint64_t last_trial_ = 0;
  int interrupts_ = 0;
  Clock::TimePoint grace_end_;
};

}  // namespace nightshift::scheduler
