#include "scheduler/study/proposals.h"

#include <fmt/format.h>

#include <utility>

#include "scheduler/errors.h"

namespace nightshift::scheduler {

std::optional<search::ConfigurationIndex> Proposals::next(const StudyState& state) {
  while (true) {
    const auto proposals = unplaced_.empty() ? searcher_.ask(1) : std::exchange(unplaced_, {});
    if (proposals.empty()) return std::nullopt;
    // Only a searcher that took over from another proposes what was proposed before.
    if (!state.was_proposed(proposals.front())) return proposals.front();
  }
}

ProposedTrial Proposals::placed(ProposedTrial trial) const {
  if (!trial.index) return trial;
  const bool as_journaled =
      space_.contains(*trial.index) && space_.configuration(*trial.index) == trial.configuration;
  if (!as_journaled) trial.index = space_.index_of(trial.configuration);
  if (!trial.index) {
    throw StudyError(
        fmt::format("trial {} of the journal has a configuration that is not in the "
                    "space any more; start a new study",
                    trial.id.value));
  }
  return trial;
}

void Proposals::repeat(search::ConfigurationIndex journaled) {
  if (!is_as_journaled_) return;
  const auto proposed = searcher_.ask(1);
  is_as_journaled_ = proposed.size() == 1 && proposed.front() == journaled;
  if (!is_as_journaled_) unplaced_ = proposed;
}

}  // namespace nightshift::scheduler
