#include "common/reference.cuh"

extern "C" __global__ void reference(const DTYPE* x, double* y) {
  for_each_element(N, [&](long long i) { y[i] = to_double(x[i]); });
}
