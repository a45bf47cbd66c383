#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/confirmation/confirmation.h"
#include "scheduler/evaluation_loop.h"
#include "search/problem.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

// What plans of a few known contenders (ranking.h) make of an evaluation. The contenders
// are those of `names`, and after them the baseline where needs_reference() says so.
class ContenderFigures {
 public:
  ContenderFigures(const search::Problem& problem, std::vector<std::string> names);

  // Whether the objectives need the baseline's figures: changes and worst cases are relative to it,
  // and it then is evaluated once on each device.
  static bool needs_reference(const search::Problem& problem);
  std::size_t evaluated() const { return evaluated_; }  // contenders, the baseline as well

  // As messages call it.
  std::string name_of(std::size_t contender) const;
  // Throws ContenderFailed for a failure and for a contender beyond a limit of the problem: what does
  // not work all the time is neither better nor worse.
  search::Figures of(std::size_t contender, const std::string& device, const TrialEnd& end) const;
  // `figures` are those of `end`, `reference` those of the baseline on the same device.
  EvaluationResult result(const search::Figures& figures, const search::Figures& reference,
                          const TrialEnd& end) const;

 private:
  search::Scoring scoring_;
  std::vector<std::string> names_;
  std::size_t evaluated_;
};

}  // namespace nightshift::scheduler
