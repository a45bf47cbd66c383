#pragma once

#include <vector>

#include "search/problem.h"

namespace nightshift::evaluator {

// Whether a kernel takes longer where it cannot know the answer yet. Told of pairs of passes that
// differ in nothing else: `usual`, as the samples were taken, and `blind`, on poisoned outputs or on
// inputs that it never saw. What computes its answer cannot tell one from the other.
//
//   honest         after kFewest pairs (kPairs where nobody is trusted) the median of blind over usual
//                  is not above kRatio, and the median of usual not above `most`
//   blind longer   after `most_pairs` the former is, and seven eighths of the pairs point that way
//   all longer     after `most_pairs` the latter is: what was sampled was something else
//
// By chance nine pairs point one way, all but one, in 1 % of cases; 25, all but three, in 0.01 %.
class HonestyRule {
 public:
  static constexpr int kFewest = 1, kPairs = 9;
  static constexpr double kRatio = 1.05, kPoints = 1.02;
  enum class Verdict { kGoOn, kHonest, kBlindLonger, kAllLonger };

  // In seconds a pass: what a difference has to exceed, and the most that samples let expect.
  HonestyRule(search::Trust trust, double tick, double most, int most_pairs = kPairs);

  Verdict add(double usual, double blind);
  // Medians, in seconds.
  double usual() const;
  double blind() const;

 private:
  bool blind_is_longer() const;

  int fewest_, most_pairs_;
  double tick_, most_;
  std::vector<double> usual_, blind_;
};

}  // namespace nightshift::evaluator
