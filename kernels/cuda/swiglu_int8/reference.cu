// swiglu_int8.cu in double, with nothing rounded between.
#include "common/reference_quantised.cuh"

extern "C" __global__ void reference(const DTYPE* gate, const DTYPE* up, signed char* q,
                                     double* scale) {
  swiglu(gate, up, q, scale);
}
