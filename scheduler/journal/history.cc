#include "scheduler/journal/history.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "search/figures/told_unit.h"

namespace nightshift::scheduler {

namespace {

void take(search::Identity& identity, search::IdentityPart part) {
  const auto known = std::ranges::find_if(identity, [&](const search::IdentityPart& other) {
    return other.kind == part.kind && other.name == part.name;
  });
  if (known == identity.end()) {
    identity.push_back(std::move(part));
  } else {
    known->value = std::move(part.value);
  }
}

}  // namespace

std::string identity_remark(const search::IdentityPart& part) {
  return search::key_of(part) + "\n" + part.value;
}

search::Identity identity_of(const History& history) {
  search::Identity identity = history.header.identity;
  for (const Remark& remark : history.remarks) {
    const std::size_t end = remark.detail.rfind('\n');
    if (remark.what != kIdentityRemark || end == std::string::npos) continue;
    auto part = search::part_of(std::string_view(remark.detail).substr(0, end),
                                remark.detail.substr(end + 1));
    if (part) take(identity, *std::move(part));
  }
  return identity;
}

void take_told_units(std::vector<search::Objective>& objectives, const History& history) {
  const auto lacks_unit = [](const search::Objective& o) { return o.unit.empty(); };
  for (const TrialRecord& record : history.trials) {
    if (std::ranges::none_of(objectives, lacks_unit)) return;
    if (!record.finished) continue;
    const auto* measured = std::get_if<search::Measured>(&record.finished->report.outcome);
    if (measured == nullptr) continue;
    return search::take_told_units(objectives, measured->measurement);
  }
}

std::uint32_t deaths_with(search::JobKind job, const std::vector<StateChange>& changes,
                          const std::vector<RunSpan>& died) {
  constexpr std::uint32_t kDeathsOfSuspect = 2;
  std::uint32_t deaths = 0;
  for (const RunSpan& run : died) {
    const StateChange* first = nullptr;
    const StateChange* last = nullptr;
    for (const StateChange& change : changes) {
      if (change.at < run.from || change.at >= run.until) continue;
      if (first == nullptr) first = &change;
      last = &change;
    }
    if (last == nullptr) continue;
    const bool in_hand =
        last->state == TrialState::kBuilding || last->state == TrialState::kRunning;
    const bool as_suspect = first->state == TrialState::kRetry || job != search::JobKind::kExplore;
    if (in_hand && (deaths < kDeathsOfSuspect || as_suspect)) ++deaths;
  }
  return deaths;
}

std::string node_of(const std::string& device) { return device.substr(0, device.find('/')); }

const TrialRecord* find_trial(const History& history, search::TrialId id) {
  const auto at = std::lower_bound(
      history.trials.begin(), history.trials.end(), id,
      [](const TrialRecord& trial, search::TrialId wanted) { return trial.proposed.id < wanted; });
  return at != history.trials.end() && at->proposed.id == id ? &*at : nullptr;
}

}  // namespace nightshift::scheduler
