// The cross-entropy loss of each row of logits, as it ends every language model:
//
//   lse[r]  = log of the sum over c of e^x[r][c]
//   loss[r] = lse[r] - x[r][target[r]], or 0 where target[r] is IGNORED
//
// x: M x N of DTYPE; target: M of int64; loss, lse: M of float32. Reads M * N elements and writes
// next to nothing.
//
// Parameters: those of common/row_shape.cuh without RELOAD_HINT and STORE_HINT. With EXCHANGE=memory blocks
// leave sums of their parts (common/row_exchange.cuh).
// Each value is read once, and nothing is stored by vectors.
#define RELOAD_HINT standard
#define STORE_HINT standard
#include "common/cross_entropy_rows.cuh"

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    cross_entropy_forward(const DTYPE* __restrict__ x, const long long* __restrict__ target,
                          float* __restrict__ loss, float* __restrict__ lse,
                          unsigned long long* sums) {
  loss_of_rows(x, target, loss, lse, {sums});
}
