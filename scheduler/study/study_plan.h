#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/journal/history.h"
#include "scheduler/study/duel_time.h"
#include "scheduler/study/exploration.h"
#include "scheduler/study/finishing.h"
#include "scheduler/study/front_rounds.h"
#include "scheduler/study/lookahead.h"
#include "scheduler/study/proposals.h"
#include "scheduler/study/study_devices.h"
#include "scheduler/study/study_event.h"
#include "scheduler/study/study_state.h"
#include "scheduler/study/study_step.h"
#include "scheduler/study/time/study_patience.h"
#include "scheduler/study/time/study_time.h"
#include "scheduler/trials/trial_runner.h"
#include "search/parameter_space.h"
#include "search/problem.h"
#include "search/searcher.h"

namespace nightshift::scheduler {

// What a study does next: a policy over what StudyState knows, without a pool, a journal or a
// clock. In this order:
//
//   verdicts       of complete confirmations, and the confirmation that is due (see DuelTime and,
//                  for what comes last, FrontRounds)
//   baselines      the first job on every device, and again when DeviceCare wants it
//   evaluations    of the open confirmation, one for each free device
//   explorations   what the searcher proposes, as many as Lookahead wants under way, while
//                  Exploration goes on
//
// A step is carried out, and told of, before the next one is asked for:
//
//   plan.begin_turn(moment);
//   while (auto step = plan.next()) ...      // what it makes happen goes to apply()
class StudyPlan {
 public:
  using Propose = study_step::Propose;
  using Open = study_step::Open;
  using Conclude = study_step::Conclude;
  using Step = StudyStep;

  // All of it outlives the plan.
  StudyPlan(const search::Problem& problem, const search::ParameterSpace& space,
            search::Searcher& searcher);

  // --- What happens ---
  // Devices are numbered in the order in which they are added.
  void add_device(const std::string& key, const std::string& kind = "");
  void lose_device(DeviceIndex device);
  // It cannot be reached for now. Confirmations on it are undecided, as on one that is lost.
  void device_away(DeviceIndex device);
  // It is back, or in a batch its access changes. Devices that are not owned may be borrowed for
  // confirmations: wants_guest() says when.
  DeviceCare& care() { return devices_.care(); }
  const DeviceCare& care() const { return devices_.care(); }
  // While it owns no device its first configurations are built, before any baseline was measured.
  void build_ahead();
  // The budget of time from now on, in seconds of all runs.
  void limit_time(double seconds);
  void apply(const StudyEvent& event);
  // How the trial counts: its score and what it means for the limits. Takes report and artifact.
  FinishedTrial judged(TrialEnd&& end) const;
  // After its TrialFinished, in this run: what it says about the device that evaluated it. True
  // where the device's baseline has moved for good: it is measured again before anything else runs
  // there.
  bool evaluated(const ProposedTrial& trial, const FinishedTrial& result, DeviceIndex device,
                 bool is_first_of_process, Clock::TimePoint now);
  // An event of an earlier run happens again: the searcher is asked as it was then. Throws
  // StudyError where the space has lost a journaled configuration.
  void repeat(const StudyEvent& event);
  // After the last of them. Returns what is to be remarked about it; empty for nothing.
  std::string take_up(const History& history);
  // Trials of the earlier run that were in flight, with their present index. Their order has the
  // seed that they would have had. A recording ends no run: of these no deaths are counted.
  std::vector<TrialOrder> take_unfinished() { return std::exchange(unfinished_, {}); }
  // From now on nothing is explored; duels and the hold-out have `seconds`, or what is left of the
  // budget of time where that is less.
  void wind_up(double elapsed, double seconds);
  bool winds_up() const { return time_.winds_up(); }
  Exploration& exploration() { return exploration_; }
  const Exploration& exploration() const { return exploration_; }
  // Of the explorations that wait, so many are left to a later run.
  void abandoned(std::size_t explorations) { state_.abandoned(explorations); }
  // Of the confirmation that the earlier run left open these devices take part in this one.
  void keep_devices(const std::vector<std::string>& keys);

  // --- What comes next ---
  void begin_turn(const Moment& moment);
  std::optional<Step> next();

  // The kinds of trials that the device may begin now, the most urgent first.
  std::vector<search::JobKind> may_begin(DeviceIndex device) const;
  // The device is far away, and is to have its next exploration before the one in hand has ended:
  // nothing else is due there.
  bool looks_ahead(DeviceIndex device) const;
  // Of builds of the baseline and the reference that begin now.
  Patience patience_with_needed_builds() const {
    return patience_.of_needed_build(moment_.elapsed);
  }
  // Of evaluations that begin on that device now.
  EvaluationTerms terms_for(DeviceIndex device) const;
  // Explorations that wait for a device are not measured any more.
  bool explorations_are_over(double elapsed) const;
  // More configurations are to come, or on their way.
  bool still_explores() const;
  // Nothing more is to be decided once all that was begun has ended.
  bool is_settled() const;
  StudyTime::Least least() const;  // as far as its baselines tell
  // Whether the artifact of this explored trial will be needed by a confirmation.
  bool needs_artifact(search::TrialId trial) const { return state_.confirmations().awaits(trial); }

  // The open confirmation takes place on this device too, which is not owned.
  bool wants_guest(DeviceIndex device) const;
  // Neither its baseline nor its part of a confirmation is open: it can be taken back once it is
  // free.
  bool can_spare(DeviceIndex device) const;
  // Why nothing more is ever accepted, with these devices, although there are candidates or more of
  // them are to come; empty where something may be.
  std::string why_never() const;
  const StudyState& state() const { return state_; }

 private:
  void on(const TrialProposed& proposed);
  void on(const TrialFinished& finished);  // tells the searcher
  void on(const ConfirmationOpened& opened) { state_.opened(opened.setup, opened.run_seconds); }
  void on(const ConfirmationConcluded& concluded);

  enum class Stage : std::uint8_t { kSettle, kBaselines, kEvaluations, kAsk };

  std::optional<Step> settle();
  void end_in_time(Confirmation& confirmation);
  bool hands_over() const;  // see Situation
  double gain_of(search::TrialId candidate) const { return state_.prospect(candidate).gain; }
  static Step conclude(const Confirmation& confirmation);
  std::optional<Step> next_baseline();
  std::optional<Step> next_evaluation();
  bool duel_waits() const;
  bool is_evaluating(const std::string& key) const;
  bool is_far(DeviceIndex device) const;
  // Devices have had no exploration for a while, and builds are what they wait for: a duel then takes
  // nothing from the search.
  bool builds_stall() const;
  std::optional<Step> next_exploration();
  std::optional<Step> next_simplification();
  Finishing::Step finishing_step() const;
  FrontRounds::Now front_now() const;
  Propose propose(ProposedTrial trial, bool fresh = false, std::optional<Purpose> of = {}) const;
  int samples_of(const ProposedTrial& trial) const;  // see TrialOrder

  Situation situation() const;
  // It has no device for now, and goes on once one is back or, in a batch, is lent to it.
  bool awaits_device() const;
  bool has_work() const;  // for devices, besides baselines
  bool confirms_on(DeviceIndex device) const;
  std::vector<std::string> devices_for_confirmations() const {
    return devices_.for_confirmations(time_.affordable_guests());
  }
  bool exploring() const { return exploration_.goes_on(moment_.elapsed); }
  DuelTime::Now duel_time() const;
  void weigh(Confirmation& duel);  // that rests: is it given up, or set aside?
  int outstanding_limit() const;

  const search::Problem& problem_;
  const search::ParameterSpace& space_;
  Proposals proposals_;
  StudyTime time_;
  StudyPatience patience_;
  StudyState state_;
  StudyDevices devices_;
  DuelTime duel_time_;
  Finishing finishing_;
  FrontRounds front_rounds_;
  Exploration exploration_;
  Lookahead lookahead_;
  bool builds_needed_;
  bool builds_ahead_ = false;
  bool recorded_;

  Moment moment_;
  std::optional<Clock::TimePoint> explored_at_;  // last, or when the first turn began
  Stage stage_ = Stage::kSettle;
  DeviceIndex device_ = 0;  // the stage's next

  std::unordered_map<search::TrialId, std::string> evaluating_;  // of a confirmation, their devices
  std::vector<TrialOrder> unfinished_;                           // of an earlier run
};

}  // namespace nightshift::scheduler
