// full_sum.cu in double. One block, so that nothing has to be added up between blocks; its threads
// have many loads under way, or the longest array would take seconds.
#include "common/reference.cuh"

extern "C" __global__ void __launch_bounds__(1024) reference(const DTYPE* x, double* y) {
  constexpr int kAtOnce = 16;
  const long long turn = static_cast<long long>(kAtOnce) * blockDim.x;
  double sum = 0;
  for (long long first = threadIdx.x; first < N; first += turn) {
    DTYPE values[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const long long at = first + static_cast<long long>(i) * blockDim.x;
      values[i] = at < N ? x[at] : from_float<DTYPE>(0);
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) sum += to_double(values[i]);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) *y = sum;
}
