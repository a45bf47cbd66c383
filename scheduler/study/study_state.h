#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "scheduler/confirmation/confirmation_planner.h"
#include "scheduler/confirmation/front_scores.h"
#include "scheduler/journal/history.h"
#include "scheduler/journal/journal.h"
#include "scheduler/study/time/budget.h"
#include "scheduler/trials/baselines.h"
#include "search/acceptance/prospect.h"
#include "search/acceptance/screening.h"
#include "search/figures/left_running.h"
#include "search/parameter_space.h"
#include "search/problem.h"
#include "search/searcher.h"

namespace nightshift::scheduler {

// What a study knows: a fold over its events. The plan feeds it the events as they happen, or those
// of the journal when a study is resumed; both reach the same state because nothing else changes
// it: no clock, no pool, no chance. Only a device that leaves, explorations that are left to a
// later run and a confirmation that nobody waits for any more are told from outside.
class StudyState {
 public:
  // All of it outlives the state.
  StudyState(const search::Problem& problem, const search::ParameterSpace& space);

  // --- The events ---
  void proposed(const ProposedTrial& trial);
  // What the searcher is to be told; nullopt where it is no exploration.
  std::optional<search::Observation> finished(const ProposedTrial& trial,
                                              const FinishedTrial& result);
  void opened(const ConfirmationSetup& setup, double run_seconds);
  void concluded(const ConfirmationVerdict& verdict);

  // --- Confirmations ---
  std::optional<ConfirmationSetup> due(const Situation& situation) {
    return confirmations_.due(situation);
  }
  ConfirmationPlanner& confirmations() { return confirmations_; }
  const ConfirmationPlanner& confirmations() const { return confirmations_; }
  // What is believed of an explored candidate's gain over the incumbent: its score drawn towards
  // the mean of all, and the pairs of its duel where one is open.
  search::Prospect prospect(search::TrialId candidate) const;
  // Differences within pairs scatter by so much: as in its duel, else as baselines do; 0 where
  // nothing is known.
  double pair_sd(search::TrialId candidate) const;
  // A duel of which exploration promised a landslide by far when it was opened.
  bool is_by_far(search::ConfirmationId duel) const { return by_far_.contains(duel.value); }
  // What an arm of the confirmation measures; nullopt = the baseline.
  std::optional<search::ConfigurationIndex> index_of(const ConfirmationSetup& setup, Arm arm) const;

  // --- What is known ---
  search::TrialId next_trial() const { return {last_trial_ + 1}; }
  bool was_proposed(search::ConfigurationIndex index) const { return asked_.contains(index); }
  // Its exploration; nullopt where there is none.
  std::optional<search::TrialId> trial_of(search::ConfigurationIndex index) const;
  // Of a finishing round, and not finished.
  bool is_simplifying(search::TrialId trial) const;
  // The trial that spoke for it, since its machine code is the same.
  std::optional<search::TrialId> twin_of(search::TrialId trial) const;
  // Of the logarithm of a score.
  double error_of(const search::Score& score) const;
  std::optional<search::Score> score_of(search::TrialId trial) const;
  std::optional<search::ConfigurationIndex> index_of(search::TrialId trial) const;
  std::optional<search::ConfigurationIndex> incumbent() const;
  const Baselines& baselines() const { return baselines_; }
  // What any baseline left running behind its end.
  const search::ProcessNames& left_by_baselines() const { return left_by_baselines_; }
  // Without points where a single objective is sought.
  const FrontScores& front() const { return front_; }
  // The device left the study.
  void expire(const std::string& device) { baselines_.expire(device); }
  // Cost of the best figures that are known for this device, in the unit of the primary objective
  // and oriented so that lower is better; 0 where several objectives count, or nothing is known.
  double best_cost(const std::string& device) const;
  // So many of those that are outstanding are left to a later run.
  void abandoned(std::uint64_t explorations) {
    outstanding_ -= std::min(outstanding_, explorations);
  }
  std::uint64_t outstanding() const { return outstanding_; }  // asked, not finished
  std::uint64_t evaluations() const { return evaluations_; }  // unique configurations finished
  // As many as there were when a duel was won last; 0: none was.
  std::uint64_t evaluations_at_gain() const { return evaluations_at_gain_; }
  Usage usage(double seconds) const;
  // What a trial took on its device, on average.
  double mean_seconds() const { return timed_ > 0 ? measured_seconds_ / timed_ : 0; }
  // Of the time that the devices measured, how much went into duels, as if `further` seconds of
  // duels had been measured too; 0 where none was measured yet.
  double duel_share(double further = 0) const {
    const double all = measured_seconds_ + further;
    return all > 0 ? (duel_seconds_ + further) / all : 0;
  }

  double finishing_seconds() const { return finishing_seconds_; }  // over all devices

 private:
  struct Known {  // about a finished or proposed trial
    search::JobKind job = search::JobKind::kExplore;
    std::optional<search::ConfigurationIndex> index;
    std::optional<search::Score> score;
    std::optional<search::Figures> figures;  // of an exploration until its score is settled
    double at = 0;                           // Unix seconds, in the middle of its measurement
    std::vector<search::Score> objectives;   // where several are sought
    search::TrialId twin = {};               // see twin_of()
    bool is_simplifying = false;
  };
  std::optional<search::Figures> figures_of(const FinishedTrial& result) const;
  std::vector<search::Score> objectives_of(const ProposedTrial& trial,
                                           const FinishedTrial& result) const;
  search::Observation explored(const ProposedTrial& trial, const FinishedTrial& result);
  search::Observation simplified(const FinishedTrial& result) const;
  void confirmed(const ProposedTrial& trial, const FinishedTrial& result);
  bool promises_by_far(const ConfirmationSetup& setup) const;
  void count_time(const ProposedTrial& trial, const FinishedTrial& result);
  void baseline_measured(const FinishedTrial& result);
  search::Shrunken screened(const search::Score& score) const;  // the logarithm

  const search::Problem& problem_;
  const search::ParameterSpace& space_;
  Baselines baselines_;
  search::ProcessNames left_by_baselines_;
  ConfirmationPlanner confirmations_;
  FrontScores front_;
  std::unordered_set<std::uint64_t> by_far_;  // duels
  search::Screening screening_;
  // Explorations on a device since its last baseline: the next one settles their scores.
  std::unordered_map<std::string, std::vector<search::TrialId>> unsettled_;
  std::uint64_t last_trial_ = 0;
  std::vector<Known> known_;  // by trial id - 1
  std::unordered_map<search::ConfigurationIndex, search::TrialId> asked_;
  std::uint64_t outstanding_ = 0, evaluations_ = 0, stalled_ = 0, evaluations_at_gain_ = 0;
  std::optional<double> best_score_;
  double simulated_ = 0;  // seconds
  // Over all devices; simulated for recordings.
  double measured_seconds_ = 0, duel_seconds_ = 0, finishing_seconds_ = 0;
  double timed_ = 0;  // trials that they are of
};

}  // namespace nightshift::scheduler
