// The softmax of a row in double, one block a row.
#include <cuda_bf16.h>

extern "C" __global__ void reference(const __nv_bfloat16* x, double* y) {
  __shared__ double shared[256];
  const auto in = [&](int c) {
    return (double)__bfloat162float(x[(long long)blockIdx.x * columns + c]);
  };
  const auto joined = [&](double mine, bool is_sum) {
    __syncthreads();
    shared[threadIdx.x] = mine;
    for (int half = 128; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) {
        const double other = shared[threadIdx.x + half];
        shared[threadIdx.x] = is_sum ? shared[threadIdx.x] + other : fmax(shared[threadIdx.x], other);
      }
    }
    __syncthreads();
    return shared[0];
  };
  double largest = in(0);
  for (int c = threadIdx.x; c < columns; c += 256) largest = fmax(largest, in(c));
  largest = joined(largest, false);
  double sum = 0;
  for (int c = threadIdx.x; c < columns; c += 256) sum += exp(in(c) - largest);
  sum = joined(sum, true);
  for (int c = threadIdx.x; c < columns; c += 256) {
    y[(long long)blockIdx.x * columns + c] = exp(in(c) - largest) / sum;
  }
}
