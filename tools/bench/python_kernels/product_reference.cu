// The product of rows of a and columns of b in double.
#include "common/reference_product.cuh"

extern "C" __global__ void __launch_bounds__(1024)
    reference(const bfloat16* a, const bfloat16* b, double* c) {
  multiply_values([&](long long m, long long k) { return to_double(a[m * K + k]); },
                  [&](long long n, long long k) { return to_double(b[k * N + n]); }, M, N, K,
                  [&](long long m, long long n, double sum) { c[m * N + n] = sum; });
}
