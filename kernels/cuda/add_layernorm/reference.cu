// add_layernorm.cu in double. What is normalised is the sum as the kernel stores it, rounded to
// DTYPE.
#include "common/reference.cuh"

extern "C" __global__ void reference(const DTYPE* x, const DTYPE* residual, const DTYPE* weight,
                                     const DTYPE* bias, float epsilon, double* sum, double* y) {
  for_each_row(M, [&](long long row) {
    const long long first = row * N;
    const auto rounded = [&](long long c) {
      return to_double(from_float<DTYPE>(to_float(x[first + c]) + to_float(residual[first + c])));
    };
    const double mean = row_sum_of(N, rounded) / N;
    const double squares =
        row_sum_of(N, [&](long long c) { return (rounded(c) - mean) * (rounded(c) - mean); });
    const double scale = 1 / sqrt(squares / N + epsilon);
    for (long long c = threadIdx.x; c < N; c += blockDim.x) {
      sum[first + c] = to_double(x[first + c]) + to_double(residual[first + c]);
      y[first + c] = (rounded(c) - mean) * scale * to_double(weight[c]) + to_double(bias[c]);
    }
  });
}
