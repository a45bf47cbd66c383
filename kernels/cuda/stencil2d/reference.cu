// stencil2d.cu in double.
#include "common/reference.cuh"

extern "C" __global__ void reference(const DTYPE* x, double* y) {
  const auto at = [&](long long i, long long j) {
    const bool inside = i >= 0 && i < M && j >= 0 && j < N;
    return inside ? to_double(x[i * N + j]) : 0.0;
  };
  for_each_pair(M, N, [&](long long i, long long j) {
    const double sides = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1);
    y[i * N + j] = 0.5 * at(i, j) + 0.125 * sides;
  });
}
