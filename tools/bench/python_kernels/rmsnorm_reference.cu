// RMSNorm of a row in double, one block a row.
#include "common/reference.cuh"

extern "C" __global__ void reference(const bfloat16* x, const bfloat16* weight, double* y) {
  for_each_row(M, [&](long long row) {
    const bfloat16* in = x + row * N;
    const double squares =
        row_sum_of(N, [&](long long c) { return to_double(in[c]) * to_double(in[c]); });
    const double scale = 1 / sqrt(squares / N + 1e-5);
    for (long long c = threadIdx.x; c < N; c += blockDim.x) {
      y[row * N + c] = to_double(in[c]) * scale * to_double(weight[c]);
    }
  });
}
