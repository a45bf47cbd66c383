#pragma once

#include <optional>
#include <vector>

#include "scheduler/journal/journal.h"
#include "scheduler/study/study_state.h"
#include "search/parameter_space.h"
#include "search/searcher.h"

namespace nightshift::scheduler {

// What the searcher proposes, in a space that may have been numbered otherwise when an earlier run of
// the study asked it.
class Proposals {
 public:
  // Both outlive it.
  Proposals(const search::ParameterSpace& space, search::Searcher& searcher)
      : space_(space), searcher_(searcher) {}

  // What the study has not had yet; nullopt: the searcher has nothing for now.
  std::optional<search::ConfigurationIndex> next(const StudyState& state);
  void tell(search::ConfigurationIndex index, const search::Observation& observation) {
    searcher_.tell(index, observation);
  }

  // --- An earlier run ---
  // The journal's configuration is what counts: the trial with the index that this space gives it.
  // Throws StudyError where it has none any more.
  ProposedTrial placed(ProposedTrial trial) const;
  // The searcher is asked once more what it proposed then.
  void repeat(search::ConfigurationIndex journaled);
  // So far it proposed what the journal says.
  bool is_as_journaled() const { return is_as_journaled_; }

 private:
  const search::ParameterSpace& space_;
  search::Searcher& searcher_;
  bool is_as_journaled_ = true;
  std::vector<search::ConfigurationIndex> unplaced_;  // that it proposed instead
};

}  // namespace nightshift::scheduler
