#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/journal/journal.h"
#include "search/configuration.h"
#include "search/id.h"

namespace nightshift::scheduler {

// Equal machine code is measured once: which trial speaks for others with the same artifact. The
// first on its way speaks for those that come after it, which wait until it has an end; once it was
// measured it speaks for all that are to come.
class EqualCode {
 public:
  // `baseline_point`: where nothing is built, the configuration that the baseline is. Without
  // machine code to compare the same program with the same arguments is the same.
  explicit EqualCode(std::optional<search::Configuration> baseline_point = {})
      : baseline_point_(std::move(baseline_point)) {}

  // Returns another trial with that artifact that is on its way; nullopt where there is none.
  std::optional<search::TrialId> measured(const std::string& artifact, search::TrialId trial);
  void baseline_measured(search::TrialId trial) {
    if (!baseline_trial_) baseline_trial_ = trial;
  }

  struct Standing {
    std::optional<search::TrialId> spoken_for;  // by a trial that was measured
    bool waits = false;                         // for one on its way
    bool is_alone() const { return !spoken_for && !waits; }
  };
  // A trial with that artifact is on its way.
  Standing enter(const std::string& artifact, search::TrialId trial);
  // The measured baseline that this exploration is once more.
  std::optional<search::TrialId> baseline_of(const ProposedTrial& trial) const;

  // It is not on its way any more: those that waited for it.
  std::vector<search::TrialId> leave(const std::string& artifact, search::TrialId trial);
  // Of those that wait none is left.
  void forget_waiting() { waiting_.clear(); }

 private:
  std::optional<search::Configuration> baseline_point_;
  std::optional<search::TrialId> baseline_trial_;              // the first that was measured
  std::unordered_map<std::string, search::TrialId> measured_;  // by artifact
  std::unordered_map<std::string, search::TrialId> under_way_;
  std::map<search::TrialId, std::vector<search::TrialId>> waiting_;  // for whom
};

}  // namespace nightshift::scheduler
