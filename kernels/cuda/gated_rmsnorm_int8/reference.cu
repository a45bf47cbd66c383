// gated_rmsnorm_int8.cu in double, with nothing rounded between.
#include "common/reference_quantised.cuh"

extern "C" __global__ void reference(const DTYPE* x, const DTYPE* gate, const DTYPE* weight,
                                     float epsilon, signed char* q, double* scale) {
  gated_rmsnorm(x, gate, weight, epsilon, q, scale);
}
