#pragma once

#include <string>
#include <vector>

#include "search/problem.h"

namespace nightshift::evaluator {

// Whether a kernel takes longer where it cannot know the answer yet. Told of pairs of passes that
// differ in nothing else: `usual`, as the samples were taken, and `blind`, on poisoned outputs or
// on inputs that it never saw. What computes its answer cannot tell one from the other.
//
//   honest         after kFewest pairs (kPairs where nobody is trusted) the median of blind over
//                  usual is not above kRatio, and the median of usual not above `most`
//   blind longer   after kMostPairs the former is, and all but three of the pairs point that way
//   all longer     after kMostPairs the latter is: what was sampled was something else
//
// Pairs point one way by chance, all but three of 25, in 0.01 % of cases, if the order within each
// is drawn: launches of a few microseconds were seen to take 5 % longer every other time.
class HonestyRule {
 public:
  static constexpr int kFewest = 1, kPairs = 9, kMostPairs = 25;
  static constexpr double kRatio = 1.05, kPoints = 1.02;
  enum class Verdict { kGoOn, kHonest, kBlindLonger, kAllLonger };

  // In seconds a pass: what a difference has to exceed, and the most that samples let expect.
  HonestyRule(search::Trust trust, double tick, double most);

  Verdict add(double usual, double blind);
  // Medians, in seconds.
  double usual() const;
  double blind() const;

 private:
  bool blind_is_longer() const;

  int fewest_;
  double tick_, most_;
  std::vector<double> usual_, blind_;
};

// "2000 us instead of 3.4 us": of two times in seconds, how failures tell them.
std::string told_times(double seconds, double instead_of);

}  // namespace nightshift::evaluator
