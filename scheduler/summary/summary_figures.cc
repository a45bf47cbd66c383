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

// The condition by which a program says whether its answers are those of the baseline to the bit.
constexpr std::string_view kSameBitsCondition = "same_bits";

// Half of a 95 % interval of the median: its standard error (order statistics, see search::Summary)
// times Student's quantile. One value alone has none: nothing is known of its spread.
double half_width(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const auto freedom = static_cast<double>(values.size() - 1);
  return search::student_upper_quantile(0.025, freedom) * search::summarise(values).median_error;
}

// The median of `values` with its interval. That of times, rates and sizes is of their logarithms:
// few values that scatter would have an end below 0 otherwise.
Figure figure_from(const search::Objective& objective, const std::vector<double>& values) {
  const double median = search::median_of(values);
  if (std::ranges::any_of(values, [](double value) { return value <= 0; })) {
    const double half = half_width(values);
    return {objective.name, objective.unit, median, {median - half, median + half}};
  }
  std::vector<double> logarithms(values.size());
  std::ranges::transform(values, logarithms.begin(), [](double value) { return std::log(value); });
  const double factor = std::exp(half_width(logarithms));
  return {objective.name, objective.unit, median, {median / factor, median * factor}};
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

std::optional<bool> same_bits(const std::vector<const search::Measurement*>& evaluations) {
  std::optional<bool> all;
  for (const search::Measurement* m : evaluations) {
    const std::string said = m->condition(kSameBitsCondition);
    if (said != "yes" && said != "no") return std::nullopt;
    all = all.value_or(true) && said == "yes";
  }
  return all;
}

bool scores_own_ratio(const search::Scoring& scoring, const search::Problem& problem) {
  const std::size_t primary = scoring.primary_position();
  const search::Normalisation how = problem.scheduling.normalisation;
  return scoring.exponent(primary) != 0 && scoring.sought().size() == 1 &&
         scoring.worst_of() == 0 && scoring.must_be_positive(primary) &&
         how != search::Normalisation::kGiven && how != search::Normalisation::kNone;
}

}  // namespace nightshift::scheduler
