// cross_entropy_gradient.cu in double.
#include "common/reference_cross_entropy.cuh"

extern "C" __global__ void reference(const DTYPE* x, const long long* target, float grad_scale,
                                     double* loss, double* lse, double* dx) {
  for_each_row(M, [&](long long row) {
    const double log_sum = store_loss(x, target, row, loss, lse);
    const bool is_ignored = target[row] == kIgnored;
    for (long long c = threadIdx.x; c < N; c += blockDim.x) {
      const double share = exp(to_double(x[row * N + c]) - log_sum);
      const double gradient = share - (c == target[row] ? 1 : 0);
      dx[row * N + c] = is_ignored ? 0 : gradient * grad_scale;
    }
  });
}
