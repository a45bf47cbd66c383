#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/journal/journal.h"
#include "scheduler/trials/build_patience.h"
#include "scheduler/trials/build_queue.h"
#include "scheduler/trials/doubts.h"
#include "scheduler/trials/equal_code.h"
#include "scheduler/trials/live_trial.h"
#include "scheduler/trials/report_check.h"
#include "scheduler/trials/retry.h"
#include "scheduler/trials/suspects.h"
#include "scheduler/trials/trial_end.h"
#include "scheduler/trials/trial_log.h"
#include "scheduler/trials/trial_order.h"
#include "scheduler/trials/trial_queue.h"
#include "scheduler/trials/work_in_hand.h"
#include "scheduler/worker_pool.h"
#include "search/problem.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

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
  // Starts builds while the pool has room. `needed`: what those of baseline and reference may take.
  void start_builds(const Patience& needed = {});
  // What is in hand now counts for nothing, for that reason, and is done again (retry.h).
  void disturb(const std::string& why);
  void ended(const JobEnded& end);  // throws NoRoomError
  std::vector<TrialEnd> take_ends() { return std::exchange(ends_, {}); }

  // A trial that was measured: those with equal machine code end as Skipped from now on, and one
  // that was built ahead of it and waits for a device.
  void speaks_for(const std::string& artifact, search::TrialId trial);
  // The same of the baseline where nothing is built: the configuration that it stands for.
  void baseline_speaks(search::TrialId trial) { equal_code_.baseline_measured(trial); }
  // The artifact of this configuration (nullopt: the baseline) is not needed any more.
  void forget(std::optional<search::ConfigurationIndex> index) { builds_.forget(key_of(index)); }
  const std::optional<FailedBuild>& failed_build() const { return failed_build_; }

  // Machine code that stands in the artifact folder already, by its hash: what has this index, and
  // the reference, or the baseline where the problem has none. It is never built.
  void give(search::ConfigurationIndex index, const std::string& hash) {
    builds_.give(key_of(index), {hash, 0});
  }
  void give_reference(const std::string& hash) { builds_.give(reference_key(), {hash, 0}); }
  std::string reference_artifact() const;  // hash; empty where it is not there

  bool idle() const { return live_.empty(); }
  bool is_evaluating() const { return evaluating() > 0; }
  std::size_t evaluating() const { return in_hand_.count(); }
  std::size_t building() const { return builds_.running(); }
  std::size_t to_build() const { return builds_.running() + builds_.waiting(); }
  std::size_t ready() const { return queue_.size(); }
  // A device is at an exploration, or one waits for a device.
  bool explores() const;
  std::size_t suspects() const { return suspects_.count(); }  // that have no end yet

 private:
  static BuildKey key_of(std::optional<search::ConfigurationIndex> index);
  BuildKey reference_key() const;
  std::optional<BuildKey> missing_build(const LiveTrial& trial) const;
  void submit_again(LiveTrial& trial);
  void begin(LiveTrial& trial, DeviceIndex device);
  void leave(LiveTrial& trial, DeviceIndex device);
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
  Job job_of(LiveTrial& trial, DeviceIndex device, const EvaluationTerms& terms);
  static bool is_by_left(const LiveTrial& trial, const search::TrialOutcome& outcome);
  bool ran_out_of_budget(const LiveTrial& trial, search::TrialOutcome& outcome) const;
  void evaluated(const JobEnded& end);
  void built(const JobEnded& end);
  void not_built(const JobEnded& end);
  void drop_build(search::TrialId requester);
  bool has_equal_code(const LiveTrial& trial);
  void end(search::TrialId id, search::TrialReport report, bool fresh_process = false);
  void end_as_equal(search::TrialId id, search::TrialId owner);
  void release_twins(const LiveTrial& owner, const search::TrialOutcome& outcome);
  std::string device_key(DeviceIndex device) const;

  Parts parts_;
  bool builds_needed_;
  Doubts doubts_;
  ToldUnits told_units_;
  EqualCode equal_code_;
  BuildQueue builds_;
  BuildPatience with_builds_;
  TrialQueue queue_;
  std::unordered_map<search::TrialId, LiveTrial> live_;
  WorkInHand in_hand_;
  std::set<std::string> withdrawn_;  // devices, by key
  std::optional<FailedBuild> failed_build_;
  std::vector<TrialEnd> ends_;
  Suspects suspects_;  // among live_
};

}  // namespace nightshift::scheduler
