#include "evaluator/answers/error_over_draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/rng.h"
#include "search/statistics/summary.h"

namespace nightshift::evaluator {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeastSize = 0.25;  // of an answer that counts, of the median

// Of what one output was off by, over what was expected of it, within a draw.
double slope_of(const std::vector<double>& got, const std::vector<double>& expected) {
  double count = 0, errors = 0, answers = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(got[i]) || !std::isfinite(expected[i])) continue;
    count += 1;
    errors += got[i] - expected[i];
    answers += expected[i];
  }
  if (count < static_cast<double>(ErrorOverDraws::kFewestOfSlope)) return kNone;
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(got[i]) || !std::isfinite(expected[i])) continue;
    const double from_mean = expected[i] - answers / count;
    products += from_mean * (got[i] - expected[i] - errors / count);
    squares += from_mean * from_mean;
  }
  return squares > 0 ? products / squares : kNone;
}

bool has_changed(const std::vector<double>& now, const std::vector<double>& before) {
  double moved = 0, size = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!std::isfinite(now[i]) || !std::isfinite(before[i])) continue;
    moved += (now[i] - before[i]) * (now[i] - before[i]);
    size += now[i] * now[i];
  }
  return moved >= ErrorOverDraws::kChange * ErrorOverDraws::kChange * size && size > 0;
}

std::string words_of(double share, bool of_all) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(),
                "%s about %.2g %% too %s in each of %d draws of the inputs, which rounding is not: "
                "its errors change their sign",
                of_all ? "all of it is" : "it is", 100 * std::abs(share),
                share > 0 ? "large" : "small", ErrorOverDraws::kDraws);
  return text.data();
}

}  // namespace

double ErrorOverDraws::least_share(double relative, double longest, double rounding) {
  return std::max(2 * relative, kRoundings * std::sqrt(longest) * rounding);
}

std::uint64_t ErrorOverDraws::seed_of(std::uint64_t seed, int draw) {
  constexpr std::uint64_t kDraw = std::uint64_t{1} << 40;  // beside those of cases and audits
  return base::mix_seed(seed, kDraw + static_cast<std::uint64_t>(draw));
}

ErrorOverDraws::ErrorOverDraws(std::vector<std::size_t> elements, double least)
    : elements_(std::move(elements)), least_(least) {
  const std::size_t step = (elements_.size() + kMostElements - 1) / kMostElements;
  for (std::size_t i = 0; step > 1 && i * step < elements_.size(); ++i) {
    elements_[i] = elements_[i * step];
  }
  if (step > 1) elements_.resize((elements_.size() + step - 1) / step);
  draws_.resize(elements_.size());
}

void ErrorOverDraws::add(const std::vector<double>& got, const std::vector<double>& expected) {
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const std::size_t at = elements_[i];
    draws_[i].push_back({got[at] - expected[at], expected[at]});
  }
  slopes_.push_back(slope_of(got, expected));
  changes_ = changes_ && (last_.empty() || has_changed(expected, last_));
  last_ = expected;
  of_largest_ = {};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!(std::abs(expected[i]) > std::abs(of_largest_.expected))) continue;
    largest_ = i;
    of_largest_ = {got[i] - expected[i], expected[i]};
  }
}

bool ErrorOverDraws::have_one_share(std::vector<double> shares) const {
  const bool all_numbers =
      std::ranges::all_of(shares, [](double share) { return std::isfinite(share); });
  if (shares.empty() || !all_numbers) return false;
  const double usual = search::median_of(shares);
  return std::abs(usual) >= least_ && std::ranges::all_of(shares, [&](double share) {
           return share / usual >= 1 / kWithin && share / usual <= kWithin;
         });
}

bool ErrorOverDraws::are_alike(const std::vector<Draw>& draws) const {
  std::vector<double> sizes, shares;
  for (const Draw& draw : draws) {
    if (!std::isfinite(draw.expected)) return false;
    sizes.push_back(std::abs(draw.expected));
  }
  const double least = kLeastSize * search::median_of(sizes);
  double products = 0, squares = 0, errors = 0, squared_errors = 0;
  for (const Draw& draw : draws) {
    if (std::abs(draw.expected) < least || draw.expected == 0) continue;
    shares.push_back(draw.error / draw.expected);
    products += draw.error * draw.expected;
    squares += draw.expected * draw.expected;
    errors += draw.error;
    squared_errors += draw.error * draw.error;
  }
  const auto count = static_cast<double>(shares.size());
  if (2 * shares.size() < draws.size() || !have_one_share(shares)) return false;
  const double beside_share = squared_errors - products * products / squares;
  const double beside_error = squared_errors - errors * errors / count;
  return beside_share <= kLeft * beside_error;
}

std::vector<std::size_t> ErrorOverDraws::alike() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < draws_.size() && draws() > 0; ++i) {
    if (are_alike(draws_[i])) found.push_back(i);
  }
  return found;
}

bool ErrorOverDraws::has_one_slope() const { return changes_ && have_one_share(slopes_); }

std::optional<search::WrongResult> ErrorOverDraws::systematic(const std::string& name,
                                                              double tolerance) const {
  if (draws() < kDraws) return std::nullopt;
  const auto found = [&](std::size_t element, const Draw& draw, double share, bool of_all) {
    return search::WrongResult{name,
                               element,
                               draw.expected + draw.error,
                               draw.expected,
                               std::abs(draw.error),
                               tolerance,
                               words_of(share, of_all)};
  };
  if (has_one_slope()) return found(largest_, of_largest_, search::median_of(slopes_), true);
  const auto those = alike();
  if (those.empty()) return std::nullopt;
  const std::vector<Draw>& draws = draws_[those.front()];
  std::vector<double> shares;
  for (const Draw& draw : draws) {
    if (draw.expected != 0) shares.push_back(draw.error / draw.expected);
  }
  return found(elements_[those.front()], draws.back(), search::median_of(shares), false);
}

}  // namespace nightshift::evaluator
