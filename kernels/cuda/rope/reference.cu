// rope.cu in double.
#include "common/reference.cuh"

extern "C" __global__ void reference(const DTYPE* x, const float* cosine, const float* sine,
                                     double* y) {
  for_each_element(static_cast<long long>(TOKENS) * HEADS * (DIM / 2), [&](long long at) {
    const long long pair = at % (DIM / 2);
    const long long head = at / (DIM / 2);
    const long long angle = head / HEADS * (DIM / 2) + pair;
    const long long i = head * DIM + (INTERLEAVED == 1 ? 2 * pair : pair);
    const long long j = INTERLEAVED == 1 ? i + 1 : i + DIM / 2;
    const double c = cosine[angle];
    const double s = sine[angle];
    y[i] = to_double(x[i]) * c - to_double(x[j]) * s;
    y[j] = to_double(x[j]) * c + to_double(x[i]) * s;
  });
}
