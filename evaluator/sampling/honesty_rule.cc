#include "evaluator/sampling/honesty_rule.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>

namespace nightshift::evaluator {
namespace {

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

HonestyRule::HonestyRule(search::Trust trust, double tick, double most)
    : fewest_(trust == search::Trust::kNone ? kPairs : kFewest), tick_(tick), most_(most) {}

double HonestyRule::usual() const { return median_of(usual_); }
double HonestyRule::blind() const { return median_of(blind_); }
double HonestyRule::longer() const { return std::max(usual(), blind()); }

// Of as many pairs as there are; how many point that way is asked of all alone.
bool HonestyRule::blind_is_longer() const {
  std::vector<double> ratios;
  int pointing = 0;
  for (std::size_t i = 0; i < usual_.size(); ++i) {
    ratios.push_back((blind_[i] - tick_) / usual_[i]);
    if (ratios.back() > kPoints) ++pointing;
  }
  if (median_of(ratios) <= kRatio) return false;
  return static_cast<int>(ratios.size()) < kMostPairs || pointing >= kMostPairs - kMostPairs / 8;
}

HonestyRule::Verdict HonestyRule::add(double usual, double blind) {
  usual_.push_back(usual);
  blind_.push_back(blind);
  const auto pairs = static_cast<int>(usual_.size());
  if (pairs < fewest_) return Verdict::kGoOn;
  if (!looks_wrong()) return Verdict::kHonest;
  if (pairs < kMostPairs) return Verdict::kGoOn;
  return blind_is_longer() ? Verdict::kBlindLonger : Verdict::kAllLonger;
}

HonestyRule::Verdict HonestyRule::at_the_end() const {
  if (static_cast<int>(usual_.size()) < kFewestAtEnd) return Verdict::kHonest;
  bool blind_longer = true;
  for (std::size_t i = 0; i < usual_.size(); ++i) {
    blind_longer = blind_longer && blind_[i] - tick_ > kPlain * usual_[i];
  }
  if (blind_longer) return Verdict::kBlindLonger;
  const auto are_longer = [&](const std::vector<double>& passes) {
    return std::all_of(passes.begin(), passes.end(),
                       [&](double seconds) { return seconds > kPlain * most_; });
  };
  return are_longer(usual_) || are_longer(blind_) ? Verdict::kAllLonger : Verdict::kHonest;
}

JudgedPairs judge_pairs(HonestyRule& rule, const TimeForPairs& time,
                        const std::function<std::optional<PairTimes>()>& pair) {
  constexpr double kMostTimes = 3;
  for (int pairs = 1;; ++pairs) {
    const auto times = pair();
    if (!times) return {};
    const auto verdict = rule.add(times->usual, times->blind);
    if (verdict != HonestyRule::Verdict::kGoOn) return {verdict, false};
    const bool are_too_few = pairs < HonestyRule::kFewestAtEnd;
    const double its_most = (are_too_few ? kMostTimes : 1) * time.most;
    const bool is_over = !are_too_few && time.is_over && time.is_over();
    if (!is_over && (time.most <= 0 || time.elapsed() <= its_most)) continue;
    const auto last = rule.at_the_end();
    return {last, last == HonestyRule::Verdict::kHonest && rule.looks_wrong()};
  }
}

std::string told_times(double seconds, double instead_of) {
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "%.4g us instead of %.4g us", seconds * 1e6,
                instead_of * 1e6);
  return text.data();
}

}  // namespace nightshift::evaluator
