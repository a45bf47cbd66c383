#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/cuda_problem.h"
#include "search/element_type.h"

namespace nightshift::search {

// CudaGate::element where the problem does not say it: times the gate's norm.
inline constexpr double kElementGate = 10;
// Of 8 bits it is no more than this, or so many times the norm: a step of such a type is a quarter of
// a number at most, and ten times its norm would let any element be zero.
inline constexpr double kMostSmallElementGate = 0.25;
inline constexpr double kSmallElementGate = 2.5;

// CudaGate::element of an output of `type` where the problem does not say it.
inline double usual_element_gate(ElementType type, double norm) {
  const double usual = kElementGate * norm;
  if (!is_floating(type) || bytes_of(type) > 1) return usual;
  return std::min(usual, std::max(kMostSmallElementGate, kSmallElementGate * norm));
}

// CudaGate::element where the problem gives it. One that is just what it would be anyway is the next
// number above that: who writes it has said what elements may be off by. 0 stays exact.
inline double given_element_gate(ElementType type, double given, double norm) {
  const bool is_usual = given > 0 && given == usual_element_gate(type, norm);
  return is_usual ? std::nextafter(given, std::numeric_limits<double>::infinity()) : given;
}

// Whether the problem says what elements of an output of `type` may be off by, rather than leave it to
// their norm.
inline bool says_of_elements(ElementType type, const CudaGate& gate) {
  return gate.element != usual_element_gate(type, gate.norm);
}

}  // namespace nightshift::search
