// Softmax over the rows of a matrix:
//
//   y[r][c] = e^(x[r][c] - max over c of x[r][c]) / sum over c of the same
//
// x, y: M x N of DTYPE; sums in float32. A row of minus infinities alone gives NaN, as in other
// libraries.
//
// Parameters: those of common/row_softmax.cuh.
#include "common/row_softmax.cuh"

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    softmax_forward(const DTYPE* __restrict__ x, DTYPE* __restrict__ y) {
  PlainLogits logits;
  softmax_rows(logits, x, y);
}
