#pragma once

#include <memory>
#include <string>

#include "search/problem.h"
#include "search/trial.h"

namespace nightshift::evaluator {

class FigureRules;

// What somebody who measures elsewhere says of a configuration, a line of JSON each: as a server of
// [command] does (README.md), with its figures or its failure.
class ToldAnswers {
 public:
  // Of a [command] problem. Throws std::runtime_error for figures that cannot be found.
  explicit ToldAnswers(const search::Problem& problem);
  ~ToldAnswers();
  ToldAnswers(const ToldAnswers&) = delete;
  ToldAnswers& operator=(const ToldAnswers&) = delete;

  // Why the line is no answer at all: it reports no error and lacks a figure. Empty where it is one.
  std::string flaw(const std::string& line) const;
  // What cannot be understood is a LaunchFailed with the reason.
  search::TrialOutcome outcome(const std::string& line) const;

 private:
  std::unique_ptr<FigureRules> rules_;
};

}  // namespace nightshift::evaluator
