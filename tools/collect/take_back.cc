#include "tools/collect/take_back.h"

#include <algorithm>
#include <numeric>

namespace nightshift::tools {

TakeBack::TakeBack(std::size_t count, bool one_by_one) : one_by_one_(one_by_one), kept_(count) {
  std::iota(kept_.begin(), kept_.end(), std::size_t{0});
  if (count > 0) waiting_.push_back(kept_);
}

std::optional<std::vector<std::size_t>> TakeBack::next() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.back();
}

void TakeBack::ended(ComparisonOutcome outcome) {
  const std::vector<std::size_t> group = waiting_.back();
  waiting_.pop_back();
  // Of all of them, a gain and a loss may have cancelled out.
  const bool may_hide = one_by_one_ || (is_first_ && outcome != ComparisonOutcome::kSecondBetter);
  is_first_ = false;
  if (outcome == ComparisonOutcome::kSecondWorse && group.size() == 1) {
    std::erase(kept_, group.front());
    taken_back_.push_back(group.front());
    return;
  }
  if (group.size() > 1 && (may_hide || outcome == ComparisonOutcome::kSecondWorse)) halve(group);
}

std::vector<std::size_t> TakeBack::kept_without(const std::vector<std::size_t>& group) const {
  std::vector<std::size_t> others = kept_;
  std::erase_if(others,
                [&](std::size_t one) { return std::ranges::find(group, one) != group.end(); });
  return others;
}

void TakeBack::halve(const std::vector<std::size_t>& group) {
  const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
  waiting_.emplace_back(middle, group.end());
  waiting_.emplace_back(group.begin(), middle);
}

}  // namespace nightshift::tools
