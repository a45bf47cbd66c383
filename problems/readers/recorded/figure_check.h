#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace nightshift::problems {

// Whether it is their mean, median or least, to 0.1 %; of repetitions that are not empty.
bool is_statistic(double figure, const std::vector<double>& repetitions);

// Whether the one figure that a recording gives for a configuration is a statistic of the
// repetitions that it lists beside it. Published recordings
// exist in which it is not, and lies outside of them by a factor of hundreds.
class FigureCheck {
 public:
  void add(double figure, const std::vector<double>& repetitions);
  // "in 12 of 40 configurations ..."; empty where every figure is one. `figure` and `repetitions`
  // are what the file calls the two.
  std::string remark(const std::string& figure, const std::string& repetitions) const;

 private:
  std::size_t looked_at_ = 0, differ_ = 0, outside_ = 0;
  double farthest_ = 1;  // ratio of a figure outside of its repetitions to the nearest of them
};

}  // namespace nightshift::problems
