#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/trial.h"

namespace nightshift::evaluator {

// Whether the errors of an output are rounding, where numbers cancel and rounding may explain much.
// The inputs are drawn anew some times. What rounding leaves has another sign and another share of
// the answer each time; a factor that is wrong has one of each. So an error is none of rounding
// where, in kDraws draws of which half or more count,
//
//   all shares of the answer, error / expected, have one sign, and are within kWithin of their median;
//   the shares are more alike than the errors: what is left of the errors beside one share is kLeft
//   at most of what is left beside one error. A bias that rounding has, such as the square of what
//   the mean is off by, stays what it is where the answer becomes another one.
//
// A draw counts for an element whose answer there is a quarter of its median size or more. Each
// element that is asked is looked at by itself. So is the whole output: for each draw there is the
// slope of its errors over its answers, in which noise of many elements cancels.
//
// Honest errors have one sign by chance in one of 2^23 elements, and few of these the rest.
class ErrorOverDraws {
 public:
  static constexpr int kDraws = 24, kDrawsOfLook = 8;
  static constexpr double kWithin = 2, kLeft = 0.1;
  static constexpr std::size_t kMostElements = std::size_t{1} << 16;  // asked by themselves
  static constexpr std::size_t kFewestOfSlope = 16;                   // elements of an output
  static constexpr double kChange = 0.1;  // of the answer's size, between draws: inputs were drawn

  // A sum of n numbers has a backward error of some sqrt(n) roundings: so many times that.
  static constexpr double kRoundings = 8;
  // Shares of an answer below this are no fault: what the tolerance lets pass of one of each sign,
  // and what a sum of `longest` numbers may be off by, with one sign, where nothing cancels.
  static double least_share(double relative, double longest, double rounding);
  // Of the inputs of draw 1 and on, where those of an evaluation have `seed`.
  static std::uint64_t seed_of(std::uint64_t seed, int draw);

  // `elements`: that are asked, of which some are left out where they are too many. Shares below
  // `least` are no matter.
  ErrorOverDraws(std::vector<std::size_t> elements, double least);

  // Of another draw.
  void add(const std::vector<double>& got, const std::vector<double>& expected);
  int draws() const { return static_cast<int>(slopes_.size()); }
  // Whether the draws so far are alike: more of them may show that it is no rounding.
  bool is_alike() const { return !alike().empty() || has_one_slope(); }
  // After kDraws: what is wrong with output `name`.
  std::optional<search::WrongResult> systematic(const std::string& name, double tolerance) const;

 private:
  struct Draw {
    double error = 0, expected = 0;
  };
  std::vector<std::size_t> alike() const;  // positions in elements_
  bool are_alike(const std::vector<Draw>& draws) const;
  bool have_one_share(std::vector<double> shares) const;
  bool has_one_slope() const;

  std::vector<std::size_t> elements_;
  double least_;
  std::vector<std::vector<Draw>> draws_;  // by element
  std::vector<double> slopes_;            // NaN: the output has none
  std::vector<double> last_;              // what was expected in the last draw
  std::size_t largest_ = 0;               // element of the last draw, by the answer's size
  Draw of_largest_;
  bool changes_ = true;
};

}  // namespace nightshift::evaluator
