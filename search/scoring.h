#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "search/evaluation_figure.h"
#include "search/measurement.h"
#include "search/objective.h"
#include "search/problem.h"
#include "search/searcher.h"

namespace nightshift::search {

using Figures = std::vector<Figure>;  // one for each objective of the problem, in order
// The same values without their errors: what a baseline itself is measured by, so that it scores 1
// and its error counts once.
Figures exactly(Figures figures);

// What the objectives of a problem mean together. An objective is
//   scored         where it has a weight (or, for efficiency, a role); without any weight the first
//                  one alone is. The score is what is searched and accepted on.
//   sought         where it is scored, or has no limit: then it is an axis of the Pareto front.
//   a limit only   otherwise: it may take any value within its limits, zero and below too.
//
// Where a problem asks for its worst case (judges_worst), a ratio is that of the case in which it is
// largest, of figures that cases have.
//
// Every sought objective has a score of its own: candidate over baseline, turned so that lower is
// better; of a change of accuracy 1 + |candidate - baseline|, in the objective's unit, as it may be
// zero. A figure that is compared by its difference (Objective::difference_scale) scores the
// exponential of it. The score of all is the product of the scored ones, each to its exponent: its
// share of the weights, or 1 for efficiency. Relative standard errors are joined in quadrature,
// those of figures of one evaluation as if they were independent.
class Scoring {
 public:
  // Of figures that are compared by their ratios, so that products and squares of these are finite
  // and not 0.
  static constexpr double kLeastFigure = 1e-75, kGreatestFigure = 1e75;

  explicit Scoring(const Problem& problem);

  const std::vector<Objective>& all() const { return objectives_; }
  const std::vector<std::size_t>& sought() const { return sought_; }  // positions, ascending
  bool is_sought(std::size_t objective) const;
  bool has_front() const { return sought_.size() > 1; }
  bool has_limits() const;
  double exponent(std::size_t objective) const { return exponents_[objective]; }  // 0: not scored
  const Objective& primary() const { return objectives_[primary_]; }              // first scored
  std::size_t primary_position() const { return primary_; }
  // What a score is about, for people: the objective itself where one is scored, else "weighted
  // cost" or "efficiency".
  Objective judged() const;
  // Scored by its change, not by its ratio: the accuracy of an efficiency.
  bool is_change(std::size_t objective) const;
  // Its ratio to the baseline is taken, so anything else would turn it around.
  bool must_be_positive(std::size_t objective) const;

  // nullopt where a figure is missing, not finite, or not positive and within the bounds of those
  // above though it must be.
  std::optional<Figures> figures_of(const Measurement& measurement) const;
  // Like cost(), of the figures' p95 on the bad side; nullopt where more than one objective is
  // scored, or the evaluation has too few samples to have a tail.
  std::optional<double> tail_cost(const Measurement& measurement) const;
  // "exceeds limit on error: 0.02 > 0.001"; empty where all is within the limits.
  std::string beyond_limits(const Figures& figures) const;

  Score score(const Figures& figures, const Figures& baseline) const;
  std::vector<Score> objectives(const Figures& figures, const Figures& baseline) const;  // sought
  // The score times a factor that is the same for all figures of a device; lower is better. What
  // is compared evaluation by evaluation needs no baseline under it, whose noise would be added;
  // `baseline` is for changes only.
  double cost(const Figures& figures, const Figures& baseline) const;
  // So many cases, of which the worst counts; 0 where that is not asked for.
  std::size_t worst_of() const { return worst_of_; }
  // Whether cost() depends on `baseline`.
  bool needs_baseline() const;
  // What a device's baselines are compared with each other by: the cost of all cases together.
  double level(const Figures& figures) const;
  // The cost of each case by itself, by ratios alone; empty where the worst one is not asked for.
  std::vector<double> case_costs(const Figures& figures) const;

 private:
  Score ratio(std::size_t objective, const Figures& figures, const Figures& baseline) const;
  Score ratio_of(std::size_t objective, const Figure& figure, const Figure& baseline) const;
  bool is_by_cases(std::size_t objective, const Figures& figures) const;

  std::vector<Objective> objectives_;
  Scalarisation scalarisation_;
  std::vector<double> exponents_;
  std::vector<std::size_t> sought_;
  std::size_t primary_ = 0;
  std::size_t scored_ = 0;    // how many
  std::size_t worst_of_ = 0;  // cases, where judges_worst(); else 0
};

// Scoring(problem).judged() and .primary().
Objective judged_objective(const Problem& problem);
Objective primary_objective(const Problem& problem);
// The problem's settings for whoever judges, with the direction of what is judged.
AcceptanceSettings judging(const Problem& problem);

}  // namespace nightshift::search
