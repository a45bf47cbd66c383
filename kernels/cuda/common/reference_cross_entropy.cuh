// What the references of cross-entropy share: the labels that kernels are tried on, and the loss.
#pragma once

#include "common/reference.cuh"

constexpr long long kIgnored = -100;

// Of every row a label, scattered evenly, and of about one row in 16 the one that is ignored.
extern "C" __global__ void make_targets(long long* target) {
  for_each_element(M, [&](long long row) {
    // The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
    unsigned long long hash = (row + 1) * 0x9e3779b97f4a7c15ull;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ull;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebull;
    hash ^= hash >> 31;
    target[row] = hash % 16 == 0 ? kIgnored : static_cast<long long>(hash / 16 % N);
  });
}

// Writes loss and lse of a row, by a block. Returns lse.
__device__ inline double store_loss(const DTYPE* x, const long long* target, long long row,
                                    double* loss, double* lse) {
  const DTYPE* in = x + row * N;
  double maximum = minus_infinity();
  for (long long c = threadIdx.x; c < N; c += blockDim.x) {
    maximum = fmax(maximum, to_double(in[c]));
  }
  maximum = block_maximum(maximum);
  const double sum = row_sum_of(N, [&](long long c) { return exp(to_double(in[c]) - maximum); });
  const double log_sum = maximum + log(sum);
  if (threadIdx.x == 0) {
    lse[row] = log_sum;
    loss[row] = target[row] == kIgnored ? 0 : log_sum - to_double(in[target[row]]);
  }
  return log_sum;
}
