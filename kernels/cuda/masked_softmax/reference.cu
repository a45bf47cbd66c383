// masked_softmax.cu in double, and the mask that it is tried on.
#include "common/reference.cuh"

// Whether the query sees a column when the mask is causal.
__device__ inline bool is_seen(long long query, long long column) {
  return column <= query + N - QUERIES;
}

// Minus infinity as a causal mask has it, and where a query sees a column less the further it is
// away: 1 / 128 for each column (after ALiBi; Press, Smith and Lewis, 2022), to -8 at most.
extern "C" __global__ void make_mask(DTYPE* mask) {
  for_each_element(static_cast<long long>(QUERIES) * N, [&](long long at) {
    const long long query = at / N;
    const long long column = at % N;
    const double distance = static_cast<double>(query + N - QUERIES - column);
    const double bias = distance < 1024 ? -distance / 128 : -8;
    const double value = is_seen(query, column) ? bias : minus_infinity();
    mask[at] = from_float<DTYPE>(static_cast<float>(value));
  });
}

extern "C" __global__ void reference(const DTYPE* x, const DTYPE* mask, float scale, double* y) {
  for_each_row(M, [&](long long row) {
    const long long query = row % QUERIES;
    const auto score = [&](long long c) {
      if (MASK == 1 && !is_seen(query, c)) return minus_infinity();
      return scale * to_double(x[row * N + c]) + (MASK == 2 ? to_double(mask[query * N + c]) : 0);
    };
    double maximum = minus_infinity();
    for (long long c = threadIdx.x; c < N; c += blockDim.x) maximum = fmax(maximum, score(c));
    maximum = block_maximum(maximum);
    const bool lacks_all = maximum == minus_infinity();
    const auto exponential = [&](long long c) { return lacks_all ? 0 : exp(score(c) - maximum); };
    const double sum = row_sum_of(N, exponential);
    for (long long c = threadIdx.x; c < N; c += blockDim.x) {
      y[row * N + c] = lacks_all ? 0 : exponential(c) / sum;
    }
  });
}
