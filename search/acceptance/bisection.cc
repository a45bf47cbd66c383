#include "search/acceptance/bisection.h"

#include <algorithm>
#include <bit>

namespace nightshift::search {

Bisection::Bisection(std::size_t points)
    : findings_(std::max<std::size_t>(points, 2)), bad_(findings_.size() - 1) {
  findings_.front() = Finding::kGood;
  findings_.back() = Finding::kBad;
}

std::optional<std::size_t> Bisection::next() const {
  const std::size_t middle = good_ + (bad_ - good_) / 2;
  std::optional<std::size_t> nearest;
  const auto distance = [middle](std::size_t point) {
    return point > middle ? point - middle : middle - point;
  };
  for (std::size_t point = good_ + 1; point < bad_; ++point) {
    if (findings_[point] == Finding::kSkipped) continue;
    if (!nearest || distance(point) < distance(*nearest)) nearest = point;
  }
  return nearest;
}

void Bisection::found(std::size_t point, Finding finding) {
  findings_[point] = finding;
  if (finding == Finding::kGood) good_ = std::max(good_, point);
  if (finding == Finding::kBad) bad_ = std::min(bad_, point);
}

std::vector<std::size_t> Bisection::skipped() const {
  std::vector<std::size_t> points;
  for (std::size_t point = good_ + 1; point < bad_; ++point) {
    if (findings_[point] == Finding::kSkipped) points.push_back(point);
  }
  return points;
}

int Bisection::steps(std::size_t points) {
  return points < 2 ? 0 : static_cast<int>(std::bit_width(points - 2));
}

}  // namespace nightshift::search
