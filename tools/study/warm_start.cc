#include "tools/study/warm_start.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "problems/problem_file.h"
#include "scheduler/errors.h"
#include "scheduler/journal/sqlite_journal.h"
#include "search/expected_cost.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/own_journal.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

std::optional<search::ConfigurationIndex> place_in(const search::ParameterSpace& space,
                                                   const search::Configuration& earlier) {
  std::vector<search::Configuration::Entry> entries;
  for (const search::Parameter& parameter : space.parameters()) {
    const search::Value* value = earlier.find(parameter.name);
    entries.emplace_back(parameter.name, value ? *value : parameter.default_or_first());
  }
  return space.index_of(search::Configuration(std::move(entries)));
}

double order_of(const search::KnownTrial& trial) {
  return trial.observation.score ? trial.observation.score->value : 1e300;
}

// Nothing where the earlier study's problem can no longer be read.
search::ExpectedCost expected_cost_of(const scheduler::History& history) {
  try {
    return search::expected_cost(told_problem(history));
  } catch (const std::runtime_error&) {
    return {};
  }
}

std::vector<search::KnownTrial> trials_of(const std::string& folder,
                                          const search::ParameterSpace& space) {
  if (!scheduler::holds_study(folder)) {
    refuse_batch(StudyFolder(folder));
    throw UsageError("warm start: " + folder + " holds no study");
  }
  const scheduler::History history = scheduler::load_history(folder, scheduler::Detail::kTrials);
  const search::ExpectedCost cost = expected_cost_of(history);
  std::vector<search::KnownTrial> known;
  std::size_t explored = 0;
  for (const scheduler::TrialRecord& trial : history.trials) {
    if (trial.proposed.job != search::JobKind::kExplore || !trial.finished) continue;
    ++explored;
    const auto index = place_in(space, trial.proposed.configuration);
    if (!index) continue;
    search::Observation observation;
    observation.score = trial.finished->normalised;
    known.push_back({*index, observation});
    if (cost.factors.empty()) continue;
    known.back().expected = search::log_cost(
        cost, [&](std::string_view name) { return trial.proposed.configuration.find(name); });
  }
  if (known.empty()) {
    throw UsageError("warm start: none of the " + std::to_string(explored) + " trials in " +
                     folder + " is a configuration of this problem");
  }
  std::ranges::stable_sort(known, {}, order_of);
  return known;
}

}  // namespace

std::vector<std::string> that_fit(const std::vector<std::string>& folders,
                                  const search::Problem& problem, std::size_t most) {
  std::vector<std::string> fitting;
  if (folders.empty()) return fitting;
  const search::ParameterSpace space = problems::make_space(problem);
  for (auto folder = folders.rbegin(); folder != folders.rend() && fitting.size() < most;
       ++folder) {
    try {
      if (!trials_of(*folder, space).empty()) fitting.insert(fitting.begin(), *folder);
    } catch (const UsageError&) {
      // It has another space.
    }
  }
  return fitting;
}

std::vector<search::KnownTrial> warm_start(const std::vector<std::string>& folders,
                                           const search::ParameterSpace& space) {
  std::vector<search::KnownTrial> all;
  for (const std::string& folder : folders) {
    const std::vector<search::KnownTrial> known = trials_of(folder, space);
    all.insert(all.end(), known.begin(), known.end());
  }
  return all;
}

}  // namespace nightshift::tools
