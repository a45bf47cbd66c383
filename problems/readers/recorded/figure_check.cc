#include "problems/readers/recorded/figure_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

#include "search/statistics/summary.h"

namespace nightshift::problems {
namespace {

constexpr double kTolerance = 1e-3;

bool agree(double a, double b) {
  return std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b));
}

}  // namespace

bool is_statistic(double figure, const std::vector<double>& repetitions) {
  return agree(figure, search::mean_of(repetitions)) ||
         agree(figure, search::quantile_of(repetitions, 0.5)) ||
         agree(figure, std::ranges::min(repetitions));
}

void FigureCheck::add(double figure, const std::vector<double>& repetitions) {
  if (repetitions.empty() || !std::isfinite(figure)) return;
  ++looked_at_;
  const auto [least, most] = std::ranges::minmax(repetitions);
  if (is_statistic(figure, repetitions)) return;
  ++differ_;
  if (figure >= least && figure <= most) return;
  ++outside_;
  const double nearest = figure < least ? least : most;
  if (figure > 0 && nearest > 0) {
    farthest_ = std::max({farthest_, figure / nearest, nearest / figure});
  }
}

std::string FigureCheck::remark(const std::string& figure, const std::string& repetitions) const {
  if (differ_ == 0) return "";
  std::string text = "in " + std::to_string(differ_) + " of " + std::to_string(looked_at_) +
                     " configurations '" + figure +
                     "' is neither the mean nor the median nor the "
                     "least of '" +
                     repetitions + "'";
  if (outside_ > 0) {
    char factor[32];
    std::snprintf(factor, sizeof factor, "%.3g", farthest_);
    text += " (in " + std::to_string(outside_) + " it lies outside of them, by a factor of up to " +
            factor + ")";
  }
  return text + "; what is replayed is '" + repetitions + "'";
}

}  // namespace nightshift::problems
