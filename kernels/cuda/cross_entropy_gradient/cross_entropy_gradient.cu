// The cross-entropy loss of each row of logits (cross_entropy.cu) and its gradient, in one pass or
// in two:
//
//   lse[r]   = log of the sum over c of e^x[r][c]
//   loss[r]  = lse[r] - x[r][target[r]], or 0 where target[r] is IGNORED
//   dx[r][c] = (e^(x[r][c] - lse[r]) - (1 where c is target[r], else 0)) * grad_scale, or 0 where
//              target[r] is IGNORED
//
// x, dx: M x N of DTYPE, in different memory; target: M of int64; grad_scale: one float32, what
// each loss counts for; loss, lse: M of float32. Moves 2 * M * N elements. A gradient of float16
// needs a grad_scale that lifts it out of the subnormal numbers.
//
// Parameters: those of common/row_softmax.cuh, and
//
//   PIPELINE  `fused`: one kernel. `split`: the loss first, as cross_entropy.cu has it, and a
//             kernel that makes the gradient of x, read again, and lse: a yardstick of what fusing
//             gains.
#include "common/cross_entropy_rows.cuh"
#include "common/row_softmax.cuh"

enum class Pipeline { fused, split };

constexpr Pipeline kPipeline = Pipeline::PIPELINE;
// Whether the rows are when a tile is begun: who waits for a label then does not hold them up.
constexpr bool kAreOnTheWay = kResidence != Residence::reread;
static_assert(kPipeline == Pipeline::fused || !(kKept || kInPieces || kInBulk));

// Takes grad_scale from what belongs to the label.
struct LessLabel {
  const Labels& labels;
  float grad_scale;

  template <class Part>
  __device__ void operator()(int r, int row, Part part, float (&values)[Part::kWidth]) const {
    const int at = labels.of(r) - part.column(row);
#pragma unroll
    for (int i = 0; i < Part::kWidth; ++i) values[i] -= i == at ? grad_scale : 0.0f;
  }
  __device__ bool makes_zeros(int r) const { return labels.is_ignored(r); }
  // The thread that has the label makes its result anew, rather than that all compare all columns.
  template <class Tile, class Write>
  __device__ void around(const Tile& tile, int r, int row, const Scaling& scaling,
                         Write write) const {
    const int column = labels.of(r);
    const bool is_own = has_column(row, column);
    const float value = is_own ? to_float(tile.element(r, column)) : 0;
    write();
    if (!is_own) return;
    const float power = power_of_two(value * kLog2E - scaling.base[r]);
    tile.element(r, column) = from_float<DTYPE>(power * scaling.scale[r] - grad_scale);
  }
};

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    cross_entropy_gradient(const DTYPE* __restrict__ x, const long long* __restrict__ target,
                           float grad_scale, float* __restrict__ loss, float* __restrict__ lse,
                           DTYPE* __restrict__ dx) {
  __shared__ Reducer::Storage storage;
  Reducer reduce(storage);
  const PlainLogits logits;

  for_each_stored_tile(x, dx, [&](const auto& tile, int index) {
    const Labels labels(target, index);
    LabelLogits label_logits;
    if (kAreOnTheWay) label_logits.load(labels, x, index);
    KeptExponentials kept;
    Scaling scaling = scaling_of(logits, tile, index, reduce, kept);
    if (!kAreOnTheWay) label_logits.load(labels, x, index);
    store_losses(index, scaling.total, labels, label_logits, loss, lse);
#pragma unroll
    for (float& scale : scaling.scale) scale *= grad_scale;
    store_scaled(logits, tile, index, scaling, kept, dx, LessLabel{labels, grad_scale});
  });
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    loss_split(const DTYPE* __restrict__ x, const long long* __restrict__ target,
               float* __restrict__ loss, float* __restrict__ lse) {
  if constexpr (!kInBulk) loss_of_rows(x, target, loss, lse);
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    gradient_split(const DTYPE* __restrict__ x, const long long* __restrict__ target,
                   const float* __restrict__ lse, float grad_scale, DTYPE* __restrict__ dx) {
  if constexpr (!kInBulk) {
    const PlainLogits logits;
    for_each_tile(x, [&](const auto& tile, int index) {
      const Labels labels(target, index);
      const KeptExponentials kept = {};
      Scaling scaling;
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        scaling.base[r] = is_row(row) ? __ldg(lse + row) * kLog2E : 0;
        scaling.scale[r] = grad_scale;
      }
      store_scaled(logits, tile, index, scaling, kept, dx, LessLabel{labels, grad_scale});
    });
  }
}
