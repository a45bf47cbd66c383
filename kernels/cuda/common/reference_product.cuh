// The product of a matrix and a transposed one, for references.
#pragma once

#include "common/reference.cuh"

// store(m, n, sum over k of a[m][k] * b[n][k]) for each m < rows, n < columns; a: rows x depth,
// b: columns x depth. Blocks are 32 x 32 and bring 32 steps of k at a time into shared memory.
template <class A, class B, class Store>
__device__ void multiply(const A* a, const B* b, long long rows, long long columns, long long depth,
                         Store store) {
  __shared__ double left[32][33];
  __shared__ double right[32][33];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  for (long long top = blockIdx.y * 32LL; top < rows; top += gridDim.y * 32LL) {
    for (long long first = blockIdx.x * 32LL; first < columns; first += gridDim.x * 32LL) {
      double sum = 0;
      for (long long k = 0; k < depth; k += 32) {
        const bool inside = k + x < depth;
        left[y][x] = inside && top + y < rows ? to_double(a[(top + y) * depth + k + x]) : 0;
        right[y][x] = inside && first + y < columns ? to_double(b[(first + y) * depth + k + x]) : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; ++i) sum += left[y][i] * right[x][i];
        __syncthreads();
      }
      if (top + y < rows && first + x < columns) store(top + y, first + x, sum);
    }
  }
}
