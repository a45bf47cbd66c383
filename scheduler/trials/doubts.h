#pragma once

#include <set>
#include <string>

#include "base/rng.h"
#include "scheduler/journal/journal.h"
#include "search/problem.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// Which evaluations are asked for under search::Trust::kNone.
//
// Nobody gains by a baseline that is faster than its work. What is compared in a study is about to
// be claimed: a kernel that an evaluator launches itself, or a server of protocol 2 as far as it
// can, is doubted there until it has held once, whoever wrote it, since one that remembers its
// answers looks like the best of all. Where nobody is trusted a third of a confirmation's further
// evaluations are doubted too; nobody knows before. Doubt takes longer than samples.
class Doubts {
 public:
  explicit Doubts(const search::Problem& problem);  // which outlives them

  bool doubts(const ProposedTrial& trial);
  // So ended an evaluation that was doubted. One that was cut off has not shown anything.
  void learn(const ProposedTrial& trial, const search::TrialOutcome& outcome);

 private:
  const search::Problem& problem_;
  base::Rng lot_;               // no result depends on it
  std::set<std::string> held_;  // configurations that were measured while they were doubted
};

}  // namespace nightshift::scheduler
