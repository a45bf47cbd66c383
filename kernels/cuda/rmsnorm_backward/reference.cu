// rmsnorm_backward.cu in double, and the rstd that the forward pass would hand over.
#include "common/reference_columns.cuh"

constexpr double kEpsilon = 1e-5;

extern "C" __global__ void make_rstd(const DTYPE* x, float* rstd) {
  for_each_row(M, [&](long long row) {
    const DTYPE* in = x + row * N;
    const double squares =
        row_sum_of(N, [&](long long c) { return to_double(in[c]) * to_double(in[c]); });
    if (threadIdx.x == 0) rstd[row] = static_cast<float>(1 / sqrt(squares / N + kEpsilon));
  });
}

extern "C" __global__ void reference_rows(const DTYPE* x, const DTYPE* dy, const DTYPE* weight,
                                          const float* rstd, double* dx) {
  for_each_row(M, [&](long long row) {
    const double scale = rstd[row];
    const auto normalised = [&](long long c) { return to_double(x[row * N + c]) * scale; };
    const auto weighted = [&](long long c) {
      return to_double(dy[row * N + c]) * to_double(weight[c]);
    };
    const double mean = row_sum_of(N, [&](long long c) { return weighted(c) * normalised(c); }) / N;
    for (long long c = threadIdx.x; c < N; c += blockDim.x) {
      dx[row * N + c] = scale * (weighted(c) - normalised(c) * mean);
    }
  });
}

extern "C" __global__ void reference_columns(const DTYPE* x, const DTYPE* dy, const float* rstd,
                                             double* dweight) {
  sum_columns(
      M, N,
      [&](long long row, long long c) {
        return to_double(dy[row * N + c]) * to_double(x[row * N + c]) * rstd[row];
      },
      [&](long long c, double sum) { dweight[c] = sum; });
}
