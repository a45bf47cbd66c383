// Blocks that share a row through global memory (EXCHANGE=memory of row_shape.cuh), for results that only one
// of them needs: of as many as one likes each has its part, so that few long rows end evenly.
#pragma once

#include "common/exponential.cuh"
#include "common/row_reduce.cuh"

// What the blocks of a row leave for the last of them: M * CLUSTER sums, 0 before the first launch; each
// launch leaves 0. A sum is written and read at once, 64 bits that are 0 for none, so that it needs no fence:
// who writes one goes on.
//
// The last block waits for those before it. They have begun, since blocks begin in the order of their
// numbers, on which scans in one pass rely too (Merrill and Garland, 2016).
//
// Rejected: counted arrivals, of which the last one combines. The fence and the count cost every block two
// ways to L2: 671 rows of 34044 columns by 8 blocks each take 20.3 us so, and 18.9 this way.
struct RowExchange {
  unsigned long long* sums;

  // For a whole warp of each block, with the block's own sum in all lanes. In a row's last block all lanes
  // get the row's sum, combined in the order of the blocks, and true.
  __device__ bool combine(int row, ExponentialSum& sum) const {
    const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
    volatile unsigned long long* const of_row = sums + static_cast<long long>(row) * CLUSTER;
    if (block_in_row() < CLUSTER - 1) {
      if (lane == 0) of_row[block_in_row()] = to_bits(sum);
      return false;
    }
    ExponentialSum others = {minus_infinity(), 0};
#pragma unroll
    for (int first = 0; first < CLUSTER - 1; first += kWarpSize) {
      if (first + lane < CLUSTER - 1) {
        others = MergeExponentialSums()(others, take(of_row + first + lane));
      }
    }
    others = reduce_lanes<kWarpSize>(others, MergeExponentialSums());
    sum = MergeExponentialSums()(others, sum);
    return true;
  }

 private:
  // Not 0: a maximum of 0 is an exponential of 1.
  __device__ static unsigned long long to_bits(const ExponentialSum& sum) {
    return static_cast<unsigned long long>(__float_as_uint(sum.maximum)) << 32 |
           __float_as_uint(sum.sum);
  }
  __device__ static ExponentialSum take(volatile unsigned long long* from) {
    unsigned long long bits = *from;
    while (bits == 0) bits = *from;
    *from = 0;
    return {__uint_as_float(static_cast<unsigned>(bits >> 32)),
            __uint_as_float(static_cast<unsigned>(bits))};
  }
};
