// attention_forward.cu, a block of kThreads threads for each query. Products of two numbers are exact in
// float, sums of a score's D too exact to matter; all else is in double.
#include "common/reference.cuh"

constexpr int kThreads = 256;  // at least D
static_assert(D <= kThreads);

extern "C" __global__ void reference(const DTYPE* q, const DTYPE* k, const DTYPE* v, float scale,
                                     double* out) {
  __shared__ double weights[kThreads];
  const int thread = threadIdx.x;
  for_each_row(static_cast<long long>(BATCH) * HEADS * QUERIES, [&](long long row) {
    const long long layer = row / QUERIES / (HEADS / KV_HEADS);
    const long long seen = CAUSAL ? row % QUERIES + KEYS - QUERIES + 1 : KEYS;
    const auto score = [&](long long key) {
      float sum = 0;
      for (int d = 0; d < D; ++d) {
        sum += to_float(q[row * D + d]) * to_float(k[(layer * KEYS + key) * D + d]);
      }
      return static_cast<double>(scale) * sum;
    };
    double maximum = minus_infinity();
    for (long long j = thread; j < seen; j += kThreads) maximum = fmax(maximum, score(j));
    maximum = block_maximum(maximum);
    double own = 0, sum = 0;
    for (long long first = 0; first < seen; first += kThreads) {
      const long long j = first + thread;
      __syncthreads();
      weights[thread] = j < seen ? exp(score(j) - maximum) : 0;
      __syncthreads();
      for (int i = 0; i < kThreads && first + i < seen; ++i) {
        sum += weights[i];
        if (thread < D) own += weights[i] * to_double(v[(layer * KEYS + first + i) * D + thread]);
      }
    }
    if (thread < D) out[row * D + thread] = seen > 0 ? own / sum : 0;
  });
}
