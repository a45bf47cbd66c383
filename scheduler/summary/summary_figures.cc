#include "scheduler/summary/summary_figures.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "search/evaluation_figure.h"
#include "search/statistics/distributions.h"
#include "search/statistics/summary.h"

namespace nightshift::scheduler {

namespace {

using Figure = StudySummary::Figure;

// The median of `values` with a 95 % interval: the median's standard error (order statistics, see
// search::Summary) times Student's quantile. One value alone has an interval without width: nothing
// is known of its spread.
Figure figure_from(const search::Objective& objective, const std::vector<double>& values) {
  const search::Summary summary = search::summarise(values);
  const double median = summary.median;
  double half = 0;
  if (summary.count >= 2) {
    const double quantile =
        search::student_upper_quantile(0.025, static_cast<double>(summary.count - 1));
    half = quantile * summary.median_error;
  }
  return {objective.name, objective.unit, median, {median - half, median + half}};
}

// Those that are numbers.
std::vector<double> finite_samples(const search::Measurement& evaluation,
                                   const search::Objective& objective) {
  std::vector<double> samples;
  const search::Samples* taken = evaluation.find(objective.name);
  if (taken == nullptr) return samples;
  std::copy_if(taken->values.begin(), taken->values.end(), std::back_inserter(samples),
               [](double value) { return std::isfinite(value); });
  return samples;
}

}  // namespace

std::optional<double> evaluation_value(const search::Measurement& evaluation,
                                       const search::Objective& objective) {
  const std::vector<double> samples = finite_samples(evaluation, objective);
  if (samples.empty()) return std::nullopt;
  return search::evaluation_figure(samples, objective).value;
}

std::vector<Figure> figures_over(const search::Problem& problem,
                                 const std::vector<const search::Measurement*>& evaluations) {
  std::vector<Figure> figures;
  for (const search::Objective& objective : problem.objectives) {
    std::vector<double> medians, samples;
    for (const search::Measurement* evaluation : evaluations) {
      const auto value = evaluation_value(*evaluation, objective);
      if (!value) continue;
      samples = finite_samples(*evaluation, objective);
      medians.push_back(*value);
    }
    if (medians.empty()) continue;
    if (medians.size() > 1) samples = std::move(medians);
    figures.push_back(figure_from(objective, samples));
  }
  return figures;
}

}  // namespace nightshift::scheduler
