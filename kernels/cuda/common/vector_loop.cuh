// Walking over arrays of N elements of DTYPE, vector by vector. Parameters:
//
//   THREADS        threads of a block
//   BLOCKS_PER_SM  0: as many blocks as there is work; else this many on each multiprocessor, which
//                  take turns
//   VEC_BYTES      bytes of one access
//   UNROLL         vectors of a thread whose loads are issued together
//   LOAD_HINT, STORE_HINT   a CacheHint
#pragma once

#include "common/element.cuh"

constexpr int kVector = VEC_BYTES / sizeof(DTYPE);
constexpr long long kVectors = static_cast<long long>(N) / kVector;
static_assert(static_cast<long long>(N) % kVector == 0);

using ArrayVector = Vector<DTYPE, kVector>;

__device__ inline ArrayVector load_vector(const DTYPE* from, long long vector) {
  return ArrayVector::load<CacheHint::LOAD_HINT>(from + vector * kVector);
}
__device__ inline void store_vector(const ArrayVector& vector, DTYPE* to, long long at) {
  vector.store<CacheHint::STORE_HINT>(to + at * kVector);
}

// Calls visit(first, step): the thread's next UNROLL vectors are first, first + step, ... as far as
// they are below kVectors.
template <class Visit>
__device__ inline void for_each_batch(Visit visit) {
  constexpr long long kBatch = static_cast<long long>(THREADS) * UNROLL;
  for (long long at = blockIdx.x * kBatch + threadIdx.x; at < kVectors; at += gridDim.x * kBatch) {
    visit(at, THREADS);
    if (BLOCKS_PER_SM == 0) break;
  }
}
