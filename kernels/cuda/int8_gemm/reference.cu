// What int8_gemm.cu approximates: the product with x as it is, not quantised.
#include "common/reference_product.cuh"

extern "C" __global__ void make_weight_sums(const signed char* w, int* weight_sum) {
  for_each_row(N, [&](long long row) {
    const double sum = row_sum_of(K, [&](long long k) { return to_double(w[row * K + k]); });
    if (threadIdx.x == 0) weight_sum[row] = static_cast<int>(sum);
  });
}

// With the weights as they were before they were quantised (int8_linear_wgmma).
extern "C" __global__ void __launch_bounds__(1024)
    reference_of_exact(const bfloat16* x, const bfloat16* exact, double* y) {
  multiply(x, exact, M, N, K, [&](long long m, long long n, double sum) { y[m * N + n] = sum; });
}

extern "C" __global__ void __launch_bounds__(1024)
    reference(const bfloat16* x, const signed char* w, const float* weight_scale, double* y) {
  multiply(x, w, M, N, K, [&](long long m, long long n, double sum) {
    y[m * N + n] = sum * to_double(weight_scale[n]);
  });
}
