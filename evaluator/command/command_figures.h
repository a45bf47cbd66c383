#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/bounded_regex.h"
#include "evaluator/command/figures/figure_error.h"
#include "evaluator/command/figures/figure_unit.h"
#include "evaluator/command/figures/matched_figures.h"
#include "evaluator/command/figures/printed_object.h"
#include "search/measurement.h"
#include "search/objective.h"
#include "search/problem/command_backend.h"
#include "search/trial.h"

namespace nightshift::evaluator {

// The figures of one run, or the failure that the program reported itself.
using RunResult = std::variant<std::vector<search::Samples>, search::TrialOutcome>;

// How the figures of one run are found in what was printed: one search::FigureRule per objective.
//
// An object {"error": "words", "kind": "build_failed" | "launch_failed" | "wrong_result"} is a
// program's way to say what went wrong. Without a kind it is launch_failed; wrong_result may carry
// "output", "element", "got" and "expected" as well. Where a figure is called "error", numbers
// under that name are its values.
class FigureRules {
 public:
  // Missing rules are JSON members named after their objective. Throws std::runtime_error for a
  // regular expression that is none or has no capture group, and for wall time in another unit.
  FigureRules(const std::vector<search::Objective>& objectives,
              const std::vector<search::FigureRule>& rules);

  // `words`: a number of the problem in the unit of `objective`, beside its limits (FigureUnit).
  void hold_against(const std::string& objective, const std::string& words);
  bool has_regex() const;
  bool has_printed() const;  // some figures stand in what a program prints

  // The whole standard output of a program: its last JSON object counts (printed_object.h), or its
  // last list where a key begins with a position and the object has no such member. Regular
  // expressions are applied line by line (matched_figures.h). Throws FigureError.
  RunResult read_output(std::string_view output, double wall_seconds) const;
  // Why a server's reply is no answer at all: it reports no error and lacks a figure. Empty where
  // it is one, if only with figures that cannot be used.
  std::string flaw_in_reply(const nlohmann::json& reply) const;
  // The member that a figure is to be found in and `reply` lacks; empty where there is none.
  std::string missing_in(const nlohmann::json& reply) const;
  // The figures of an object that reports no error; `line` is how it was printed. Those that are
  // measured (FigureRule::Source) have no values yet. Throws FigureError.
  std::vector<search::Samples> samples(const nlohmann::json& reply, std::string_view line,
                                       double wall_seconds) const;
  // What figures are in whose unit no file says, as far as the program has named one, for
  // Measurement::conditions (search/figures/told_unit.h).
  std::vector<std::pair<std::string, std::string>> conditions() const;
  // The reply of a server: a line that is a JSON object. Throws FigureError.
  RunResult read_reply(std::string_view line, double wall_seconds) const;
  // The same of a reply that may be given anew: the units of one that throws are forgotten.
  RunResult read_first_try(std::string_view line) const;

 private:
  struct Rule {
    search::Objective objective;
    search::FigureRule::Source source = search::FigureRule::Source::kJson;
    std::string key;
    std::optional<base::BoundedRegex> pattern;  // of kRegex
    double units_per_second = 1;
    // Has what the program called the figures of an objective without a unit; evaluations are one
    // after another.
    mutable FigureUnit unit;
  };
  static Rule rule_for(const search::Objective& objective, const search::FigureRule& given);
  bool error_is_figure(const nlohmann::json& reply) const;
  nlohmann::json last_reply(std::string_view output) const;

  std::vector<Rule> rules_;
};

// A wrong answer as a program tells it: "output", "element", "got" and "expected", where `object`
// has them.
search::WrongResult wrong_result(const nlohmann::json& object, const std::string& words);

}  // namespace nightshift::evaluator
