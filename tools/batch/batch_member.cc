#include "tools/batch/batch_member.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "problems/problem_file.h"
#include "scheduler/errors.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/summary/summary.h"
#include "tools/batch/batch_facts.h"
#include "tools/batch/report/batch_report.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/made_of.h"
#include "tools/problem/own_journal.h"
#include "tools/problem/problem_source.h"
#include "tools/summary/summary_text.h"

namespace nightshift::tools {
namespace {

using scheduler::BatchStudyState;

std::shared_ptr<const search::Problem> shared(search::Problem problem) {
  return std::make_shared<search::Problem>(std::move(problem));
}

// It goes on as it was begun, but for what may change.
void read_begun(BatchMember& member) {
  auto history = scheduler::load_history(member.folder.path(), scheduler::Detail::kHead);
  const bool completed = history.status == "completed";
  if (completed || history.status == "failed") {
    history = scheduler::load_history(member.folder.path(), scheduler::Detail::kTrials);
  }
  std::string other_file;
  try {
    std::string text;
    const search::Problem problem =
        read_problem(member.terms.problem, member.terms.overrides, &text);
    const Asked asked{problem, text, member.terms.overrides, "--batch"};
    other_file = told_other_file(history, asked);
    member.how = continuation_of(history, member.folder, asked);
  } catch (const std::exception&) {
    if (!completed) throw;  // nobody needs the file of what is done
  }
  member.done = completed && member.how.overrides.empty() && !member.how.mended;
  if (member.how.mended) {
    member.problem.problem = shared(member.how.mended->problem);
  } else {
    member.problem.problem = shared(member.done ? problem_for_telling(history)
                                                : problem_of(history, member.how.overrides));
  }
  if (!member.done) return;
  member.state = BatchStudyState::kCompleted;
  member.how.notices.clear();  // it goes on with nothing
  if (!other_file.empty()) member.how.notices.push_back(other_file);
}

}  // namespace

BatchMember::BatchMember(scheduler::BatchStudyTerms its_terms, const std::string& batch_folder)
    : terms(std::move(its_terms)), folder(batch_folder + "/" + terms.name) {}

bool BatchMember::is_due() const {
  return error.empty() && !done && state != BatchStudyState::kCancelled &&
         state != BatchStudyState::kPaused;
}

scheduler::BatchStudyTerms terms_of(const problems::BatchEntry& entry) {
  scheduler::BatchStudyTerms terms;
  terms.name = entry.name;
  terms.problem = entry.problem;
  terms.overrides = entry.overrides;
  terms.weight = entry.weight;
  terms.devices_least = entry.devices_least;
  terms.devices_most = entry.devices_most;
  terms.after = entry.after;
  terms.patience = entry.patience;
  terms.warm_start = entry.warm_start;
  terms.deadline_seconds = entry.deadline;
  terms.shape = entry.shape;
  terms.calls = entry.calls;
  return terms;
}

std::vector<scheduler::BatchStudyTerms> terms_of(const std::vector<BatchMember>& members) {
  std::vector<scheduler::BatchStudyTerms> terms;
  for (const BatchMember& member : members) terms.push_back(member.terms);
  return terms;
}

std::vector<BatchMember> members_of(const std::vector<scheduler::BatchStudyTerms>& asked,
                                    const std::string& folder,
                                    const scheduler::BatchRecord& earlier) {
  std::vector<BatchMember> members;
  for (const scheduler::BatchStudyTerms& terms : asked) members.emplace_back(terms, folder);
  for (const scheduler::BatchStudyRecord& study : earlier.studies) {
    const auto known = std::ranges::find(members, study.terms.name, &BatchMember::name);
    if (known == members.end() && !study.terms.added) continue;
    BatchMember& member =
        known == members.end() ? members.emplace_back(study.terms, folder) : *known;
    const bool stays =
        study.state == BatchStudyState::kCancelled || study.state == BatchStudyState::kPaused;
    if (stays) member.state = study.state;
    member.made_up = study.made_up;
    member.lost_journal = had_journal(study) && !scheduler::holds_study(member.folder.path());
  }
  return members;
}

void read(BatchMember& member) {
  try {
    if (scheduler::holds_study(member.folder.path())) {
      read_begun(member);
    } else {
      std::string text;
      member.problem.problem =
          shared(read_problem(member.terms.problem, member.terms.overrides, &text));
      member.problem.text = std::move(text);
    }
  } catch (const std::exception& error) {
    member.error = error.what();
    member.state = BatchStudyState::kFailed;
  }
}

void expect_own_journals(std::vector<BatchMember>& members) {
  const std::vector<scheduler::BatchStudyTerms> all = terms_of(members);
  for (BatchMember& member : members) {
    if (!member.error.empty() || !scheduler::holds_study(member.folder.path())) continue;
    try {
      expect_own_journal(scheduler::load_history(member.folder.path(), scheduler::Detail::kHead),
                         member.folder, member.terms, all);
    } catch (const scheduler::JournalError& error) {
      member.error = error.what();
      member.state = BatchStudyState::kFailed;
      member.done = false;
    }
  }
}

std::vector<std::string> notes_before(const BatchMember& member) {
  std::vector<std::string> notes = member.problem.problem->notes;
  if (member.lost_journal) {
    notes.insert(notes.begin(), "the journal " + member.folder.shown() +
                                    "/journal.sqlite is gone: what it had is measured anew");
  }
  return notes;
}

std::vector<std::string> changes_since_done(const BatchMember& member) {
  std::vector<std::string> changes = member.how.notices;
  const auto history = scheduler::load_history(member.folder.path(), scheduler::Detail::kTrials);
  const std::string told =
      told_changes(member.folder.shown(), history, made_of(*member.problem.problem));
  if (!told.empty()) changes.push_back(told);
  return changes;
}

void take_outcome(BatchMember& member, const scheduler::History& history) {
  const auto summary = scheduler::summarise(history, *member.problem.problem);
  member.reason = headline_text(summary, *member.problem.problem);
  member.claim = claim_of(summary);
}

namespace {

// What others of its problem find is where it would begin (start_from_other_sizes), and what it
// builds ahead it has chosen before. Builds for GPUs take nothing from what is measured there.
bool builds_ahead(const BatchMember& member, const std::vector<BatchMember>& all) {
  if (!member.problem.problem || !search::needs_build(*member.problem.problem)) return false;
  if (member.terms.builds_ahead) return true;
  const auto helps = [&member](const BatchMember& other) {
    return &other != &member && other.terms.problem == member.terms.problem;
  };
  const bool waits = member.terms.warm_start && std::ranges::any_of(all, helps);
  return !waits && search::is_on_gpus(*member.problem.problem);
}

}  // namespace

BatchStudyState state_of(scheduler::BatchStudyEnd::Kind kind) {
  switch (kind) {
    case scheduler::BatchStudyEnd::Kind::kCompleted:
      return BatchStudyState::kCompleted;
    case scheduler::BatchStudyEnd::Kind::kInterrupted:
      return BatchStudyState::kInterrupted;
    case scheduler::BatchStudyEnd::Kind::kPaused:
      return BatchStudyState::kPaused;
    case scheduler::BatchStudyEnd::Kind::kFailed:
      return BatchStudyState::kFailed;
    case scheduler::BatchStudyEnd::Kind::kCancelled:
      return BatchStudyState::kCancelled;
    case scheduler::BatchStudyEnd::Kind::kPutOff:
      return BatchStudyState::kWaiting;
    case scheduler::BatchStudyEnd::Kind::kNotBegun:
      break;
  }
  return BatchStudyState::kNotBegun;
}

std::string why_it_waits(const BatchMember& member, const std::vector<BatchMember>& all) {
  for (const std::string& name : member.terms.after) {
    const auto other = std::ranges::find(all, name, &BatchMember::name);
    if (other == all.end() || other->state == BatchStudyState::kCompleted) continue;
    return "it comes after '" + name + "', which is " + std::string(name_of(other->state));
  }
  return "";
}

scheduler::StudyStanding standing_of(const BatchMember& member) {
  using Standing = scheduler::StudyStanding;
  Standing standing;
  if (scheduler::holds_study(member.folder.path()) && !member.how.mended) {
    standing.made_up = standing.shared = member.made_up;
  }
  if (member.is_due()) return standing;
  standing.state = member.state == BatchStudyState::kPaused && member.error.empty()
                       ? Standing::State::kPaused
                       : Standing::State::kEnded;
  if (!member.error.empty()) {
    standing.loss = member.state == BatchStudyState::kFailed ? Standing::Loss::kFailed
                                                             : Standing::Loss::kNotBegun;
  }
  return standing;
}

scheduler::StudyTerms plan_terms(const BatchMember& member, const std::vector<BatchMember>& all,
                                 double began) {
  scheduler::StudyTerms terms;
  terms.weight = member.terms.weight;
  terms.name = member.name();
  terms.builds_ahead = builds_ahead(member, all);
  terms.priority = member.terms.priority;
  terms.client = member.terms.client;
  terms.devices_least = member.terms.devices_least;
  terms.devices_most = member.terms.devices_most;
  terms.may_use = member.may_use;
  terms.patience = member.terms.patience;
  if (member.terms.deadline_seconds) terms.deadline = began + *member.terms.deadline_seconds;
  if (member.problem.problem) terms.budget_seconds = member.problem.problem->budget.seconds;
  for (const std::string& name : member.terms.after) {
    const auto other = std::ranges::find(all, name, &BatchMember::name);
    if (other != all.end()) terms.after.push_back(static_cast<std::size_t>(other - all.begin()));
  }
  return terms;
}

}  // namespace nightshift::tools
