// What the references share. They compute in double, one thing after the other as the formula says,
// and are right for any size: 64-bit indices, and loops that make every grid large enough.
#pragma once

#include "common/element.cuh"

__device__ inline double to_double(float value) { return value; }
__device__ inline double to_double(float16 value) { return __half2float(value); }
__device__ inline double to_double(bfloat16 value) { return __bfloat162float(value); }
__device__ inline double to_double(signed char value) { return value; }

__device__ inline double minus_infinity() { return __longlong_as_double(0xfff0000000000000ll); }

// Combines the values of a block's threads, of which there are a multiple of 32; all get the
// result.
template <class Combine>
__device__ double over_block(double value, double neutral, Combine combine) {
  __shared__ double warps[32];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int count = blockDim.x * blockDim.y / 32;
  for (int distance = 16; distance > 0; distance /= 2) {
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  __syncthreads();  // the results of an earlier call have been read
  if (thread % 32 == 0) warps[thread / 32] = value;
  __syncthreads();
  double result = neutral;
  for (int warp = 0; warp < count; ++warp) result = combine(result, warps[warp]);
  return result;
}

__device__ inline double block_sum(double value) {
  return over_block(value, 0, [](double a, double b) { return a + b; });
}

__device__ inline double block_maximum(double value) {
  return over_block(value, minus_infinity(), [](double a, double b) { return fmax(a, b); });
}

// body(row), a block for each row.
template <class Body>
__device__ void for_each_row(long long rows, Body body) {
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) body(row);
}

// body(i), a thread of the grid for each i.
template <class Body>
__device__ void for_each_element(long long count, Body body) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    body(i);
  }
}

// body(i, j), a thread of the two-dimensional grid for each: j runs along x.
template <class Body>
__device__ void for_each_pair(long long rows, long long columns, Body body) {
  const long long down = static_cast<long long>(gridDim.y) * blockDim.y;
  const long long across = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long top = static_cast<long long>(blockIdx.y) * blockDim.y + threadIdx.y;
  const long long left = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (long long i = top; i < rows; i += down) {
    for (long long j = left; j < columns; j += across) body(i, j);
  }
}

// The sum of of_column(i), i < count, over the threads of a block.
template <class OfColumn>
__device__ double row_sum_of(long long count, OfColumn of_column) {
  double sum = 0;
  for (long long i = threadIdx.x; i < count; i += blockDim.x) sum += of_column(i);
  return block_sum(sum);
}
