#include "scheduler/summary/batch_summary.h"

#include <algorithm>

#include "scheduler/journal/batch_terms_text.h"
#include "scheduler/summary/batch_time.h"
#include "search/statistics/multiplicity.h"

namespace nightshift::scheduler {
namespace {

BatchState state_of(const BatchRecord& record) {
  if (record.writer) return BatchState::kRunning;
  if (record.runs.empty()) return BatchState::kNotBegun;
  const BatchRunRecord& last = record.runs.back();
  if (!last.ended) return BatchState::kCutOff;
  return last.status == "completed" ? BatchState::kCompleted : BatchState::kInterrupted;
}

std::optional<BatchShortage> shortage_of(const BatchRecord& record) {
  if (record.runs.empty()) return std::nullopt;
  const auto last = std::ranges::find(record.events.rbegin(), record.events.rend(), kShortageEvent,
                                      &BatchEventRecord::kind);
  if (last == record.events.rend() || last->at < record.runs.back().started) return std::nullopt;
  std::optional<BatchShortage> shortage = shortage_from_json(last->text);
  if (!shortage) return std::nullopt;
  const auto has_result = [&](const std::string& name) {
    return std::ranges::none_of(record.studies, [&](const BatchStudyRecord& study) {
      return study.terms.name == name && study.state != BatchStudyState::kCompleted &&
             study.state != BatchStudyState::kCancelled && study.state != BatchStudyState::kFailed;
    });
  };
  std::erase_if(shortage->left, has_result);
  return shortage->left.empty() ? std::nullopt : shortage;
}

}  // namespace

std::vector<bool> hold_jointly(const std::vector<std::optional<BatchClaim>>& claims) {
  std::vector<double> p;
  double level = 1;
  for (const std::optional<BatchClaim>& claim : claims) {
    p.push_back(claim ? claim->p_value : 1);
    if (claim) level = std::min(level, claim->level);
  }
  const std::vector<double> adjusted = search::holm(p);
  std::vector<bool> hold;
  for (std::size_t s = 0; s < claims.size(); ++s) {
    hold.push_back(claims[s].has_value() && adjusted[s] <= level);
  }
  return hold;
}

BatchSummary summarise(const BatchRecord& record, double now) {
  BatchSummary summary;
  summary.state = state_of(record);
  std::vector<std::optional<BatchClaim>> claims;
  for (const BatchStudyRecord& study : record.studies) {
    ++summary.studies[static_cast<std::size_t>(study.state)];
    claims.push_back(study.claim);
    summary.claims += study.claim ? 1 : 0;
    if (!study.progress) continue;
    summary.trials += study.progress->trials;
    summary.measured += study.progress->measured;
    summary.failed += study.progress->failed;
  }
  summary.shortage = shortage_of(record);
  summary.holds = hold_jointly(claims);
  summary.holding =
      static_cast<std::size_t>(std::count(summary.holds.begin(), summary.holds.end(), true));
  if (record.writer) {
    summary.devices_at_work = static_cast<std::size_t>(std::ranges::count_if(
        record.devices, [](const BatchDeviceRecord& d) { return !d.study.empty(); }));
  }
  const std::vector<BatchTime::Span> runs = batch_runs(record, now);
  if (!runs.empty()) {
    summary.began = runs.front().from;
    summary.ended = runs.back().until;
  }
  return summary;
}

}  // namespace nightshift::scheduler
