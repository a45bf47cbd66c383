#include "search/scoring.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nightshift::search {

namespace {

std::string digits(double value, int precision) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", precision, value);
  return text;
}

// "0.02 > 0.001", with as many digits as it takes to tell the two apart.
std::string comparison(double value, const char* sign, double limit, const std::string& unit) {
  constexpr int kMost = 17;
  int precision = 4;
  while (precision < kMost && digits(value, precision) == digits(limit, precision)) ++precision;
  const std::string behind = unit.empty() ? "" : " " + unit;
  return digits(value, precision) + behind + " " + sign + " " + digits(limit, precision) + behind;
}

std::vector<double> exponents_of(const std::vector<Objective>& objectives, Scalarisation how) {
  std::vector<double> exponents(objectives.size(), 0);
  double sum = 0;
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    const Objective& o = objectives[i];
    if (how == Scalarisation::kEfficiency) {
      exponents[i] = o.role == Role::kNone ? 0 : 1;
    } else {
      exponents[i] = o.weight.value_or(0);
    }
    sum += exponents[i];
  }
  if (sum <= 0) {
    exponents.front() = 1;
  } else if (how == Scalarisation::kWeighted) {
    for (double& e : exponents) e /= sum;
  }
  return exponents;
}

bool has_ratios(double figure) {
  return figure >= Scoring::kLeastFigure && figure <= Scoring::kGreatestFigure;
}

// What is lower where the figure is better, and positive: itself or its reciprocal, or of a figure
// of any sign the exponential of what it is in units of the scale.
double cost_of(const Objective& objective, double value) {
  const bool minimised = objective.direction == Direction::kMinimise;
  if (is_difference(objective)) {
    return std::exp((minimised ? value : -value) / objective.difference_scale);
  }
  return minimised ? value : 1 / value;
}

}  // namespace

Figures exactly(Figures figures) {
  for (Figure& f : figures) {
    f.standard_error = 0;
    for (Figure& one : f.cases) one.standard_error = 0;
  }
  return figures;
}

Scoring::Scoring(const Problem& problem)
    : objectives_(problem.objectives),
      scalarisation_(problem.scalarisation),
      exponents_(exponents_of(objectives_, scalarisation_)),
      worst_of_(judges_worst(problem.cases) ? problem.cases.names.size() : 0) {
  for (std::size_t i = 0; i < objectives_.size(); ++i) {
    if (exponents_[i] > 0 && scored_++ == 0) primary_ = i;
    if (is_sought(i)) sought_.push_back(i);
  }
}

bool Scoring::has_limits() const { return std::ranges::any_of(objectives_, is_limited); }

Objective Scoring::judged() const {
  if (scored_ == 1 && worst_of_ == 0) return primary();
  if (scored_ == 1) return {primary().name + " of the worst case", "", primary().direction};
  if (scalarisation_ == Scalarisation::kWeighted) return {"weighted cost", ""};
  return {"efficiency", "", Direction::kMaximise};
}

bool Scoring::is_sought(std::size_t objective) const {
  return exponents_[objective] > 0 || !is_limited(objectives_[objective]);
}

bool Scoring::is_change(std::size_t objective) const {
  return scalarisation_ == Scalarisation::kEfficiency &&
         objectives_[objective].role == Role::kAccuracy;
}

bool Scoring::must_be_positive(std::size_t objective) const {
  return is_sought(objective) && !is_change(objective) && !is_difference(objectives_[objective]);
}

namespace {

// nullopt where one of the cases has no finite figures.
std::optional<std::vector<Figure>> figures_of_cases(const Samples& samples,
                                                    const Objective& objective) {
  std::vector<Figure> cases;
  for (const std::vector<double>& values : samples.cases) {
    const bool finite = std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
    if (values.empty() || !finite) return std::nullopt;
    cases.push_back(evaluation_figure(values, objective));
  }
  return cases;
}

}  // namespace

std::optional<Figures> Scoring::figures_of(const Measurement& measurement) const {
  Figures figures;
  for (std::size_t i = 0; i < objectives_.size(); ++i) {
    const Samples* samples = measurement.find(objectives_[i].name);
    if (samples == nullptr || samples->values.empty()) return std::nullopt;
    const bool finite =
        std::ranges::all_of(samples->values, [](double v) { return std::isfinite(v); });
    if (!finite) return std::nullopt;
    Figure figure = evaluation_figure(samples->values, objectives_[i]);
    if (must_be_positive(i) && !has_ratios(figure.value)) return std::nullopt;
    auto cases = figures_of_cases(*samples, objectives_[i]);
    if (!cases) return std::nullopt;
    const bool usable =
        std::ranges::all_of(*cases, [](const Figure& f) { return has_ratios(f.value); });
    if (must_be_positive(i) && !usable) return std::nullopt;
    figure.cases = *std::move(cases);
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::optional<double> Scoring::tail_cost(const Measurement& measurement) const {
  constexpr std::size_t kFewestSamples = 10;
  if (scored_ != 1 || worst_of_ > 0 || is_change(primary_)) return std::nullopt;
  const Samples* samples = measurement.find(primary().name);
  if (samples == nullptr || samples->values.size() < kFewestSamples) return std::nullopt;
  Objective tail = primary();
  tail.statistic = Statistic::kP95;
  const double value = evaluation_figure(samples->values, tail).value;
  if (!std::isfinite(value) || (must_be_positive(primary_) && !has_ratios(value)))
    return std::nullopt;
  return cost_of(tail, value);
}

std::string Scoring::beyond_limits(const Figures& figures) const {
  std::string text;
  const auto add = [&text](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  for (std::size_t i = 0; i < objectives_.size(); ++i) {
    const Objective& o = objectives_[i];
    const double value = figures[i].value;
    if (o.at_most && is_beyond(value, *o.at_most)) {
      add("exceeds limit on " + o.name + ": " + comparison(value, ">", *o.at_most, o.unit));
    }
    if (o.at_least && is_beyond(-value, -*o.at_least)) {
      add("falls short of limit on " + o.name + ": " + comparison(value, "<", *o.at_least, o.unit));
    }
  }
  return text;
}

bool Scoring::is_by_cases(std::size_t objective, const Figures& figures) const {
  return worst_of_ > 0 && !is_change(objective) && !figures[objective].cases.empty();
}

Score Scoring::ratio(std::size_t objective, const Figures& figures, const Figures& baseline) const {
  const std::vector<Figure>& cases = figures[objective].cases;
  const std::vector<Figure>& others = baseline[objective].cases;
  if (!is_by_cases(objective, figures) || cases.size() != others.size()) {
    return ratio_of(objective, figures[objective], baseline[objective]);
  }
  Score worst = ratio_of(objective, cases.front(), others.front());
  for (std::size_t i = 1; i < cases.size(); ++i) {
    const Score one = ratio_of(objective, cases[i], others[i]);
    if (one.value > worst.value) worst = one;
  }
  return worst;
}

Score Scoring::ratio_of(std::size_t objective, const Figure& f, const Figure& b) const {
  if (is_change(objective)) {
    return {1 + std::abs(f.value - b.value), std::hypot(f.standard_error, b.standard_error)};
  }
  const Objective& o = objectives_[objective];
  if (is_difference(o)) {
    const double value = cost_of(o, f.value - b.value);
    return {value, value * std::hypot(f.standard_error, b.standard_error) / o.difference_scale};
  }
  const double value = cost_of(o, f.value / b.value);
  return {value, value * std::hypot(f.standard_error / f.value, b.standard_error / b.value)};
}

Score Scoring::score(const Figures& figures, const Figures& baseline) const {
  if (scored_ == 1) return ratio(primary_, figures, baseline);
  double value = 1, variance = 0;
  for (std::size_t i = 0; i < objectives_.size(); ++i) {
    if (exponents_[i] == 0) continue;
    const Score part = ratio(i, figures, baseline);
    const double relative_error = exponents_[i] * part.standard_error / part.value;
    value *= std::pow(part.value, exponents_[i]);
    variance += relative_error * relative_error;
  }
  return {value, value * std::sqrt(variance)};
}

std::vector<Score> Scoring::objectives(const Figures& figures, const Figures& baseline) const {
  std::vector<Score> scores;
  for (const std::size_t i : sought_) scores.push_back(ratio(i, figures, baseline));
  return scores;
}

double Scoring::cost(const Figures& figures, const Figures& baseline) const {
  const auto part = [&](std::size_t i) {
    if (is_change(i) || is_by_cases(i, figures)) return ratio(i, figures, baseline).value;
    return cost_of(objectives_[i], figures[i].value);
  };
  if (scored_ == 1) return part(primary_);
  double cost = 1;
  for (std::size_t i = 0; i < objectives_.size(); ++i) {
    if (exponents_[i] > 0) cost *= std::pow(part(i), exponents_[i]);
  }
  return cost;
}

bool Scoring::needs_baseline() const {
  for (std::size_t i = 0; i < objectives_.size(); ++i) {
    if (exponents_[i] > 0 && (worst_of_ > 0 || is_change(i))) return true;
  }
  return false;
}

double Scoring::level(const Figures& figures) const {
  if (worst_of_ == 0) return cost(figures, figures);
  Figures together = figures;
  for (Figure& figure : together) figure.cases.clear();
  return cost(together, together);
}

std::vector<double> Scoring::case_costs(const Figures& figures) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (exponents_[i] > 0 && is_by_cases(i, figures)) count = figures[i].cases.size();
  }
  std::vector<double> costs(count, 1.0);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < figures.size(); ++i) {
      if (exponents_[i] == 0 || is_change(i)) continue;
      const bool has = is_by_cases(i, figures) && k < figures[i].cases.size();
      const double value = has ? figures[i].cases[k].value : figures[i].value;
      costs[k] *= std::pow(cost_of(objectives_[i], value), exponents_[i]);
    }
  }
  return costs;
}

Objective judged_objective(const Problem& problem) { return Scoring(problem).judged(); }
Objective primary_objective(const Problem& problem) { return Scoring(problem).primary(); }

AcceptanceSettings judging(const Problem& problem) {
  AcceptanceSettings settings = problem.acceptance;
  const Objective judged = judged_objective(problem);
  settings.rises = judged.direction == Direction::kMaximise;
  settings.difference_scale = judged.difference_scale;
  settings.difference_unit = judged.unit;
  return settings;
}

}  // namespace nightshift::search
