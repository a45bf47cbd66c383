// Candidates that are taken up again: those of an earlier run, and those that are asked for once more.
// A part of Service.
#include <algorithm>
#include <utility>

#include "scheduler/errors.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/serve/service.h"

namespace nightshift::tools {
namespace {

using scheduler::BatchStudyRecord;
using scheduler::BatchStudyState;

bool has_ended(BatchStudyState state) {
  return state == BatchStudyState::kCompleted || state == BatchStudyState::kFailed ||
         state == BatchStudyState::kCancelled || state == BatchStudyState::kNotBegun;
}

// It cannot go on: it began where the night's folder is no more, in which its sources stood.
bool is_of_elsewhere(const BatchStudyRecord& study, const std::string& folder) {
  const bool can_end = study.state == BatchStudyState::kCompleted ||
                       study.state == BatchStudyState::kCancelled ||
                       study.state == BatchStudyState::kNotBegun;
  return !can_end && std::ranges::any_of(study.terms.overrides, [&](const problems::Override& one) {
    return one.first == kJudgedSource && one.second.find(folder + "/") == std::string::npos;
  });
}

}  // namespace

std::set<std::string> Service::awaited() const {
  std::set<std::string> studies;
  for (const std::uint64_t number : ledger_.open()) {
    studies.insert(ledger_.proposal(number).study());
  }
  return studies;
}

// Of an earlier run: what has ended is answered, what has not goes on.
void Service::take_up_open() {
  const scheduler::BatchRecord record = scheduler::load_batch(options_.folder);
  first_start_ = record.runs.empty() ? clock_.unix_seconds() : record.runs.front().started;
  for (const std::uint64_t number : ledger_.open()) {
    const Proposal& proposal = ledger_.proposal(number);
    if (!problems_.contains(proposal.problem)) continue;  // it waits until that is served again
    const auto known = std::ranges::find(record.studies, proposal.study(),
                                         [](const auto& study) { return study.terms.name; });
    if (known == record.studies.end()) {
      submit(proposal);
    } else if (is_of_elsewhere(*known, options_.folder)) {
      submit(ledger_.next_round(number));
    } else if (has_ended(known->state)) {
      take_up_ended(proposal, *known);
    } else {
      members_[proposal.study()] = number;
    }
  }
}

void Service::take_up_ended(const Proposal& proposal, const BatchStudyRecord& study) {
  members_[proposal.study()] = proposal.number;
  BatchMember member(study.terms, options_.folder);
  read(member);
  member.state = study.state;
  member.reason = study.reason;
  std::optional<scheduler::History> history;
  try {
    if (scheduler::holds_study(member.folder.path())) {
      history = scheduler::load_history(member.folder.path(), scheduler::Detail::kTrials);
    }
  } catch (const scheduler::JournalError&) {
    // Its answer says so.
  }
  ended(member, history ? &*history : nullptr);
}

// What came of it, or will; an error is no judgement, and is tried again.
Service::Json Service::again(const Proposal& known, Channel from, double deadline) {
  const Json* answer = ledger_.answer_to(known.number);
  const bool is_judged = answer != nullptr && answer->value("verdict", "") != "error";
  if (is_judged || !problems_.contains(known.problem)) {
    if (auto kept = told(known.number)) return *kept;
  }
  waiting_.emplace(known.number, from);
  if (answer != nullptr) submit(ledger_.ask_again(known.number, deadline));
  return nullptr;
}

}  // namespace nightshift::tools
