// Softmax over the rows of a matrix:
//
//   y[r][c] = e^(x[r][c] - max over c of x[r][c]) / sum over c of the same
//
// x, y: M x N of DTYPE; sums in float32. A row of minus infinities alone gives NaN, as in other
// libraries.
//
// Parameters: those of common/row_shape.cuh and common/row_pieces.cuh, and
//
//   ALGORITHM     `two_stage`: the maximum, then the sum; two reductions. `online`: each thread
//                 takes both of its own share and the shares are merged; one reduction.
//   EXPONENTIALS  `recomputed` for the result, or `kept` in float32 registers from the sum on
#include "common/exponential.cuh"
#include "common/row_pieces.cuh"
#include "common/row_reduce.cuh"

enum class Algorithm { two_stage, online };
enum class Exponentials { recomputed, kept };

constexpr bool kOnline = Algorithm::ALGORITHM == Algorithm::online;
constexpr bool kKept = Exponentials::EXPONENTIALS == Exponentials::kept;
static_assert(!kKept || kResidence == Residence::registers);

template <bool>
struct ReducedOf {
  using Type = float;
};
template <>
struct ReducedOf<true> {
  using Type = ExponentialSum;
};
using Reducer = RowReducer<ReducedOf<kOnline>::Type>;

// Exponentials of a thread's share, each relative to the base that it was summed with.
using KeptExponentials = Held<FloatsOf, kKept ? ROWS_PER_THREAD : 1, kKept ? kSteps : 1>;

template <class Tile>
__device__ float own_maximum(const Tile& tile, int row, int r) {
  float maximum = minus_infinity();
  for_each_part([&]<class Part>(Part part) {
    if (!is_part(part, row)) return;
    float values[Part::kWidth];
    tile.read(r, part).to_floats(values);
#pragma unroll
    for (float value : values) maximum = fmaxf(maximum, value);
  });
  return maximum;
}

// `base` is in units of log2(e), as base_of gives it.
template <class Tile>
__device__ float own_sum(const Tile& tile, int row, int r, float base, KeptExponentials& kept) {
  float sum = 0;
  for_each_part([&]<class Part>(Part part) {
    if (!is_part(part, row)) return;
    float values[Part::kWidth];
    tile.read(r, part).to_floats(values);
#pragma unroll
    for (float& value : values) value = power_of_two(value * kLog2E - base);
    sum += sum_of(values);
    if constexpr (kKept) {
#pragma unroll
      for (int i = 0; i < Part::kWidth; ++i) kept.at(r, part).values[i] = values[i];
    }
  });
  return sum;
}

// What turns a share's exponentials into results: e^(x - maximum) / sum is
// 2^(x * log2(e) - base) * scale, where base belongs to the share.
struct Scaling {
  float base[ROWS_PER_THREAD];
  float scale[ROWS_PER_THREAD];
};

template <class Tile>
__device__ Scaling two_stage_scaling(const Tile& tile, int index, RowReducer<float>& reduce,
                                     KeptExponentials& kept) {
  Scaling scaling;
  float sums[ROWS_PER_THREAD];
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r)
    scaling.base[r] = own_maximum(tile, row_of(index, r), r);
  reduce(scaling.base, Maximum());
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    scaling.base[r] *= kLog2E;
    sums[r] = own_sum(tile, row_of(index, r), r, scaling.base[r], kept);
  }
  reduce(sums, Sum());
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) scaling.scale[r] = 1 / sums[r];
  return scaling;
}

// One visit per vector: when the maximum grows, the sum so far is scaled down. Needed where each
// visit is a read of memory; in registers two visits cost less.
template <class Tile>
__device__ ExponentialSum own_running_sum(const Tile& tile, int row, int r) {
  ExponentialSum own = {minus_infinity(), 0};
  for_each_part([&]<class Part>(Part part) {
    if (!is_part(part, row)) return;
    float values[Part::kWidth];
    tile.read(r, part).to_floats(values);
    float maximum = own.maximum;
#pragma unroll
    for (float value : values) maximum = fmaxf(maximum, value);
    const float base = base_of(maximum);
#pragma unroll
    for (float& value : values) value = power_of_two(value * kLog2E - base);
    own.sum = own.sum * power_of_two(own.maximum * kLog2E - base) + sum_of(values);
    own.maximum = maximum;
  });
  return own;
}

template <class Tile>
__device__ Scaling online_scaling(const Tile& tile, int index, RowReducer<ExponentialSum>& reduce,
                                  KeptExponentials& kept) {
  ExponentialSum sums[ROWS_PER_THREAD];
  Scaling scaling;
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    const int row = row_of(index, r);
    if constexpr (kResidence == Residence::registers) {
      const float maximum = own_maximum(tile, row, r);
      scaling.base[r] = base_of(maximum);
      sums[r] = {maximum, own_sum(tile, row, r, scaling.base[r], kept)};
    } else {
      sums[r] = own_running_sum(tile, row, r);
    }
  }
  reduce(sums, MergeExponentialSums());
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    const float base = sums[r].maximum * kLog2E;
    scaling.scale[r] = (kKept ? power_of_two(scaling.base[r] - base) : 1) / sums[r].sum;
    if (!kKept) scaling.base[r] = base;
  }
  return scaling;
}

template <class Tile>
__device__ void store_scaled(const Tile& tile, int index, const Scaling& scaling,
                             const KeptExponentials& kept, DTYPE* y) {
  for_each_part([&]<class Part>(Part part) {
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(index, r);
      if (!is_row(row) || !is_part(part, row)) continue;
      float values[Part::kWidth];
      if constexpr (!kKept) tile.read_last(r, part).to_floats(values);
#pragma unroll
      for (int i = 0; i < Part::kWidth; ++i) {
        const float power =
            kKept ? kept.at(r, part).values[i] : power_of_two(values[i] * kLog2E - scaling.base[r]);
        values[i] = power * scaling.scale[r];
      }
      PartVector<Part>::from_floats(values).template store<kStoreHint>(y + offset_of(row, part));
    }
  });
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    softmax_forward(const DTYPE* __restrict__ x, DTYPE* __restrict__ y) {
  __shared__ Reducer::Storage storage;
  Reducer reduce(storage);

  for_each_whole_row_tile(x, [&](const auto& tile, int index) {
    KeptExponentials kept;
    Scaling scaling;
    if constexpr (kOnline) {
      scaling = online_scaling(tile, index, reduce, kept);
    } else {
      scaling = two_stage_scaling(tile, index, reduce, kept);
    }
    store_scaled(tile, index, scaling, kept, y);
  });
}
