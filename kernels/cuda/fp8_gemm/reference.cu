// fp8_gemm.cu in double.
#include "common/float8.cuh"
#include "common/reference_product.cuh"

constexpr long long kBlock = 128;
constexpr long long kScales = (M + 3) / 4 * 4;  // of a in a block of k

extern "C" __global__ void __launch_bounds__(1024)
    reference(const Float8* a, const Float8* b, const float* a_scale, const float* b_scale,
              double* c) {
  const auto left = [&](long long m, long long k) {
    return static_cast<double>(to_float(a[m * K + k])) * a_scale[k / kBlock * kScales + m];
  };
  const auto right = [&](long long n, long long k) {
    return static_cast<double>(to_float(b[n * K + k])) *
           b_scale[n / kBlock * (K / kBlock) + k / kBlock];
  };
  multiply_values(left, right, M, N, K,
                  [&](long long m, long long n, double sum) { c[m * N + n] = sum; });
}
