// gated_rmsnorm_int8.cu in double, with nothing rounded between.
#include "common/reference_quantised.cuh"

extern "C" __global__ void reference(const DTYPE* x, const DTYPE* gate, const DTYPE* weight,
                                     float epsilon, signed char* q, double* scale) {
  for_each_row(M, [&](long long row) {
    const DTYPE* in = x + row * N;
    const double squares =
        row_sum_of(N, [&](long long c) { return to_double(in[c]) * to_double(in[c]); });
    const double root = 1 / sqrt(squares / N + epsilon);
    const auto normal = [&](long long c) {
      return to_double(in[c]) * root * to_double(weight[c]) * silu_of(to_double(gate[row * N + c]));
    };
    quantise_row(row, GROUP == 0 ? N : GROUP, 127, normal, q, scale);
  });
}
