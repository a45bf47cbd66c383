#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nightshift::bench {

// The monotone piecewise cubic through the points (Fritsch and Butland 1984), with the end slopes
// that SciPy's PchipInterpolator takes. x strictly ascending; at least one point; one point gives a
// constant, two a line. Outside of the points the nearest end's value.
class Pchip {
 public:
  Pchip(std::vector<double> x, std::vector<double> y);
  double operator()(double at) const;

 private:
  std::vector<double> x_, y_, slopes_;
};

// The non-increasing step function nearest to weighted points in the squared sense (pool adjacent
// violators), with lines between the points, as scikit-learn's IsotonicRegression predicts.
class DecreasingFit {
 public:
  struct Point {
    double x = 0, y = 0, weight = 1;
  };
  // `points` ascending in x; those of weight 0 are left out, those at one x become their mean. At
  // least one of them has weight.
  explicit DecreasingFit(std::span<const Point> points);
  // At ascending places; outside of the points the nearest end's value.
  std::vector<double> at(std::span<const double> places) const;

 private:
  std::vector<double> x_, y_;
};

}  // namespace nightshift::bench
