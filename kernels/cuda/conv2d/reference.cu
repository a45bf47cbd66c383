// conv2d.cu in double.
#include "common/reference.cuh"

extern "C" __global__ void reference(const float* x, const float* filter, double* y) {
  constexpr long long kPitch = WIDTH + FILTER - 1;
  for_each_pair(HEIGHT, WIDTH, [&](long long i, long long j) {
    double sum = 0;
    for (int u = 0; u < FILTER; ++u) {
      for (int v = 0; v < FILTER; ++v) {
        sum += to_double(x[(i + u) * kPitch + j + v]) * to_double(filter[u * FILTER + v]);
      }
    }
    y[i * WIDTH + j] = sum;
  });
}
