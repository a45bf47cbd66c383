#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "scheduler/clock.h"
#include "scheduler/journal/journal.h"
#include "scheduler/trials/build_queue.h"
#include "scheduler/trials/patience.h"
#include "scheduler/trials/retry.h"
#include "scheduler/trials/trial_queue.h"
#include "scheduler/worker_pool.h"
#include "search/problem.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

// A trial as a plan hands it over.
struct TrialOrder {
  // Without an index it is the baseline; what has the same index is built once.
  ProposedTrial trial;
  std::uint64_t seed = 0;      // of its inputs and resampling
  bool fresh_process = false;  // its evaluation is to be the first of its process
  bool build_only = false;     // it ends, with an empty report, once it and the reference are built
  bool ahead_of_device = false;  // it is ready once the baseline is built, too
  int samples = 0;               // of its evaluation; 0: as the problem asks for
  // Runs that died while it was in hand: of an exploration they count as devices that were lost.
  std::uint32_t deaths = 0;
};

// What is said of evaluations on a device when one begins.
struct EvaluationTerms {
  double give_up_above = 0;  // of explorations, see EvaluateRequest
  Patience exploring;
  Patience comparing;      // of confirmations, and of a baseline that is measured again
  Patience baseline = {};  // of a device's first one
};

// How a trial ended, after as many attempts as it deserved (scheduler/trials/retry.h).
struct TrialEnd {
  ProposedTrial trial;
  search::TrialReport report;  // its figures are checked, see report_check.h
  std::uint32_t attempts = 1;
  std::optional<DeviceIndex> device;  // that evaluated it last; absent when it never reached one
  std::string artifact;               // hash; empty without a build
  bool fresh_process = false;         // its evaluation was the first of its process
  double started = 0, finished = 0;   // Unix seconds, of all attempts
  double last_started = 0;            // of the last attempt
  double building = 0;                // seconds of that, in which it was compiled
};

// What nothing can be evaluated without could not be built.
struct FailedBuild {
  BuildKey key;
  search::TrialOutcome outcome;
};

// Told of the steps between a trial's beginning and its end, as they happen. `device` is
// Device::key(), or empty.
class TrialLog {
 public:
  virtual ~TrialLog() = default;
  virtual void step(search::TrialId trial, TrialState state, std::uint32_t attempt,
                    std::string_view device, std::string_view detail) = 0;
};

// The mechanism under every plan: brings trials to their end. It builds what they need, each thing
// once and ahead of the devices, lets equal machine code be measured once, queues what is ready,
// makes the jobs, and repeats what deserves another attempt. It decides nothing: which trials there
// are, and which of those that wait a device takes, is said by its caller.
//
//   submit -> (build of reference, baseline, candidate) -> equal code? -> waits for a device
//     -> start_evaluation -> ended -> again, or an end
//
// Ends are collected, in the order in which they happened, until take_ends().
class TrialRunner {
 public:
  struct Parts {
    const search::Problem& problem;
    const search::Scoring& scoring;
    JobPlaces& pool;
    const Clock& clock;
    TrialLog& log;
  };
  explicit TrialRunner(const Parts& parts);

  void submit(TrialOrder order);
  // Explorations that no device has begun are dropped without an end; returns how many.
  std::size_t abandon_explorations();
  // The device left: what only it could have evaluated ends as DeviceLost.
  void withdraw(DeviceIndex device, const std::string& reason);
  // The same of what waits now, while the device is away.
  void recall(DeviceIndex device, const std::string& reason);

  // Starts the first trial of the first of these kinds that the device may take; a suspect
  // (retry.h) where explorations are among them and nothing else waits, and nothing beside it on
  // its node. One that runs died with is built then, and both with nothing beside it at all. Needs
  // can_measure() or can_queue(). `terms` are for explorations. The trial that was started, or null
  // where none waits.
  const ProposedTrial* start_evaluation(DeviceIndex device, std::span<const search::JobKind> kinds,
                                        const EvaluationTerms& terms);
  // What the device is at, or null. What is queued behind it begins when it ends.
  const ProposedTrial* at_work(DeviceIndex device) const;
  // Starts builds while the pool has room for them. `needed`: how long those of the baseline and the
  // reference may take.
  void start_builds(const Patience& needed = {});
  void ended(const JobEnded& end);
  std::vector<TrialEnd> take_ends() { return std::exchange(ends_, {}); }

  // A trial that was measured: those with equal machine code end as Skipped from now on, and one
  // that was built ahead of it and waits for a device.
  void speaks_for(const std::string& artifact, search::TrialId trial);
  // The same of the baseline where nothing is built: the configuration that it stands for.
  void baseline_speaks(search::TrialId trial) {
    if (!baseline_trial_) baseline_trial_ = trial;
  }
  // The artifact of this configuration (nullopt: the baseline) is not needed any more.
  void forget(std::optional<search::ConfigurationIndex> index) { builds_.forget(key_of(index)); }
  const std::optional<FailedBuild>& failed_build() const { return failed_build_; }

  // Machine code that stands in the artifact folder already, by its hash: what has this index, and
  // the reference, or the baseline where the problem has none. It is never built.
  void give(search::ConfigurationIndex index, const std::string& hash) {
    builds_.give(key_of(index), {hash, 0});
  }
  void give_reference(const std::string& hash) { builds_.give(reference_key(), {hash, 0}); }
  // Hash; empty where it is not there.
  std::string reference_artifact() const;

  bool idle() const { return live_.empty(); }
  bool is_evaluating() const { return evaluating_ > 0; }
  std::size_t evaluating() const { return evaluating_; }
  std::size_t building() const { return builds_.running(); }
  std::size_t to_build() const { return builds_.running() + builds_.waiting(); }
  std::size_t ready() const { return queue_.size(); }
  // A device is at an exploration, or one waits for a device.
  bool explores() const;
  std::size_t suspects() const { return suspects_; }  // that have no end yet

 private:
  struct LiveTrial {
    TrialOrder order;
    std::uint32_t attempt = 1;
    std::uint32_t losses = 0;  // attempts that ended with their device
    std::uint32_t build_losses = 0;
    bool suspect = false;
    bool ended_runs = false;  // a suspect that is alone in the whole study, and its build as well
    bool wants_fresh_process = false;
    std::string artifact, reference;  // hashes
    std::set<std::string> rebuilt;    // of these, as they were gone or damaged
    double build_seconds = 0;
    double started = 0, last_started = 0;  // Unix seconds
    std::optional<DeviceIndex> evaluated_on;
    bool evaluating = false;
    Patience patience;  // of the evaluation in hand
  };

  static BuildKey key_of(std::optional<search::ConfigurationIndex> index);
  BuildKey reference_key() const;
  std::optional<BuildKey> missing_build(const LiveTrial& trial) const;
  void submit_again(LiveTrial& trial);
  void suspect(LiveTrial& trial, bool ended_runs);
  void acquit(const LiveTrial& trial);
  void begin(LiveTrial& trial, DeviceIndex device);
  void leave(const JobEnded& end);
  void put_back(const JobEnded& end);
  void prepare(search::TrialId id);
  void make_ready(const LiveTrial& trial, bool came_back = false);
  std::optional<search::TrialId> take(DeviceIndex device, std::span<const search::JobKind> kinds);
  bool build_anew(LiveTrial& trial, const JobEnded& end, const std::string& device);
  void again(LiveTrial& trial, Retry how, const search::TrialOutcome& outcome,
             const std::string& device);
  std::optional<search::TrialId> take_suspect(DeviceIndex device);
  bool measures_beside(DeviceIndex device, bool suspects_alone) const;
  bool may_build() const;
  void explain_end(const JobEnded& end, search::TrialOutcome& outcome) const;
  Job job_of(LiveTrial& trial, DeviceIndex device, const EvaluationTerms& terms);
  bool is_doubted(const ProposedTrial& trial);  // of search::Trust::kNone
  static bool is_by_left(const LiveTrial& trial, const search::TrialOutcome& outcome);
  bool ran_out_of_budget(const LiveTrial& trial, search::TrialOutcome& outcome) const;
  void evaluated(const JobEnded& end);
  void built(const JobEnded& end);
  void build_failed(const JobEnded& end);
  void drop_build(search::TrialId requester);
  bool has_equal_code(const LiveTrial& trial);
  bool is_baseline_again(const LiveTrial& trial);
  void end(search::TrialId id, search::TrialReport report, bool fresh_process = false);
  void end_as_equal(search::TrialId id, search::TrialId owner);
  void release_twins(const LiveTrial& owner, const search::TrialOutcome& outcome);
  std::string device_key(DeviceIndex device) const;

  Parts parts_;
  bool builds_needed_;
  base::Rng lot_;                  // of what is doubted; no result depends on it
  std::set<std::string> doubted_;  // configurations
  // Where nothing is built and the baseline is a point of the space: which.
  std::optional<search::Configuration> baseline_point_;
  std::optional<search::TrialId> baseline_trial_;  // the first that was measured
  BuildQueue builds_;
  std::map<search::TrialId, Patience> with_builds_;  // of those that run, by who asked first
  double slowest_build_ = 0;                         // seconds, of a candidate
  TrialQueue queue_;
  std::unordered_map<search::TrialId, LiveTrial> live_;
  // Evaluations by device: the one that it is at, and the one that is queued behind it.
  std::map<DeviceIndex, std::vector<search::TrialId>> in_hand_;
  std::unordered_map<std::string, search::TrialId> owners_;        // of artifacts, measured
  std::unordered_map<std::string, search::TrialId> live_owners_;   // on their way
  std::map<search::TrialId, std::vector<search::TrialId>> twins_;  // that wait for their owner
  std::set<std::string> withdrawn_;                                // devices, by key
  std::optional<FailedBuild> failed_build_;
  std::vector<TrialEnd> ends_;
  std::size_t evaluating_ = 0;
  std::size_t suspects_ = 0;          // among live_
  std::size_t suspects_of_runs_ = 0;  // of these, those that ended runs
  std::optional<search::TrialId> built_alone_;
};

}  // namespace nightshift::scheduler
