// RMSNorm that a gate multiplies, as between a state-space or linear-attention layer and its output
// projection, quantised to QUANTISED for a product in 8 bits with a scale for each GROUP columns of a
// row:
//
//   n[r][c] = x[r][c] * weight[c] / sqrt(mean over c of x[r][c]^2 + epsilon) * silu(gate[r][c])
//   scale[c / GROUP][r] = max over the group's columns of |n[r][c]| / largest of QUANTISED
//   q[r][c] = n[r][c] / scale[c / GROUP][r],  silu(v) = v / (1 + e^-v)
//
// x, gate: M x N, weight: N of DTYPE; q: M x N of QUANTISED; scale: N / GROUP x M of float32. GROUP, a
// size, is 0 for a scale for each row; else a multiple of a vector that divides N. Groups of zeros
// have a scale of 1. Moves (2 * sizeof(DTYPE) + 1) * M * N bytes.
//
// Parameters: those of common/row_shape.cuh without RELOAD_HINT, WEIGHT_LOAD, a ColumnLoad, VALUES of
// common/between_passes.cuh, and
//
//   PIPELINE  `fused`: one kernel; the root divides out of q, so that one reduction gives the sum of
//             squares and, for a scale for each row, the maximum. `split`: n is written in DTYPE
//             and read again, as by two libraries: a yardstick of what fusing gains.
#pragma once

#define RELOAD_HINT standard
#include "common/column_vectors.cuh"
#include "common/gating.cuh"
#include "common/quantised_rows.cuh"

enum class Pipeline { fused, split };

[[maybe_unused]] constexpr Pipeline kPipeline = Pipeline::PIPELINE;
constexpr int kGroup = GROUP == 0 ? N : GROUP;

template <int kWidth>
__device__ inline void gate_values(float (&values)[kWidth], const Vector<DTYPE, kWidth>& weight,
                                   const Vector<DTYPE, kWidth>& gate) {
  float gates[kWidth];
  gate.to_floats(gates);
  multiply(values, weight);
#pragma unroll
  for (int i = 0; i < kWidth; ++i) values[i] *= silu(gates[i]);
}

// The sum of squares of each row and, if kWithLargest, the largest |n| without the root, which are kept.
template <bool kWithLargest, class Pair>
__device__ inline void add_extents(const Pair& pair, int index, const ColumnVectors& weights,
                                   Extent (&extents)[ROWS_PER_THREAD], KeptValues& kept) {
  for_each_part([&]<class Part>(Part part) {
    const auto share = weights.share(part, row_of(index, 0));
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(index, r);
      if (!is_part(part, row)) continue;
      FloatsOf<Part::kWidth> made;
      pair.a.read(r, part).to_floats(made.values);
      add_squares(extents[r].squares, made.values);
      if constexpr (kWithLargest) {
        gate_values(made.values, share.of(row), pair.b.read(r, part));
        kept.keep(r, part, made);
        extents[r].largest = fmaxf(extents[r].largest, largest_of(made.values));
      }
    }
  });
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    gated_rmsnorm_quantised(const DTYPE* __restrict__ x, const DTYPE* __restrict__ gate,
                            const DTYPE* __restrict__ weight, float epsilon,
                            QUANTISED* __restrict__ q, float* __restrict__ scale) {
  __shared__ RowReducer<Extent>::Storage storage;
  RowReducer<Extent> reduce(storage);
  ColumnVectors weights(weight);

  for_each_pair(Matrices{x, gate}, [&](const auto& pair, int index) {
    weights.prepare();
    Extent extents[ROWS_PER_THREAD] = {};
    KeptValues kept;
    add_extents<kGroup == N>(pair, index, weights, extents, kept);
    reduce(extents, MergeExtents());

    float largest[ROWS_PER_THREAD];
    float roots[ROWS_PER_THREAD];
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      largest[r] = extents[r].largest;
      roots[r] = rsqrtf(mean_of(extents[r].squares) + epsilon);
    }
    const auto of = [&](auto part) {
      return
          [&, part, share = weights.share(part, row_of(index, 0))](int r, int row, auto& values) {
            pair.a.read_last(r, part).to_floats(values);
            gate_values(values, share.of(row), pair.b.read_last(r, part));
          };
    };
    if constexpr (kGroup < N) {
      quantise_groups<kGroup>(index, roots, q, scale, of);
    } else {
      quantise_kept(index, largest, roots, kept, q, scale, of);
    }
  });
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    gated_rmsnorm_split(const DTYPE* __restrict__ x, const DTYPE* __restrict__ gate,
                        const DTYPE* __restrict__ weight, float epsilon, DTYPE* __restrict__ y) {
  __shared__ RowReducer<Extent>::Storage storage;
  RowReducer<Extent> reduce(storage);
  ColumnVectors weights(weight);

  for_each_pair(Matrices{x, gate}, [&](const auto& pair, int index) {
    weights.prepare();
    Extent extents[ROWS_PER_THREAD] = {};
    KeptValues none;
    add_extents<false>(pair, index, weights, extents, none);
    reduce(extents, MergeExtents());
    for_each_part([&]<class Part>(Part part) {
      const auto share = weights.share(part, row_of(index, 0));
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        if (!is_row(row) || !is_part(part, row)) continue;
        float values[Part::kWidth];
        pair.a.read_last(r, part).to_floats(values);
        gate_values(values, share.of(row), pair.b.read_last(r, part));
        const float root = rsqrtf(mean_of(extents[r].squares) + epsilon);
#pragma unroll
        for (float& value : values) value *= root;
        PartVector<Part>::from_floats(values).template store<kStoreHint>(y + offset_of(row, part));
      }
    });
  });
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    quantise_split(const DTYPE* __restrict__ y, QUANTISED* __restrict__ q,
                   float* __restrict__ scale) {
  quantise_rows<kGroup>(y, q, scale);
}
