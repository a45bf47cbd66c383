// What the first pass over a row made of it, for the second pass. VALUES is how the second has it:
// `recomputed` from the row, wherever that is between the passes, which costs instructions; or `kept`,
// which costs registers.
#pragma once

#include "common/row_parts.cuh"

// For each part that a thread has of its rows something of the type Of<width>.
template <template <int> class Of>
class BetweenPasses {
 public:
  template <class Part>
  __device__ void keep(int r, Part part, const Of<Part::kWidth>& made) {
    if constexpr (kValuesKept) held_.at(r, part) = made;
  }
  // Where values are kept.
  template <class Part>
  __device__ const Of<Part::kWidth>& of(int r, Part part) const {
    return held_.at(r, part);
  }
  // What was kept, or what `make` makes.
  template <class Part, class Make>
  __device__ Of<Part::kWidth> again(int r, Part part, Make make) const {
    if constexpr (kValuesKept) return of(r, part);
    return make();
  }

 private:
  Held<Of, kValuesKept ? ROWS_PER_THREAD : 1, kValuesKept ? kSteps : 1> held_;
};
