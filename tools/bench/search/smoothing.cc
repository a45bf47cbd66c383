#include "tools/bench/search/smoothing.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nightshift::bench {
namespace {

bool same_sign(double a, double b) { return (a > 0 && b > 0) || (a < 0 && b < 0); }

// One-sided three-point slope at an end, held back so that the curve stays monotone. `near` and
// `next` are the two intervals' widths and slopes, from the end inwards.
double end_slope(double near_width, double next_width, double near, double next) {
  const double slope =
      ((2 * near_width + next_width) * near - near_width * next) / (near_width + next_width);
  if (!same_sign(slope, near)) return 0;
  if (!same_sign(near, next) && std::abs(slope) > 3 * std::abs(near)) return 3 * near;
  return slope;
}

}  // namespace

Pchip::Pchip(std::vector<double> x, std::vector<double> y) : x_(std::move(x)), y_(std::move(y)) {
  const std::size_t n = x_.size();
  slopes_.assign(n, 0);
  if (n < 2) return;
  std::vector<double> width(n - 1), slope(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    width[i] = x_[i + 1] - x_[i];
    slope[i] = (y_[i + 1] - y_[i]) / width[i];
  }
  if (n == 2) {
    slopes_ = {slope[0], slope[0]};
    return;
  }
  for (std::size_t i = 1; i + 1 < n; ++i) {
    if (!same_sign(slope[i - 1], slope[i])) continue;
    const double left = 2 * width[i] + width[i - 1];
    const double right = width[i] + 2 * width[i - 1];
    slopes_[i] = (left + right) / (left / slope[i - 1] + right / slope[i]);
  }
  slopes_.front() = end_slope(width[0], width[1], slope[0], slope[1]);
  slopes_.back() = end_slope(width[n - 2], width[n - 3], slope[n - 2], slope[n - 3]);
}

double Pchip::operator()(double at) const {
  if (at <= x_.front()) return y_.front();
  if (at >= x_.back()) return y_.back();
  const auto right = std::upper_bound(x_.begin(), x_.end(), at);
  const auto i = static_cast<std::size_t>(right - x_.begin()) - 1;
  const double width = x_[i + 1] - x_[i];
  const double t = (at - x_[i]) / width;
  const double s = 1 - t;
  return y_[i] * (1 + 2 * t) * s * s + slopes_[i] * width * t * s * s +
         y_[i + 1] * t * t * (3 - 2 * t) - slopes_[i + 1] * width * t * t * s;
}

DecreasingFit::DecreasingFit(std::span<const Point> points) {
  struct Block {
    double sum = 0, weight = 0;
    std::size_t count = 0;  // of distinct x
    double mean() const { return sum / weight; }
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < points.size();) {
    Block block;
    const double x = points[i].x;
    for (; i < points.size() && points[i].x == x; ++i) {
      block.sum += points[i].y * points[i].weight;
      block.weight += points[i].weight;
    }
    if (!(block.weight > 0)) continue;
    block.count = 1;
    x_.push_back(x);
    while (!blocks.empty() && blocks.back().mean() <= block.mean()) {
      block.sum += blocks.back().sum;
      block.weight += blocks.back().weight;
      block.count += blocks.back().count;
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  y_.reserve(x_.size());
  for (const Block& block : blocks) y_.insert(y_.end(), block.count, block.mean());
}

std::vector<double> DecreasingFit::at(std::span<const double> places) const {
  std::vector<double> values;
  values.reserve(places.size());
  std::size_t right = 0;  // the first point beyond the place
  for (const double place : places) {
    while (right < x_.size() && x_[right] <= place) ++right;
    if (right == 0) {
      values.push_back(y_.front());
    } else if (right == x_.size()) {
      values.push_back(y_.back());
    } else {
      const double t = (place - x_[right - 1]) / (x_[right] - x_[right - 1]);
      values.push_back(y_[right - 1] + t * (y_[right] - y_[right - 1]));
    }
  }
  return values;
}

}  // namespace nightshift::bench
