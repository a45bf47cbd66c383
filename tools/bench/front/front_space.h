#pragma once

#include <span>
#include <string>
#include <vector>

#include "search/pareto.h"
#include "tools/bench/search/replay_space.h"

namespace nightshift::bench {

// A recorded space in which two figures are sought.
//
//   FILE         the file's objective and the time that the build took
//   FILE+OTHER   the objective of each file: one kernel on two devices. OTHER has the same
//                parameters; what worked in one of them alone has failed
class FrontSpace {
 public:
  // Throws problems::RecordedSpaceError, also where fewer than three configurations have both
  // figures, and where the better half by one figure and by the other have nothing in common.
  static FrontSpace read(const std::string& files);

  const ReplaySpace& replayed() const { return space_; }
  const std::string& second() const { return second_; }  // "build time", "MI250X"
  // How many configurations are on the true front.
  std::size_t front_size() const { return front_size_; }
  // The area below the median of each figure that these configurations and the baseline dominate,
  // over that of all; 1 is the true front. What failed has none, nor has what is no better than a
  // median.
  double covered(std::span<const search::ConfigurationIndex> configurations) const;

 private:
  FrontSpace(ReplaySpace space, std::string second);
  std::vector<search::ObjectivePoint> points_of(
      std::span<const search::ConfigurationIndex> configurations) const;

  ReplaySpace space_;
  std::string second_;
  std::vector<double> reference_;  // the medians
  double whole_ = 0;               // the true front's area
  std::size_t front_size_ = 0;
};

}  // namespace nightshift::bench
