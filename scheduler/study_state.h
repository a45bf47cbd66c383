#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "scheduler/baselines.h"
#include "scheduler/budget.h"
#include "scheduler/confirmation.h"
#include "scheduler/history.h"
#include "scheduler/journal.h"
#include "scheduler/observer.h"
#include "search/parameter_space.h"
#include "search/problem.h"
#include "search/searcher.h"

namespace nightshift::scheduler {

// What a study knows: a fold over its events. The tuner feeds it the events as they happen, a
// resumed tuner the journal's; both reach the same state because nothing else changes it: no clock,
// no pool, no chance.
class StudyState {
 public:
  // All of it outlives the state.
  StudyState(const search::Problem& problem, const search::ParameterSpace& space,
             search::Searcher& searcher);

  // --- The events ---
  void proposed(const ProposedTrial& trial);
  void finished(const ProposedTrial& trial, const FinishedTrial& result);
  void concluded(const ConfirmationVerdict& verdict);

  // --- Confirmations ---
  // Devices that may take part, in order; set when it changes.
  void set_devices(std::vector<std::string> keys) { devices_ = std::move(keys); }
  // A candidate waits that still beats the incumbent by enough, and none is being confirmed.
  bool confirmation_due();
  // Starts to confirm the best candidate that waits. Needs confirmation_due().
  void open_confirmation();
  Confirmation* confirmation() { return confirmation_.get(); }
  bool awaits_confirmation(search::TrialId candidate) const;

  // --- What is known ---
  search::TrialId next_trial() const { return {last_trial_ + 1}; }
  bool was_proposed(search::ConfigurationIndex index) const { return asked_.contains(index); }
  // The trial that speaks for this artifact, once it finished.
  std::optional<search::TrialId> owner_of(const std::string& artifact) const;
  std::optional<search::Score> score_of(search::TrialId trial) const;
  std::optional<search::ConfigurationIndex> index_of(search::TrialId trial) const;
  std::optional<search::ConfigurationIndex> incumbent() const;
  const Baselines& baselines() const { return baselines_; }
  const StudyStatus& status() const { return status_; }
  StudyStatus& status() { return status_; }
  Usage usage(double seconds) const;

 private:
  struct Known {  // about a finished or proposed trial
    search::JobKind job = search::JobKind::kExplore;
    std::optional<search::ConfigurationIndex> index;
    std::optional<search::Score> score;
    std::vector<search::Score> objectives;  // where several are sought
  };
  std::optional<search::Figures> figures_of(const FinishedTrial& result) const;
  std::vector<search::Score> objectives_of(const ProposedTrial& trial,
                                           const FinishedTrial& result) const;
  void explored(const ProposedTrial& trial, const FinishedTrial& result);
  void confirmed(const ProposedTrial& trial, const FinishedTrial& result);
  void open(search::TrialId candidate, search::ConfirmationId id);
  double worth_confirming() const;  // a score below this is

  const search::Problem& problem_;
  const search::ParameterSpace& space_;
  search::Searcher& searcher_;
  Baselines baselines_;
  StudyStatus status_;
  std::vector<std::string> devices_;
  std::uint64_t last_trial_ = 0;
  std::vector<Known> known_;  // by trial id - 1
  std::unordered_set<search::ConfigurationIndex> asked_;
  std::unordered_map<std::string, search::TrialId> owners_;
  std::set<std::pair<double, search::TrialId>> waiting_;  // candidates by score
  std::unique_ptr<Confirmation> confirmation_;
  std::uint64_t last_confirmation_ = 0;
  std::optional<search::TrialId> incumbent_;
  double incumbent_ratio_ = 1;
  std::uint64_t stalled_ = 0;
};

}  // namespace nightshift::scheduler
