// bf16_gemm.cu in double.
#include "common/reference_product.cuh"

extern "C" __global__ void __launch_bounds__(1024)
    reference(const bfloat16* a, const bfloat16* b, double* c) {
  multiply(a, b, M, N, K, [&](long long m, long long n, double sum) { c[m * N + n] = sum; });
}
