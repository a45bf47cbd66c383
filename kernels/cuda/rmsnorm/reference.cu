// rmsnorm.cu in double.
#include "common/reference.cuh"

extern "C" __global__ void reference(const DTYPE* x, const DTYPE* weight, float epsilon,
                                     double* y) {
  for_each_row(M, [&](long long row) {
    const DTYPE* in = x + row * N;
    const double squares =
        row_sum_of(N, [&](long long c) { return to_double(in[c]) * to_double(in[c]); });
    const double scale = 1 / sqrt(squares / N + epsilon);
    for (long long c = threadIdx.x; c < N; c += blockDim.x) {
      y[row * N + c] = to_double(in[c]) * scale * (AFFINE == 1 ? to_double(weight[c]) : 1);
    }
  });
}
