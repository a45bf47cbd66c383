// The product of a matrix and a transposed one, for references.
#pragma once

#include "common/reference.cuh"

// store(m, n, sum over k of left(m, k) * right(n, k)) for each m < rows, n < columns and k < depth.
// Blocks are 32 x 32 and bring 32 steps of k at a time into shared memory.
template <class Left, class Right, class Store>
__device__ void multiply_values(Left left, Right right, long long rows, long long columns,
                                long long depth, Store store) {
  __shared__ double lefts[32][33];
  __shared__ double rights[32][33];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  for (long long top = blockIdx.y * 32LL; top < rows; top += gridDim.y * 32LL) {
    for (long long first = blockIdx.x * 32LL; first < columns; first += gridDim.x * 32LL) {
      double sum = 0;
      for (long long k = 0; k < depth; k += 32) {
        const bool inside = k + x < depth;
        lefts[y][x] = inside && top + y < rows ? left(top + y, k + x) : 0;
        rights[y][x] = inside && first + y < columns ? right(first + y, k + x) : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; ++i) sum += lefts[y][i] * rights[x][i];
        __syncthreads();
      }
      if (top + y < rows && first + x < columns) store(top + y, first + x, sum);
    }
  }
}

// The same of matrices, a: rows x depth, b: columns x depth.
template <class A, class B, class Store>
__device__ void multiply(const A* a, const B* b, long long rows, long long columns, long long depth,
                         Store store) {
  multiply_values([&](long long m, long long k) { return to_double(a[m * depth + k]); },
                  [&](long long n, long long k) { return to_double(b[n * depth + k]); }, rows,
                  columns, depth, store);
}
