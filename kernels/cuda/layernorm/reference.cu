// layernorm.cu in double.
#include "common/reference.cuh"

extern "C" __global__ void reference(const DTYPE* x, const DTYPE* weight, const DTYPE* bias,
                                     float epsilon, double* y) {
  for_each_row(M, [&](long long row) {
    const DTYPE* in = x + row * N;
    const double mean = row_sum_of(N, [&](long long c) { return to_double(in[c]); }) / N;
    const double squares = row_sum_of(N, [&](long long c) {
      const double deviation = to_double(in[c]) - mean;
      return deviation * deviation;
    });
    const double scale = 1 / sqrt(squares / N + epsilon);
    for (long long c = threadIdx.x; c < N; c += blockDim.x) {
      const double normal = (to_double(in[c]) - mean) * scale;
      y[row * N + c] = AFFINE == 1 ? normal * to_double(weight[c]) + to_double(bias[c]) : normal;
    }
  });
}
