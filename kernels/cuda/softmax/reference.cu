// softmax.cu in double.
#include "common/reference.cuh"

extern "C" __global__ void reference(const DTYPE* x, double* y) {
  for_each_row(M, [&](long long row) {
    const DTYPE* in = x + row * N;
    double maximum = minus_infinity();
    for (long long c = threadIdx.x; c < N; c += blockDim.x) {
      maximum = fmax(maximum, to_double(in[c]));
    }
    maximum = block_maximum(maximum);
    const auto exponential = [&](long long c) { return exp(to_double(in[c]) - maximum); };
    const double sum = row_sum_of(N, exponential);
    for (long long c = threadIdx.x; c < N; c += blockDim.x) y[row * N + c] = exponential(c) / sum;
  });
}
