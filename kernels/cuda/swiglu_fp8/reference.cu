// swiglu_fp8.cu in double, with nothing rounded between.
#include "common/reference_quantised.cuh"

extern "C" __global__ void reference(const DTYPE* gate, const DTYPE* up, double* q,
                                     double* scale) {
  swiglu(gate, up, q, scale);
}
