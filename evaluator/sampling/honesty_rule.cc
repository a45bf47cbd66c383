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
  const bool longer = blind_is_longer();
  if (!longer && this->usual() <= most_) return Verdict::kHonest;
  if (pairs < kMostPairs) return Verdict::kGoOn;
  return longer ? Verdict::kBlindLonger : Verdict::kAllLonger;
}

std::string told_times(double seconds, double instead_of) {
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "%.4g us instead of %.4g us", seconds * 1e6,
                instead_of * 1e6);
  return text.data();
}

}  // namespace nightshift::evaluator
