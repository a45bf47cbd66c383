#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "evaluator/cuda/launch/support_kernels.h"

namespace nightshift::evaluator::cuda {

// Whether the small elements of an answer are lost: set to zero, or off by about their own size, where
// the gate of an element, which goes by the size of the whole answer, lets that pass.
//
// Rounding loses small elements as well: 1 + x - 1 is 0 where x is below 6e-8. Such an error is as
// large in elements of any size, and may have either sign. What was left out is an error of the
// small ones alone, each time its whole element. So elements are lost where
//
// - kFewest or more have an error that is about all of them, and of all that are no larger nine in
//   ten have;
// - the next larger ones, up to an eighth of the answer's root mean square, have no such error:
//   three quarters of them are off by less than 1/64 of the largest that is lost, beside the
//   rounding of their own digits.
//
// Where there are fewer than kFewest of these, nothing tells of the rounding. Then elements count
// from half of the rounding of the answer's size on, and those whose digits are more than rounding
// leaves: what is left of numbers near 1 is a small multiple of the last digit of these.
//
// Sizes are looked at by octaves, each count a pass over the answer; one alone where fewer than
// kFewest are lost. Answers in Python have such a rule too (python/nightshift/small_elements.py).
class SmallElements {
 public:
  static constexpr std::uint64_t kFewest = 16,
                                 kEnough = 64;  // that are lost; that tell of rounding

  // `rms`: of what is expected. Both outlive it, and so does `support`.
  SmallElements(SupportKernels& support, const DeviceVector& got, const DeviceVector& expected,
                double rms);

  // Index of the largest element that is lost.
  std::optional<std::uint64_t> lost() const;
  static std::string words();                    // of it
  static int bits_of(search::ElementType type);  // digits of its numbers

 private:
  using Counts = SupportKernels::SmallCounts;
  using Which = SupportKernels::SmallElements;
  Counts of(double least, double below) const;
  // Up to which octave they are lost: its upper end. 0: up to none.
  double highest_lost() const;
  bool is_rounding(double highest, double last, double largest) const;
  bool stand_alone(double highest) const;
  Which sized(double least, double below) const;
  bool has_next_larger(double highest, double& last) const;

  SupportKernels& support_;
  const DeviceVector& got_;
  const DeviceVector& expected_;
  double rms_, rounding_, floor_, end_;
};

}  // namespace nightshift::evaluator::cuda
