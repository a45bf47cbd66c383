#pragma once

#include <memory>
#include <string>
#include <variant>

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

  struct NoAnswer {
    std::string why;
  };
  // NoAnswer: the line reports no error, and lacks a figure or has one that cannot be read. It has
  // then changed nothing, and may be given anew.
  std::variant<search::TrialOutcome, NoAnswer> read(const std::string& line) const;

 private:
  std::unique_ptr<FigureRules> rules_;
};

}  // namespace nightshift::evaluator
