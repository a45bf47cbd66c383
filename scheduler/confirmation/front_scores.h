#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "scheduler/confirmation/confirmation.h"
#include "scheduler/journal/journal.h"
#include "search/pareto.h"
#include "search/problem.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

// What is known of each explored configuration in everything that is sought: a fold over the
// evaluations of a study, for the study itself (FrontRounds) and for its summary.
//
// An exploration gives a first score, by one evaluation and the baseline of its device at that
// time. It is also what its place on the front was given for: of many runs the luckiest stand
// there. So where a configuration was measured in pairs with the baseline since (rounds of the
// front, and hold-outs), these alone are believed: the mean of the differences within pairs. Duels
// are left out: one that ends early flatters its winner.
class FrontScores {
 public:
  struct Pair {  // trials
    search::TrialId candidate, baseline;
  };
  struct Point {
    search::TrialId trial;
    search::ObjectivePoint scores;
    std::vector<Pair> pairs;  // that the scores are of; none: of the exploration alone
  };
  // Fewer say nothing of how far they scatter, and the exploration stays.
  static constexpr std::size_t kFewestPairs = 2;

  explicit FrontScores(const search::Problem& problem) : scoring_(problem) {}

  // --- The events ---
  // Measured, and within all limits.
  void explored(search::TrialId trial, const std::vector<search::Score>& scores);
  void opened(const ConfirmationSetup& setup);
  // Any evaluation of a confirmation.
  void evaluated(const ProposedTrial& trial, const FinishedTrial& result);

  // Nothing beats these by more than `sigmas` (search::dominates), the baseline included; the good
  // ones first. With 0 none equals another or the baseline either: the one of most pairs, the earliest
  // of these, stands for all. `errors`: Baselines::objective_errors(); an evaluation in a pair has that
  // error at least.
  std::vector<Point> front(double sigmas, const std::vector<double>& errors) const;
  // One explored configuration, whatever beats it; nullopt where it is none, or has failed since.
  std::optional<Point> find(search::TrialId trial, const std::vector<double>& errors) const;
  // Whether no exploration beats the baseline by more than `sigmas`, though there are some.
  bool baseline_is_unbeaten(double sigmas, const std::vector<double>& errors) const;
  // How many neither the baseline nor another exploration has beaten or equalled by value, whatever
  // the noise.
  std::size_t size_by_value() const { return best_.size(); }

  // Rounds of the front that this configuration was given, and all were since the last exploration.
  int rounds_of(search::TrialId trial) const;
  int rounds() const { return rounds_; }

 private:
  struct Again {  // measured in pairs
    std::vector<Pair> pairs;
    std::vector<double> first;                     // of each objective, the score of the first pair
    std::vector<std::vector<double>> differences;  // of the logarithms of its scores from that
    bool excluded = false;                         // it failed, or was beyond a limit
    int rounds = 0;
  };
  struct Side {
    search::TrialId trial;
    search::Figures figures;
    EvaluationResult result;
  };
  using Place = std::tuple<search::ConfirmationId, std::string, int>;  // device, round

  std::optional<Side> side_of(const FinishedTrial& result) const;
  void add(const Side& candidate, const Side& baseline, Again& again) const;
  const Again* measured_again(search::TrialId trial) const;
  std::vector<Point> all_points(const std::vector<double>& errors) const;
  search::ObjectivePoint baseline() const;
  Point point_of(search::TrialId trial, const search::ObjectivePoint& explored,
                 const std::vector<double>& errors) const;

  struct Explored {
    search::TrialId trial;
    search::ObjectivePoint scores;
  };
  search::Scoring scoring_;
  std::vector<Explored> explored_;
  std::vector<search::ObjectivePoint> best_;
  std::map<search::ConfirmationId, search::TrialId> confirmations_;  // that count, their candidates
  std::map<Place, Side> halves_;                                     // of pairs, that came first
  std::unordered_map<search::TrialId, Again> again_;
  int rounds_ = 0;
};

}  // namespace nightshift::scheduler
