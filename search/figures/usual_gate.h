#pragma once

#include <cmath>
#include <limits>

#include "search/cuda_problem.h"

namespace nightshift::search {

// CudaGate::element where the problem does not say it: times the gate's norm.
inline constexpr double kElementGate = 10;

// CudaGate::element where the problem gives it. One that is just what it would be anyway is the next
// number above that: who writes it has said what elements may be off by. 0 stays exact.
inline double given_element_gate(double given, double norm) {
  const bool is_usual = given > 0 && given == kElementGate * norm;
  return is_usual ? std::nextafter(given, std::numeric_limits<double>::infinity()) : given;
}

// Whether the problem says what elements may be off by, rather than leave it to their norm.
inline bool says_of_elements(const CudaGate& gate) {
  return gate.element != kElementGate * gate.norm;
}

}  // namespace nightshift::search
