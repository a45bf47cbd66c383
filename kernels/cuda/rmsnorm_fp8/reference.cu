// rmsnorm_fp8.cu in double, with nothing rounded between.
#include "common/reference.cuh"

extern "C" __global__ void reference(const DTYPE* x, const DTYPE* weight, float epsilon, double* q,
                                     double* scale) {
  for_each_row(M, [&](long long row) {
    const DTYPE* in = x + row * N;
    const double squares =
        row_sum_of(N, [&](long long c) { return to_double(in[c]) * to_double(in[c]); });
    const double root = 1 / sqrt(squares / N + epsilon);
    double largest = 0;
    for (long long c = threadIdx.x; c < N; c += blockDim.x) {
      largest = fmax(largest, fabs(to_double(in[c]) * to_double(weight[c]) * root));
    }
    largest = block_maximum(largest);
    const double by = largest > 0 ? largest / 448 : 1;
    if (threadIdx.x == 0) scale[row] = by;
    for (long long c = threadIdx.x; c < N; c += blockDim.x) {
      q[row * N + c] = to_double(in[c]) * root * to_double(weight[c]) / by;
    }
  });
}
