// The residual connection and the LayerNorm that follows it, in one pass or in two:
//
//   sum[r][c] = x[r][c] + residual[r][c]
//   y[r][c]   = (sum[r][c] - mean(r)) / sqrt(variance(r) + epsilon) * weight[c] + bias[c]
//
// x, residual, sum, y: M x N of DTYPE; weight, bias: N of DTYPE. Mean and variance are of the sum as
// it is stored, rounded to DTYPE. The fused kernel moves 4 * M * N elements.
//
// Parameters: those of common/layer_norm.cuh, with rows in `registers` or in `shared` memory, where
// later passes add again; and
//
//   PIPELINE  `fused`: one kernel. `split`: an addition, and LayerNorm (layernorm.cu) that reads
//             the sum: a yardstick of what fusing gains.
#define RELOAD_HINT standard
#define PIECES 1
#define AHEAD 1
#include "common/layer_norm.cuh"
#include "common/residual.cuh"

enum class Pipeline { fused, split };

[[maybe_unused]] constexpr Pipeline kPipeline = Pipeline::PIPELINE;
constexpr bool kHeld = kResidence == Residence::registers;
static_assert(kHeld || kResidence == Residence::shared);

// The sum as a tile: held, or added again from both parts in shared memory.
template <class Pair>
class SumTile {
 public:
  __device__ SumTile(const Pair& pair, int index, DTYPE* sum) : pair_(pair) {
    for_each_stored_sum(pair, index, sum, [&](int r, auto part, const auto& added) {
      if constexpr (kHeld) held_.at(r, part) = added;
    });
  }
  template <class Part>
  __device__ PartVector<Part> read(int r, Part part) const {
    if constexpr (kHeld) return held_.at(r, part);
    return add(pair_.a.read(r, part), pair_.b.read(r, part));
  }
  template <class Part>
  __device__ PartVector<Part> read_last(int r, Part part) const {
    return read(r, part);
  }

 private:
  const Pair& pair_;
  Held<ElementsOf, ROWS_PER_THREAD, kHeld ? kSteps : 1> held_;
};

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    add_layernorm(const DTYPE* __restrict__ x, const DTYPE* __restrict__ residual,
                  const DTYPE* __restrict__ weight, const DTYPE* __restrict__ bias, float epsilon,
                  DTYPE* __restrict__ sum, DTYPE* __restrict__ y) {
  using Reducer = RowReducer<Reduced>;
  __shared__ Reducer::Storage storage;
  Reducer reduce(storage);
  ColumnVectors weights(weight, 0, 2);
  ColumnVectors biases(bias, 1, 2);

  for_each_pair(Matrices{x, residual}, [&]<class Pair>(const Pair& pair, int index) {
    weights.prepare(row_of(index, 0));
    biases.prepare(row_of(index, 0));
    const SumTile<Pair> tile(pair, index, sum);
    const RowMoments moments = row_moments(tile, index, reduce);
    store_normalised(tile, index, moments, epsilon, weights, biases, y);
  });
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    add_split(const DTYPE* __restrict__ x, const DTYPE* __restrict__ residual,
              DTYPE* __restrict__ sum) {
  for_each_pair(Matrices{x, residual}, [&](const auto& pair, int index) {
    for_each_stored_sum(pair, index, sum, [](int, auto, const auto&) {});
  });
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    layernorm_split(const DTYPE* __restrict__ sum, const DTYPE* __restrict__ weight,
                    const DTYPE* __restrict__ bias, float epsilon, DTYPE* __restrict__ y) {
  using Reducer = RowReducer<Reduced>;
  __shared__ Reducer::Storage storage;
  Reducer reduce(storage);
  ColumnVectors weights(weight);
  ColumnVectors biases(bias, 1);

  for_each_tile(sum, [&](const auto& tile, int index) {
    weights.prepare(row_of(index, 0));
    biases.prepare(row_of(index, 0));
    const RowMoments moments = row_moments(tile, index, reduce);
    store_normalised(tile, index, moments, epsilon, weights, biases, y);
  });
}
