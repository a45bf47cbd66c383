#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problems/batch_file.h"
#include "scheduler/batch/batch_host.h"
#include "scheduler/batch/batch_plan.h"
#include "scheduler/journal/batch_record.h"
#include "scheduler/journal/history.h"
#include "tools/batch/batch_study.h"
#include "tools/study/continuation.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// A study of a batch, whether it has begun or not.
struct BatchMember {
  BatchMember(scheduler::BatchStudyTerms its_terms, const std::string& batch_folder);

  scheduler::BatchStudyTerms terms;
  StudyFolder folder;
  BatchProblem problem;              // as it begins, or goes on
  Continuation how;                  // of one that goes on
  std::vector<bool> may_use;         // by device of the batch
  std::optional<std::size_t> asked;  // over nodes: its problem's number in the pool
  std::string error;                 // why it cannot begin; empty where it can
  bool lost_journal = false;         // of an earlier run, which had measured something
  double made_up = 0;                // in earlier runs, see StudyStanding
  bool done = false;                 // its journal says so, and no other budget is asked for
  scheduler::BatchStudyState state = scheduler::BatchStudyState::kWaiting;
  std::string reason;                          // of the state
  std::optional<scheduler::BatchClaim> claim;  // of one that is done

  const std::string& name() const { return terms.name; }
  // It waits for its turn.
  bool is_due() const;
};

scheduler::BatchStudyTerms terms_of(const problems::BatchEntry& entry);

// Those that are asked for, and those that were added earlier; unread. Cancelled and paused studies
// stay so.
std::vector<BatchMember> members_of(const std::vector<scheduler::BatchStudyTerms>& asked,
                                    const std::string& folder,
                                    const scheduler::BatchRecord& earlier);
std::vector<scheduler::BatchStudyTerms> terms_of(const std::vector<BatchMember>& members);

// Reads its files, and its journal where it has begun. What is wrong with them is its `error`.
void read(BatchMember& member);
// After all are read: a journal that is another study's is an `error` too.
void expect_own_journals(std::vector<BatchMember>& members);
// Of one that is due: what is to be said of it before it begins.
std::vector<std::string> notes_before(const BatchMember& member);
// Of one that is done: what its figures depend on and is not as it was, a sentence each (made_of.h).
std::vector<std::string> changes_since_done(const BatchMember& member);
// Of one whose journal says how it ended: claim and reason.
void take_outcome(BatchMember& member, const scheduler::History& history);

scheduler::BatchStudyState state_of(scheduler::BatchStudyEnd::Kind kind);
// Of one that waits though nothing runs: the study that it comes after, mostly a paused one.
std::string why_it_waits(const BatchMember& member, const std::vector<BatchMember>& all);
// Where it stands before it has a turn.
scheduler::StudyStanding standing_of(const BatchMember& member);

// As the plan of the batch needs them. `all`: the batch's members, for the names in `after`;
// `began`: the batch's first start, on the plan's clock.
scheduler::StudyTerms plan_terms(const BatchMember& member, const std::vector<BatchMember>& all,
                                 double began);

}  // namespace nightshift::tools
