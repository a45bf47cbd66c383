// y[i] = a[i] + b[i] for N elements of DTYPE; added in float32 and rounded once.
//
// Parameters: those of common/vector_loop.cuh.
#include "common/vector_loop.cuh"

__device__ inline ArrayVector add(const ArrayVector& a, const ArrayVector& b) {
  float left[kVector];
  float right[kVector];
  a.to_floats(left);
  b.to_floats(right);
#pragma unroll
  for (int i = 0; i < kVector; ++i) left[i] += right[i];
  return ArrayVector::from_floats(left);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    vector_add(const DTYPE* __restrict__ a, const DTYPE* __restrict__ b, DTYPE* __restrict__ y) {
  for_each_batch([&](long long first, int step) {
    ArrayVector left[UNROLL];
    ArrayVector right[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      if (first + u * step >= kVectors) continue;
      left[u] = load_vector(a, first + u * step);
      right[u] = load_vector(b, first + u * step);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      if (first + u * step < kVectors) store_vector(add(left[u], right[u]), y, first + u * step);
    }
  });
}
