#include "search/statistics/resampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "search/rng.h"
#include "search/statistics/distributions.h"
#include "search/statistics/strata.h"
#include "search/statistics/summary.h"

namespace nightshift::search {

namespace {

constexpr double kMostArrangements = 1'100'000;  // 2^20 and 7^7 are below
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Counts sums that reach the observed one, up to rounding.
class Counter {
 public:
  Counter(double observed, double slack) : observed_(observed), slack_(slack) {}

  void add(double sum) {
    ++all_;
    greater_ += sum >= observed_ - slack_ ? 1 : 0;
    beyond_ += std::abs(sum) >= std::abs(observed_) - slack_ ? 1 : 0;
  }

  // `given`: arrangements besides those counted that reach it, the data themselves in a draw.
  PermutationTest result(double effect, std::size_t given) const {
    const auto share = [&](std::size_t count) {
      return static_cast<double>(count + given) / static_cast<double>(all_ + given);
    };
    return {effect, share(greater_), share(beyond_), given == 0};
  }

 private:
  double observed_, slack_;
  std::size_t all_ = 0, greater_ = 0, beyond_ = 0;
};

void count_signs(std::span<const double> rest, double sum, Counter& counter) {
  if (rest.empty()) return counter.add(sum);
  count_signs(rest.subspan(1), sum + rest[0], counter);
  count_signs(rest.subspan(1), sum - rest[0], counter);
}

// All choices of `left` of the rest.
void count_choices(std::span<const double> rest, std::size_t left, double sum, Counter& counter) {
  if (left == 0) return counter.add(sum);
  for (std::size_t i = 0; i + left <= rest.size(); ++i) {
    count_choices(rest.subspan(i + 1), left - 1, sum + rest[i], counter);
  }
}

double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum;
}

// What sums of these values may differ by although they are equal.
double slack_for(std::span<const double> values) {
  double sum = 0;
  for (const double x : values) sum += std::abs(x);
  return static_cast<double>(values.size() + 8) * kEpsilon * sum;
}

double number_of_choices(std::size_t all, std::size_t chosen) {
  double ways = 1;
  for (std::size_t i = 1; i <= chosen && ways <= kMostArrangements; ++i) {
    ways = ways * static_cast<double>(all - chosen + i) / static_cast<double>(i);
  }
  return ways;
}

std::vector<double> all_resampled(std::span<const double> values, const Statistic& statistic) {
  const std::size_t n = values.size();
  std::vector<std::size_t> picks(n, 0);
  std::vector<double> sample(n, values[0]), results;
  while (true) {
    results.push_back(statistic(sample));
    std::size_t at = 0;
    while (at < n && ++picks[at] == n) {
      picks[at] = 0;
      sample[at] = values[0];
      ++at;
    }
    if (at == n) return results;
    sample[at] = values[picks[at]];
  }
}

std::vector<double> some_resampled(std::span<const double> values, const Statistic& statistic,
                                   const Resampling& how) {
  Rng rng(how.seed);
  std::vector<double> sample(values.size()), results;
  for (std::size_t draw = 0; draw < std::max<std::size_t>(1, how.draws); ++draw) {
    for (double& x : sample) x = values[rng.below(values.size())];
    results.push_back(statistic(sample));
  }
  return results;
}

// Of the statistic without each value in turn; 0 where these are all equal.
double acceleration_of(std::span<const double> values, const Statistic& statistic) {
  if (values.size() < 2) return 0;
  std::vector<double> results;
  for (std::size_t left_out = 0; left_out < values.size(); ++left_out) {
    std::vector<double> rest(values.begin(), values.end());
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(left_out));
    results.push_back(statistic(rest));
  }
  const double mean = mean_of(results);
  double squares = 0, cubes = 0;
  for (const double x : results) {
    squares += (mean - x) * (mean - x);
    cubes += (mean - x) * (mean - x) * (mean - x);
  }
  return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

double bca_level(double z0, double acceleration, double z) {
  if (std::isinf(z0)) return z0 > 0 ? 1 : 0;
  const double stretch = 1 - acceleration * (z0 + z);
  if (stretch <= 0) return z > 0 ? 1 : 0;  // beyond the pole of the correction
  return normal_cdf(z0 + (z0 + z) / stretch);
}

void correct(Bootstrap& result, std::span<const double> values, const Statistic& statistic,
             std::span<const double> sorted, double confidence) {
  double scale = std::abs(result.value);
  for (const double x : values) scale = std::max(scale, std::abs(x));
  const double slack = static_cast<double>(values.size() + 8) * kEpsilon * scale;
  const auto below = std::ranges::lower_bound(sorted, result.value - slack) - sorted.begin();
  result.share_below = static_cast<double>(below) / static_cast<double>(sorted.size());
  result.bias_z0 = normal_quantile(result.share_below);
  result.acceleration = acceleration_of(values, statistic);
  const double z = normal_upper_quantile((1 - confidence) / 2);
  result.bca_levels = {bca_level(result.bias_z0, result.acceleration, -z),
                       bca_level(result.bias_z0, result.acceleration, z)};
  result.bca = {quantile_of(sorted, result.bca_levels.low),
                quantile_of(sorted, result.bca_levels.high)};
}

}  // namespace

PermutationTest sign_flip_test(std::span<const double> differences, const Resampling& how) {
  if (differences.empty() || !all_finite(differences)) return {};
  const double sum = sum_of(differences);
  Counter counter(sum, slack_for(differences));
  const double effect = mean_of(differences);
  if (std::exp2(static_cast<double>(differences.size())) <= kMostArrangements) {
    count_signs(differences, 0, counter);
    return counter.result(effect, 0);
  }
  Rng rng(how.seed);
  for (std::size_t draw = 0; draw < how.draws; ++draw) {
    double flipped = 0;
    for (const double d : differences) flipped += rng.coin() ? d : -d;
    counter.add(flipped);
  }
  return counter.result(effect, 1);
}

PermutationTest permutation_test(std::span<const double> x, std::span<const double> y,
                                 const Resampling& how) {
  if (x.empty() || y.empty() || !all_finite(x) || !all_finite(y)) return {};
  // Around the common mean, the difference of the means is a multiple of the sum of x, or of the
  // sum of y with its sign turned: the smaller side is chosen.
  const bool turned = x.size() > y.size();
  const std::span<const double> chosen = turned ? y : x, other = turned ? x : y;
  std::vector<double> all;
  for (const double v : chosen) all.push_back(v - x[0]);
  for (const double v : other) all.push_back(v - x[0]);
  const double mean = mean_of(all);
  for (double& v : all) v = turned ? mean - v : v - mean;
  Counter counter(sum_of(std::span(all).first(chosen.size())), slack_for(all));
  const double effect = mean_of(x) - mean_of(y);
  if (number_of_choices(all.size(), chosen.size()) <= kMostArrangements) {
    count_choices(all, chosen.size(), 0, counter);
    return counter.result(effect, 0);
  }
  Rng rng(how.seed);
  for (std::size_t draw = 0; draw < how.draws; ++draw) {
    rng.shuffle(all);
    counter.add(sum_of(std::span(all).first(chosen.size())));
  }
  return counter.result(effect, 1);
}

Bootstrap bootstrap(std::span<const double> values, const Statistic& statistic, double confidence,
                    const Resampling& how) {
  Bootstrap result;
  if (!all_finite(values)) return result;
  result.value = statistic(values);
  if (values.empty()) return result;
  const auto n = static_cast<double>(values.size());
  result.exact = std::pow(n, n) <= kMostArrangements;
  std::vector<double> resampled =
      result.exact ? all_resampled(values, statistic) : some_resampled(values, statistic, how);
  std::ranges::sort(resampled);
  // The resamples are the whole distribution: over n, not n - 1.
  const auto count = static_cast<double>(resampled.size());
  result.standard_error = sd_of(resampled) * std::sqrt((count - 1) / count);
  const double tail = (1 - confidence) / 2;
  result.percentile = {quantile_of(resampled, tail), quantile_of(resampled, 1 - tail)};
  correct(result, values, statistic, resampled, confidence);
  return result;
}

}  // namespace nightshift::search
