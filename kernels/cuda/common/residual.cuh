// The residual connection: rows of two matrices are added, and the sum, rounded to DTYPE, is stored
// and worked on.
#pragma once

#include "common/row_loop.cuh"

template <class Values>
__device__ inline Values add(const Values& a, const Values& b) {
  constexpr int kWidth = sizeof(Values) / sizeof(DTYPE);
  float left[kWidth];
  float right[kWidth];
  a.to_floats(left);
  b.to_floats(right);
#pragma unroll
  for (int i = 0; i < kWidth; ++i) left[i] += right[i];
  return Values::from_floats(left);
}

// Calls visit(r, part, added) for each of the thread's parts of a pair of tiles, which are stored to
// `sum`. Those beyond the last row are visited where rows are aligned, and not stored.
template <class Pair, class Visit>
__device__ inline void for_each_stored_sum(const Pair& pair, int index, DTYPE* sum, Visit visit) {
  for_each_part([&]<class Part>(Part part) {
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(index, r);
      if (!is_part(part, row)) continue;
      const PartVector<Part> added = add(pair.a.read(r, part), pair.b.read(r, part));
      if (is_row(row)) added.template store<kStoreHint>(sum + offset_of(row, part));
      visit(r, part, added);
    }
  });
}
