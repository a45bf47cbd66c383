// y[i] = x[i] for N elements of DTYPE: the ceiling of everything that reads and writes memory.
//
// Parameters: those of common/vector_loop.cuh.
#include "common/vector_loop.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
    copy(const DTYPE* __restrict__ x, DTYPE* __restrict__ y) {
  for_each_batch([&](long long first, int step) {
    ArrayVector vectors[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      if (first + u * step < kVectors) vectors[u] = load_vector(x, first + u * step);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      if (first + u * step < kVectors) store_vector(vectors[u], y, first + u * step);
    }
  });
}
