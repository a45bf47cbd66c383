// swiglu_fp8.cu in double, with nothing rounded between.
#include "common/reference_quantised.cuh"

extern "C" __global__ void reference(const DTYPE* gate, const DTYPE* up, double* q, double* scale) {
  for_each_row(M, [&](long long row) {
    const auto gated = [&](long long c) {
      return silu_of(to_double(gate[row * N + c])) * to_double(up[row * N + c]);
    };
    quantise_row(row, GROUP == 0 ? N : GROUP, 448, gated, q, scale);
  });
}
