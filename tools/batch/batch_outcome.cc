// What becomes of the studies of a batch: a part of Batch.
#include <algorithm>

#include "scheduler/summary/batch_summary.h"
#include "tools/batch/batch_run.h"
#include "tools/text/batch_lines.h"

namespace nightshift::tools {

using scheduler::BatchStudyState;

bool Batch::is_unfinished() const {
  return std::ranges::any_of(members_, [](const BatchMember& m) {
    return m.state == BatchStudyState::kWaiting || m.state == BatchStudyState::kRunning ||
           m.state == BatchStudyState::kInterrupted || m.state == BatchStudyState::kPaused;
  });
}

void Batch::left(const std::vector<std::size_t>& studies, double whole_seconds) {
  std::vector<std::string> names;
  for (std::size_t s = 0; s < members_.size(); ++s) {
    BatchMember& member = members_[s];
    const bool is_left = std::ranges::find(studies, s) != studies.end();
    if (is_left) names.push_back(member.name());
    const std::string reason = is_left ? kLeftForTime : "";
    if (member.state != BatchStudyState::kWaiting || member.reason == reason) continue;
    member.reason = reason;
    log_.state(member.name(), member.state, member.reason);
  }
  log_.left(names, whole_seconds, members_.size());
}

void Batch::made_up(std::size_t study, double seconds) {
  log_.made_up(members_[study].name(), seconds);
}

std::vector<Batch::StudyResult> Batch::results() const {
  std::vector<std::optional<scheduler::BatchClaim>> claims;
  for (const BatchMember& member : members_) claims.push_back(member.claim);
  const std::vector<bool> holds = scheduler::hold_jointly(claims);
  std::vector<StudyResult> results;
  for (std::size_t s = 0; s < members_.size(); ++s) {
    const BatchMember& member = members_[s];
    results.push_back({member.name(), member.state, member.reason, holds[s],
                       member.claim.has_value() && !holds[s]});
  }
  return results;
}

}  // namespace nightshift::tools
