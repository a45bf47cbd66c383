#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/problem/sampling_plan.h"

namespace nightshift::evaluator {

// Whether a kernel takes longer where it cannot know the answer yet. Told of pairs of passes that
// differ in nothing else: `usual`, as the samples were taken, and `blind`, on poisoned outputs or
// on inputs that it never saw. What computes its answer cannot tell one from the other.
//
//   honest         after kFewest pairs (kPairs where nobody is trusted) the median of blind over
//                  usual is not above kRatio, and neither has a median above `most`
//   blind longer   after kMostPairs the former is, and all but three of the pairs point that way
//   all longer     after kMostPairs the latter is: what was sampled was something else. The blind
//                  ones are asked too: who rests in some of the usual ones, as the moment has it,
//                  points no way clearly enough
//
// Where the time for pairs is over before there are kMostPairs, only what is plain counts: it is
// blind longer, or all longer, where there are kFewestAtEnd pairs or more and each of them is so by
// kPlain.
//
// Pairs point one way by chance, all but three of 25, in 0.01 % of cases, if the order within each
// is drawn: launches of a few microseconds were seen to take 5 % longer every other time.
class HonestyRule {
 public:
  static constexpr int kFewest = 1, kPairs = 9, kMostPairs = 25;
  static constexpr int kFewestAtEnd = 3;
  static constexpr double kRatio = 1.05, kPoints = 1.02, kPlain = 2;
  enum class Verdict { kGoOn, kHonest, kBlindLonger, kAllLonger };

  // In seconds a pass: what a difference has to exceed, and the most that samples let expect.
  HonestyRule(search::Trust trust, double tick, double most);

  Verdict add(double usual, double blind);
  Verdict at_the_end() const;  // no more pairs follow
  // Medians, in seconds.
  double usual() const;
  double blind() const;
  double longer() const;                                    // of the two
  bool usual_is_longer() const { return usual() > most_; }  // than samples let expect
  bool looks_wrong() const { return blind_is_longer() || longer() > most_; }

 private:
  bool blind_is_longer() const;

  int fewest_;
  double tick_, most_;
  std::vector<double> usual_, blind_;
};

// Seconds of the two passes of a pair.
struct PairTimes {
  double usual = 0, blind = 0;
};
// How long pairs may take: `most` seconds (0: any), or three times that where they are too few to
// say something. `elapsed`: seconds since they began. `is_over`: nothing follows those that are
// enough to say something (absent: never).
struct TimeForPairs {
  double most = 0;
  std::function<double()> elapsed;
  std::function<bool()> is_over = {};
};
// What `rule` says of as many pairs as it asks for, or as there is time for. A pair that is none
// ends it: honest.
struct JudgedPairs {
  HonestyRule::Verdict verdict = HonestyRule::Verdict::kHonest;
  bool is_cut_short = false;  // something looked wrong when the time was over
};
JudgedPairs judge_pairs(HonestyRule& rule, const TimeForPairs& time,
                        const std::function<std::optional<PairTimes>()>& pair);

// "2000 us instead of 3.4 us": of two times in seconds, how failures tell them.
std::string told_times(double seconds, double instead_of);

}  // namespace nightshift::evaluator
