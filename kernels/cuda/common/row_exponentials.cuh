// The maximum of a thread's share of a row, and the sum of its exponentials.
//
// Logits says what is exponentiated. Its members:
//
//   unit                    exponents of two are values times this
//   prepared(tile, index)   before anything else is asked of a tile; what is to be used in its place
//   apply(r, row, part, values)   makes values of the elements of a part of the thread's row r
//   Reach                   how far rows count (row_parts.cuh); values beyond are minus infinity
//   counts(part, row)       false where no value of the part is to be made, since all would be minus
//                           infinity
//   may_lack_all()          whether rows of minus infinities alone are to give zeros instead of NaN
#pragma once

#include "common/exponential.cuh"
#include "common/row_loop.cuh"
#include "common/row_reduce.cuh"

// Elements as they are.
struct PlainLogits {
  using Reach = WholeRows;

  float unit = kLog2E;

  template <class Tile>
  __device__ const Tile& prepared(const Tile& tile, int) {
    return tile;
  }
  template <class Part>
  __device__ void apply(int, int, Part, float (&)[Part::kWidth]) const {}
  template <class Part>
  __device__ static constexpr bool counts(Part, int) {
    return true;
  }
  __device__ static constexpr bool may_lack_all() { return false; }
};

template <class Logits, class Tile>
__device__ float own_maximum(const Logits& logits, const Tile& tile, int row, int r) {
  float maximum = minus_infinity();
  for_each_part_within<typename Logits::Reach>(row, [&]<class Part>(Part part) {
    if (!is_part(part, row)) return;
    float values[Part::kWidth];
    tile.read(r, part).to_floats(values);
    if (!logits.counts(part, row)) return;
    logits.apply(r, row, part, values);
    replace_foreign(part, row, values, minus_infinity());
#pragma unroll
    for (float value : values) maximum = fmaxf(maximum, value);
  });
  return maximum;
}

// `base` is in units of log2(e), as base_of gives it. keep(r, part, powers) is told of each part.
template <class Logits, class Tile, class Keep>
__device__ float own_sum(const Logits& logits, const Tile& tile, int row, int r, float base,
                         Keep keep) {
  float sum = 0;
  for_each_part_within<typename Logits::Reach>(row, [&]<class Part>(Part part) {
    if (!is_part(part, row)) return;
    float values[Part::kWidth];
    tile.read(r, part).to_floats(values);
    if (!logits.counts(part, row)) return;
    logits.apply(r, row, part, values);
    replace_foreign(part, row, values, minus_infinity());
#pragma unroll
    for (float& value : values) value = power_of_two(value * logits.unit - base);
    sum += sum_of(values);
    keep(r, part, values);
  });
  return sum;
}

// One visit per vector: when the maximum grows, the sum so far is scaled down. Needed where each
// visit is a read of memory; in registers two visits cost less.
template <class Logits, class Tile>
__device__ ExponentialSum own_running_sum(const Logits& logits, const Tile& tile, int row, int r) {
  ExponentialSum own = {minus_infinity(), 0};
  for_each_part_within<typename Logits::Reach>(row, [&]<class Part>(Part part) {
    if (!is_part(part, row)) return;
    float values[Part::kWidth];
    tile.read(r, part).to_floats(values);
    if (!logits.counts(part, row)) return;
    logits.apply(r, row, part, values);
    replace_foreign(part, row, values, minus_infinity());
    float maximum = own.maximum;
#pragma unroll
    for (float value : values) maximum = fmaxf(maximum, value);
    const float base = base_of(maximum, logits.unit);
#pragma unroll
    for (float& value : values) value = power_of_two(value * logits.unit - base);
    own.sum = own.sum * power_of_two(own.maximum * logits.unit - base) + sum_of(values);
    own.maximum = maximum;
  });
  return own;
}
