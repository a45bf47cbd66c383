#include "search/statistics/sequential.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "search/statistics/distributions.h"
#include "search/statistics/summary.h"

namespace nightshift::search {

namespace {

constexpr double kClosestLooks = 1e-6;  // below, the integration would need too many points
constexpr double kInverseSqrt2Pi = 0.3989422804014327;
constexpr double kInverseSqrt2 = 0.7071067811865476;

// Gauss and Legendre's rule of eight points, on [-1, 1]; the negative halves are the mirror image.
constexpr double kPoints[] = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674,
                              0.96028985649753623};
constexpr double kWeights[] = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                               0.10122853629037626};
// Width of a panel in standard deviations of the narrowest Gaussian in the integrand: eight
// points then leave a relative error of 1e-13.
constexpr double kPanel = 1.5;

double upper_tail(double z) { return 0.5 * std::erfc(z * kInverseSqrt2); }

void check_looks(std::span<const double> fractions, std::span<const double> spent) {
  if (fractions.size() != spent.size()) {
    throw std::invalid_argument("each look needs an information fraction and an error spent");
  }
  double last_fraction = 0, last_spent = 0;
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    if (!(fractions[i] - last_fraction >= kClosestLooks) || !(fractions[i] <= 1)) {
      throw std::invalid_argument(
          "information fractions of looks must ascend in (0, 1], 1e-6 apart or more");
    }
    if (!(spent[i] >= last_spent) || !(spent[i] > 0 && spent[i] < 1)) {
      throw std::invalid_argument("the error spent at looks must ascend in (0, 1)");
    }
    last_fraction = fractions[i];
    last_spent = spent[i];
  }
}

// The Brownian paths that have not crossed a boundary up to a look: quadrature points, ascending,
// and the probability that each stands for (density times weight).
class Paths {
 public:
  // `reach`: where the standard normal distribution may be cut off.
  explicit Paths(double reach) : reach_(reach), places_{0}, masses_{1} {}

  // The chance to end above `boundary` after a further stretch of variance `step`.
  double crossing(double boundary, double step) const {
    double sum = 0;
    const double scale = 1 / std::sqrt(step);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      sum += masses_[i] * upper_tail((boundary - places_[i]) * scale);
    }
    return sum;
  }

  // What is left of the paths after that stretch, at information `fraction`, in panels narrow
  // enough for the stretch behind and the one ahead.
  Paths advanced(double boundary, double fraction, double step, double next_step) const {
    const double low = -reach_ * std::sqrt(fraction);
    const double high = std::min(boundary, -low);
    const double widest = kPanel * std::sqrt(std::min(step, next_step));
    const auto panels = static_cast<std::size_t>(std::ceil(std::max(1.0, (high - low) / widest)));
    const double half = (high - low) / static_cast<double>(panels) / 2;
    Paths next(reach_);
    next.places_.clear();
    next.masses_.clear();
    for (std::size_t panel = 0; panel < panels; ++panel) {
      const double middle = low + half * static_cast<double>(2 * panel + 1);
      for (int k = 3; k >= 0; --k) next.add(*this, middle - half * kPoints[k], step, half, k);
      for (int k = 0; k <= 3; ++k) next.add(*this, middle + half * kPoints[k], step, half, k);
    }
    return next;
  }

 private:
  void add(const Paths& before, double place, double step, double half, int k) {
    places_.push_back(place);
    masses_.push_back(before.density(place, step) * half * kWeights[k]);
  }

  double density(double place, double step) const {
    const double sd = std::sqrt(step);
    const auto begin = std::ranges::lower_bound(places_, place - reach_ * sd);
    double sum = 0;
    for (auto at = begin; at != places_.end() && *at <= place + reach_ * sd; ++at) {
      const double z = (place - *at) / sd;
      sum += masses_[static_cast<std::size_t>(at - places_.begin())] * std::exp(-0.5 * z * z);
    }
    return sum * kInverseSqrt2Pi / sd;
  }

  double reach_;
  std::vector<double> places_, masses_;
};

// Where the chance to cross is `chance`; by bisection, as it falls with the boundary.
double boundary_for(const Paths& paths, double chance, double step, double reach) {
  double low = -reach, high = reach;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return high;
    (paths.crossing(middle, step) > chance ? low : high) = middle;
  }
}

// Where tails are too thin to change the smallest chance that is asked for.
double reach_for(std::span<const double> spent) {
  double smallest = 1, last = 0;
  for (const double s : spent) {
    if (s > last) smallest = std::min(smallest, s - last);
    last = s;
  }
  return normal_upper_quantile(std::max(1e-300, 1e-14 * smallest));
}

}  // namespace

std::vector<double> sequential_levels(std::span<const double> fractions,
                                      std::span<const double> spent) {
  check_looks(fractions, spent);
  const double reach = reach_for(spent);
  std::vector<double> levels;
  Paths paths(reach);
  double last_fraction = 0, last_spent = 0;
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    const double step = fractions[i] - last_fraction;
    const double chance = spent[i] - last_spent;
    const double boundary = chance > 0 ? boundary_for(paths, chance, step, reach)
                                       : std::numeric_limits<double>::infinity();
    levels.push_back(upper_tail(boundary / std::sqrt(fractions[i])));
    if (i + 1 == fractions.size()) break;
    paths = paths.advanced(boundary, fractions[i], step, fractions[i + 1] - fractions[i]);
    last_fraction = fractions[i];
    last_spent = spent[i];
  }
  return levels;
}

std::vector<double> sequential_levels(double alpha, std::span<const double> fractions) {
  std::vector<double> spent;
  for (const double fraction : fractions) spent.push_back(alpha * fraction);
  return sequential_levels(fractions, spent);
}

bool StratifiedT::all_positive() const {
  return !device_means.empty() && std::ranges::all_of(device_means, [](double m) { return m > 0; });
}

StratifiedT stratified_t(Strata devices, double margin, double variance_floor) {
  StratifiedT result;
  const bool usable = std::ranges::all_of(devices, [](std::span<const double> device) {
    return !device.empty() && all_finite(device);
  });
  if (devices.empty() || !usable) return result;
  for (const std::span<const double> device : devices) {
    result.device_means.push_back(mean_of(device));
  }
  result.estimate = mean_of(result.device_means);
  const bool pairs = std::ranges::all_of(
      devices, [](std::span<const double> device) { return device.size() > 1; });
  if (!pairs) return result;

  std::vector<double> squared_errors;
  for (const std::span<const double> device : devices) {
    squared_errors.push_back(std::max(variance_of(device), variance_floor) /
                             static_cast<double>(device.size()));
  }
  // Relative to the largest, so that squares of tiny variances do not vanish.
  const double scale = std::ranges::max(squared_errors);
  double sum = 0, weights = 0, all_df = 0;
  for (std::size_t g = 0; g < devices.size(); ++g) {
    const double v = scale > 0 ? squared_errors[g] / scale : 0;
    const auto df = static_cast<double>(devices[g].size() - 1);
    sum += v;
    weights += v * v / df;
    all_df += df;
  }
  result.error = std::sqrt(scale * sum) / static_cast<double>(devices.size());
  result.df = scale > 0 ? sum * sum / weights : all_df;
  if (!(result.error > 0) || !std::isfinite(result.error)) return result;
  result.t = (result.estimate - margin) / result.error;
  result.p = student_upper_tail(result.t, result.df);
  return result;
}

Interval interval_of(const StratifiedT& result, double confidence) {
  if (!(result.error > 0) || !std::isfinite(result.error)) {
    return {kUnbounded.low, kUnbounded.high, confidence};
  }
  const double reach = student_upper_quantile((1 - confidence) / 2, result.df) * result.error;
  return {result.estimate - reach, result.estimate + reach, confidence};
}

}  // namespace nightshift::search
