// int8_gemm_wgmma.cu in double.
#include "common/reference_product.cuh"

extern "C" __global__ void __launch_bounds__(1024)
    reference(const signed char* a, const signed char* b, const float* a_scale,
              const float* b_scale, double* c) {
  multiply(a, b, M, N, K, [&](long long m, long long n, double sum) {
    c[m * N + n] = sum * to_double(a_scale[m]) * to_double(b_scale[n]);
  });
}
