// layernorm_training.cu in double.
#include "common/reference.cuh"

extern "C" __global__ void reference(const DTYPE* x, const DTYPE* weight, const DTYPE* bias,
                                     float epsilon, double* y, double* mean, double* rstd) {
  for_each_row(M, [&](long long row) {
    const DTYPE* in = x + row * N;
    const double middle = row_sum_of(N, [&](long long c) { return to_double(in[c]); }) / N;
    const double squares = row_sum_of(N, [&](long long c) {
      const double deviation = to_double(in[c]) - middle;
      return deviation * deviation;
    });
    const double scale = 1 / sqrt(squares / N + epsilon);
    if (threadIdx.x == 0) {
      mean[row] = middle;
      rstd[row] = scale;
    }
    for (long long c = threadIdx.x; c < N; c += blockDim.x) {
      y[row * N + c] =
          (to_double(in[c]) - middle) * scale * to_double(weight[c]) + to_double(bias[c]);
    }
  });
}
