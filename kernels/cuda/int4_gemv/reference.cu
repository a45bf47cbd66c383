// int4_gemv.cu in double. The order of the weights in q is told there.
#include "common/reference.cuh"

// Weight k of row n, from 0 to 15.
__device__ inline int weight_of(const unsigned* q, long long n, long long k) {
  const long long tile = n / 16;
  const long long chunk = k / 128;
  const long long half = n / 8 % 2, row = n % 8;
  const long long block = k / 32 % 4, member = k / 8 % 4;
  const long long word = ((half * 8 + row) * 4 + member) * 4 + block;
  return q[(tile * (K / 128) + chunk) * 256 + word] >> (4 * (k % 8)) & 15;
}

// A block for each result: x runs along n, y along m.
extern "C" __global__ void reference(const bfloat16* x, const unsigned* q, const bfloat16* scale,
                                     double* y) {
  for (long long m = blockIdx.y; m < M; m += gridDim.y) {
    for (long long n = blockIdx.x; n < N; n += gridDim.x) {
      const double sum = row_sum_of(K, [&](long long k) {
        const double weight = weight_of(q, n, k) - 8;
        return to_double(x[m * K + k]) * weight * to_double(scale[k / GROUP * N + n]);
      });
      if (threadIdx.x == 0) y[m * N + n] = sum;
    }
  }
}
