// layernorm_backward.cu in double, and the mean and rstd that the forward pass would hand over.
#include "common/reference_columns.cuh"

constexpr double kEpsilon = 1e-5;

extern "C" __global__ void make_mean_and_rstd(const DTYPE* x, float* mean, float* rstd) {
  for_each_row(M, [&](long long row) {
    const DTYPE* in = x + row * N;
    const double middle = row_sum_of(N, [&](long long c) { return to_double(in[c]); }) / N;
    const double squares = row_sum_of(N, [&](long long c) {
      const double deviation = to_double(in[c]) - middle;
      return deviation * deviation;
    });
    if (threadIdx.x != 0) return;
    mean[row] = static_cast<float>(middle);
    rstd[row] = static_cast<float>(1 / sqrt(squares / N + kEpsilon));
  });
}

__device__ inline double normalised(const DTYPE* x, const float* mean, const float* rstd,
                                    long long row, long long c) {
  return (to_double(x[row * N + c]) - mean[row]) * rstd[row];
}

extern "C" __global__ void reference_rows(const DTYPE* x, const DTYPE* dy, const DTYPE* weight,
                                          const float* mean, const float* rstd, double* dx) {
  for_each_row(M, [&](long long row) {
    const auto weighted = [&](long long c) {
      return to_double(dy[row * N + c]) * to_double(weight[c]);
    };
    const double mean_of_weighted = row_sum_of(N, weighted) / N;
    const double mean_of_products =
        row_sum_of(N,
                   [&](long long c) { return weighted(c) * normalised(x, mean, rstd, row, c); }) /
        N;
    for (long long c = threadIdx.x; c < N; c += blockDim.x) {
      dx[row * N + c] = rstd[row] * (weighted(c) - mean_of_weighted -
                                     normalised(x, mean, rstd, row, c) * mean_of_products);
    }
  });
}

extern "C" __global__ void reference_columns(const DTYPE* x, const DTYPE* dy, const float* mean,
                                             const float* rstd, double* dweight, double* dbias) {
  sum_columns(
      M, N,
      [&](long long row, long long c) {
        return to_double(dy[row * N + c]) * normalised(x, mean, rstd, row, c);
      },
      [&](long long c, double sum) { dweight[c] = sum; });
  sum_columns(
      M, N, [&](long long row, long long c) { return to_double(dy[row * N + c]); },
      [&](long long c, double sum) { dbias[c] = sum; });
}
