// Quantisation to 8 bits with a scale for each group of columns of a row, for references.
#pragma once

#include "common/reference.cuh"

__device__ inline double silu_of(double value) { return value / (1 + exp(-value)); }

// The largest number of what the kernel writes for an answer: float8_e4m3 for a double.
__device__ inline double largest_number(const double*) { return 448; }
__device__ inline double largest_number(const signed char*) { return 127; }

// Floats are compared as they are, integers rounded.
__device__ inline void store_answer(double value, double* to) { *to = value; }
__device__ inline void store_answer(double value, signed char* to) {
  *to = static_cast<signed char>(fmin(127.0, fmax(-127.0, rint(value))));
}

// By a block, for a row whose value of column c is value_of(c): q of the row, and its scales, a
// column of M x N / group.
template <class Answer, class ValueOf>
__device__ void quantise_row(long long row, long long group, ValueOf value_of, Answer* q,
                             double* scale) {
  for (long long first = 0; first < N; first += group) {
    double largest = 0;
    for (long long c = first + threadIdx.x; c < first + group; c += blockDim.x) {
      largest = fmax(largest, fabs(value_of(c)));
    }
    largest = block_maximum(largest);
    const double by = largest > 0 ? largest / largest_number(q) : 1;
    if (threadIdx.x == 0) scale[first / group * M + row] = by;
    for (long long c = first + threadIdx.x; c < first + group; c += blockDim.x) {
      store_answer(value_of(c) / by, q + row * N + c);
    }
  }
}

// swiglu_quantised.cuh with nothing rounded between.
template <class Answer>
__device__ void swiglu(const DTYPE* gate, const DTYPE* up, Answer* q, double* scale) {
  for_each_row(M, [&](long long row) {
    const auto gated = [&](long long c) {
      return silu_of(to_double(gate[row * N + c])) * to_double(up[row * N + c]);
    };
    quantise_row(row, GROUP == 0 ? N : GROUP, gated, q, scale);
  });
}

// gated_rmsnorm_quantised.cuh, likewise.
template <class Answer>
__device__ void gated_rmsnorm(const DTYPE* x, const DTYPE* gate, const DTYPE* weight, float epsilon,
                              Answer* q, double* scale) {
  for_each_row(M, [&](long long row) {
    const DTYPE* in = x + row * N;
    const double squares =
        row_sum_of(N, [&](long long c) { return to_double(in[c]) * to_double(in[c]); });
    const double root = 1 / sqrt(squares / N + epsilon);
    const auto normal = [&](long long c) {
      return to_double(in[c]) * root * to_double(weight[c]) * silu_of(to_double(gate[row * N + c]));
    };
    quantise_row(row, GROUP == 0 ? N : GROUP, normal, q, scale);
  });
}
