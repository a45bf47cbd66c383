#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "search/argument.h"
#include "search/element_type.h"
#include "search/trial.h"

namespace nightshift::evaluator {

// What an output should be: doubles for floating vectors, else the raw bytes of the argument's own
// integer type.
struct ExpectedOutput {
  std::size_t argument = 0;  // position in the signature
  std::vector<double> floating;
  std::vector<std::byte> integers;
  // Of floating vectors: root mean square of the numbers that are finite, and not masked.
  double size = 0;
  // What rounding explains of each element; empty: nobody has asked.
  std::vector<double> rounding = {};
  // Elements that were not written when it was computed, ascending: nothing is expected of them.
  std::vector<std::size_t> unwritten = {};
  double masked_from = std::numeric_limits<double>::infinity();  // masked_places.h
};

// What stands in each byte of an output of integers before it is computed, and how many such bytes
// are no answer by chance.
inline constexpr unsigned char kUnwrittenByte = 0xa5;
inline constexpr std::size_t kNoChance = 4;

// Root mean square of those that are finite and smaller than `below`; 0 where none is.
double size_of(const std::vector<double>& numbers,
               double below = std::numeric_limits<double>::infinity());

// Compares an output (`elements` of `type` at `got`) element by element. What rounding explains is
// right too, up to kMostUsualTolerance. NaN equals NaN and nothing
// else, infinities equal themselves. Returns the worst element, by error over tolerance, when it is
// wrong; a NaN or infinity in the wrong place is worse than any number, and its error is infinite.
std::optional<search::WrongResult> verify(const std::string& name, search::ElementType type,
                                          const std::byte* got, std::size_t elements,
                                          const ExpectedOutput& expected,
                                          const search::Tolerance& tolerance);

// norm(got - expected) over norm(expected) of an output that verify() takes for right: NaNs and
// infinities stand where they are expected, and are left out, as what is masked is. Of an output that
// is expected to be zeros norm(got - expected) itself.
double relative_error(search::ElementType type, const std::byte* got, std::size_t elements,
                      const ExpectedOutput& expected);

// `wrong`, of an element of integers, whose distance is exact, and whose words have all digits where
// no double has them. `got` and `expected`: the element itself, of `type`.
search::WrongResult with_digits(search::WrongResult wrong, search::ElementType type,
                                const std::byte* got, const std::byte* expected);

// That the element of `wrong`, of an output, still is as it was before the kernel ran: what stands
// there is no answer of it.
search::WrongResult unwritten(search::WrongResult wrong);
// That `who`, which says what is expected, did not write the element of `wrong`, where the kernel did: no
// answer of it is known.
search::WrongResult unexpected(search::WrongResult wrong, const std::string& who);
// The element of `wrong`, of integers of less than kNoChance bytes: it adds that the one or the other number is
// what stood there before, where it is.
search::WrongResult perhaps_unwritten(search::WrongResult wrong, search::ElementType type,
                                      const std::string& who);

}  // namespace nightshift::evaluator
