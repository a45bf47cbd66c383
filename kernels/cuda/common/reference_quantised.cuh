// Quantisation to 8 bits with a scale for each group of columns of a row, for references.
#pragma once

#include "common/reference.cuh"

__device__ inline double silu_of(double value) { return value / (1 + exp(-value)); }

// Floats are compared as they are, integers rounded.
__device__ inline void store_answer(double value, double* to) { *to = value; }
__device__ inline void store_answer(double value, signed char* to) {
  *to = static_cast<signed char>(fmin(127.0, fmax(-127.0, rint(value))));
}

// By a block, for a row whose value of column c is value_of(c): q of the row, and its scales, a
// column of M x N / group.
template <class Answer, class ValueOf>
__device__ void quantise_row(long long row, long long group, double largest_number,
                             ValueOf value_of, Answer* q, double* scale) {
  for (long long first = 0; first < N; first += group) {
    double largest = 0;
    for (long long c = first + threadIdx.x; c < first + group; c += blockDim.x) {
      largest = fmax(largest, fabs(value_of(c)));
    }
    largest = block_maximum(largest);
    const double by = largest > 0 ? largest / largest_number : 1;
    if (threadIdx.x == 0) scale[first / group * M + row] = by;
    for (long long c = first + threadIdx.x; c < first + group; c += blockDim.x) {
      store_answer(value_of(c) / by, q + row * N + c);
    }
  }
}
