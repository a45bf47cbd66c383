#include "search/acceptance/aa_error.h"

#include <cmath>
#include <cstddef>

#include "base/rng.h"
#include "search/statistics/location_tests.h"
#include "search/statistics/summary.h"

namespace nightshift::search {
namespace {

constexpr int kDraws = 400;
constexpr double kLevel = 0.05;

std::vector<double> neighbour_differences(std::span<const double> logs) {
  std::vector<double> differences;
  for (std::size_t i = 0; i + 1 < logs.size(); i += 2) {
    differences.push_back(logs[i + 1] - logs[i]);
  }
  return differences;
}

struct Tally {
  std::vector<double> errors;
  int false_alarms = 0;
  void add(const TTest& test) {
    errors.push_back(std::abs(test.effect));
    false_alarms += test.p_two_sided < kLevel ? 1 : 0;
  }
  double share() const {
    return errors.empty() ? 0 : false_alarms / static_cast<double>(errors.size());
  }
};

Tally paired(std::span<const double> differences, std::size_t pairs, base::Rng& rng) {
  Tally tally;
  for (int draw = 0; draw < kDraws; ++draw) {
    const std::size_t from = rng.below(differences.size() - pairs + 1);
    std::vector<double> turned(differences.begin() + static_cast<std::ptrdiff_t>(from),
                               differences.begin() + static_cast<std::ptrdiff_t>(from + pairs));
    for (double& d : turned) d = rng.coin() ? d : -d;
    tally.add(paired_t(turned));
  }
  return tally;
}

Tally blocks(std::span<const double> logs, std::size_t size) {
  Tally tally;
  for (std::size_t from = 0; from + 2 * size <= logs.size(); ++from) {
    tally.add(welch_test(logs.subspan(from, size), logs.subspan(from + size, size)));
  }
  return tally;
}

}  // namespace

double neighbour_sd(std::span<const double> logs) {
  const std::vector<double> differences = neighbour_differences(logs);
  if (differences.empty()) return 0;
  double squares = 0;
  for (const double d : differences) squares += d * d;
  return std::sqrt(squares / static_cast<double>(differences.size()));
}

std::vector<AaPoint> aa_errors(std::span<const double> logs, std::uint64_t seed) {
  const std::vector<double> differences = neighbour_differences(logs);
  base::Rng rng(seed);
  std::vector<AaPoint> points;
  for (std::size_t pairs = 4; pairs <= differences.size(); pairs *= 2) {
    const Tally p = paired(differences, pairs, rng);
    const Tally b = blocks(logs, pairs);
    points.push_back({pairs, mean_of(p.errors), quantile_of(p.errors, 0.95), p.share(),
                      b.errors.size(), mean_of(b.errors), quantile_of(b.errors, 0.95), b.share()});
  }
  return points;
}

}  // namespace nightshift::search
