#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/study/build_queue.h"
#include "scheduler/study/device_care.h"
#include "scheduler/study/lookahead.h"
#include "scheduler/study/study_state.h"
#include "scheduler/study/trial_queue.h"
#include "scheduler/tuner.h"

namespace nightshift::scheduler {

// The tuner's own files share this. StudyState knows what is true of the study; this knows what is
// on its way right now: trials in hand, builds, devices. It has three parts:
//   tuner.cc        the loop, its end, resuming
//   tuner_fill.cc   fills free places: baselines, evaluations, proposals, builds, measurements
//   tuner_fold.cc   folds events in: builds and measurements that ended, retries, verdicts
class Tuner::Impl {
 public:
  explicit Impl(const TunerParts& parts);
  void resume(const History& history);
  StudyEnd run();

 private:
  // A trial between its proposal and its end.
  struct LiveTrial {
    ProposedTrial proposed;
    std::uint32_t attempt = 1;
    bool wants_fresh_process = false;
    ipc::Artifact artifact;
    std::string reference;  // path of the reference's artifact
    double build_seconds = 0;
    double started = 0;  // Unix seconds
    std::optional<DeviceIndex> measuring_on;
  };

  // --- tuner.cc ---
  void announce();
  void requeue_unfinished();
  StudyEnd loop();
  bool finished();
  std::string why_finished() const;
  Clock::TimePoint next_deadline() const;
  double run_seconds() const;  // of this run
  double elapsed() const;      // of all runs
  void publish();              // status to the observer, when it is due
  void remark(const std::string& what, const std::string& text);
  ProposedTrial placed(ProposedTrial trial) const;  // with its index in the present space
  void replay_ask(search::ConfigurationIndex journaled);

  // --- tuner_fill.cc ---
  void fill();
  void settle();  // verdicts of complete confirmations, opening of due ones
  void open(const ConfirmationSetup& setup);
  Situation situation() const;
  bool awaits_baseline() const;
  bool still_explores() const;  // configurations are to come, or on their way
  bool duels_had_their_share() const;
  bool has_evaluations() const;  // of a confirmation, waiting or under way
  bool time_is_up() const;
  int hold_out_evaluations() const;
  int final_evaluations() const;
  double seconds_for(int evaluations) const;
  bool time_for(int evaluations) const;
  Usage usage_with_final_evaluations() const;
  search::Configuration candidate_of(const ConfirmationSetup& setup) const;
  void abandon_unmeasured();
  void plan_baselines();
  bool starts_process(const Evaluation& evaluation, Purpose purpose) const;
  void plan_evaluations();
  void ask();
  std::optional<search::ConfigurationIndex> next_proposal();
  bool exploring() const;
  void start_builds();
  void start_measurements();
  std::optional<search::TrialId> take_for(DeviceIndex device);
  LiveTrial& propose(ProposedTrial trial);
  void prepare(search::TrialId id);
  void make_ready(LiveTrial& trial);
  std::uint64_t seed_of(const ProposedTrial& trial) const;  // of its inputs and resampling
  void measure(LiveTrial& trial, DeviceIndex device);
  std::optional<BuildKey> missing_build(const LiveTrial& trial) const;
  BuildKey reference_key() const;
  BuildKey own_key(const ProposedTrial& trial) const;
  int outstanding_limit() const;

  // --- tuner_fold.cc ---
  void handle(const PoolEvent& event);
  void on(const Nothing&) {}
  void on(const MeasureDone& done);
  void on(const BuildDone& done);
  void on(const DeviceFailed& failed);
  void on(const DeviceJoined& joined);
  void on(const Interrupted& interrupted);
  void on(const Notice& notice) { remark(std::string(kNoticeRemark), notice.text); }
  void drop_build(search::TrialId requester);
  void build_failed(const BuildDone& done, const search::TrialOutcome& outcome);
  bool speaks_for(LiveTrial& trial);
  void finish(search::TrialId id, search::TrialReport report, const std::string& device);
  void finish_as_twin(search::TrialId id, search::TrialId owner);
  void release_twins(const LiveTrial& owner, const search::TrialOutcome& outcome);
  void baseline_failed(DeviceIndex device, const search::TrialOutcome& outcome);
  void quarantine(DeviceIndex device, const std::string& reason);
  void conclude();
  void watch_level(DeviceIndex device);  // for drift, after a baseline

  TunerParts parts_;
  StudyState state_;
  DeviceCare care_;
  TrialQueue queue_;
  Lookahead lookahead_;
  BuildQueue builds_;
  std::unordered_map<search::TrialId, LiveTrial> live_;
  std::unordered_map<std::string, search::TrialId> live_owners_;   // of artifacts
  std::map<search::TrialId, std::vector<search::TrialId>> twins_;  // that wait for their owner
  std::vector<ProposedTrial> unfinished_;                          // of an earlier run
  std::vector<std::string> quarantine_reasons_;
  bool builds_needed_;
  bool recorded_;
  bool searcher_exhausted_ = false;
  bool searcher_follows_ = true;  // the replayed searcher proposed what the journal says
  std::vector<search::ConfigurationIndex> unplaced_;  // that it proposed instead
  int interrupts_ = 0;
  std::size_t measuring_ = 0;
  double evaluation_seconds_ = 0;  // of `evaluations_` baselines and evaluations of confirmations
  std::uint64_t evaluations_ = 0;
  double earlier_seconds_ = 0;
  Clock::TimePoint began_, last_tick_, last_status_, grace_end_;
};

}  // namespace nightshift::scheduler
