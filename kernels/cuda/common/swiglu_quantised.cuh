// SwiGLU (Shazeer, 2020) whose result is quantised to QUANTISED for a product in 8 bits, with a
// scale for each GROUP columns of a row:
//
//   y[r][c] = silu(gate[r][c]) * up[r][c],  silu(v) = v / (1 + e^-v)
//   scale[c / GROUP][r] = max over the group's columns of |y[r][c]| / largest of QUANTISED
//   q[r][c] = y[r][c] / scale[c / GROUP][r]
//
// gate, up: M x N of DTYPE; q: M x N of QUANTISED; scale: N / GROUP x M of float32. GROUP, a size, is
// 0 for a scale for each row; else a multiple of a vector that divides N. Groups of zeros have a scale
// of 1. Moves (2 * sizeof(DTYPE) + 1) * M * N bytes.
//
// Parameters: those of common/row_shape.cuh without RELOAD_HINT, VALUES of common/between_passes.cuh, and
//
//   PIPELINE  `fused`: one kernel. `split`: y is written in DTYPE and read again, as by two
//             libraries: a yardstick of what fusing gains.
#pragma once

#define RELOAD_HINT standard
#include "common/gating.cuh"
#include "common/quantised_rows.cuh"

enum class Pipeline { fused, split };

[[maybe_unused]] constexpr Pipeline kPipeline = Pipeline::PIPELINE;
constexpr int kGroup = GROUP == 0 ? N : GROUP;

// Of a part of the pair's row r.
template <class Pair, class Part>
__device__ inline void gated(const Pair& pair, int r, Part part, float (&values)[Part::kWidth]) {
  float gates[Part::kWidth];
  pair.a.read_last(r, part).to_floats(gates);
  pair.b.read_last(r, part).to_floats(values);
#pragma unroll
  for (int i = 0; i < Part::kWidth; ++i) values[i] *= silu(gates[i]);
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    swiglu_quantised(const DTYPE* __restrict__ gate, const DTYPE* __restrict__ up,
                     QUANTISED* __restrict__ q, float* __restrict__ scale) {
  __shared__ RowReducer<float>::Storage storage;
  RowReducer<float> reduce(storage);
  for_each_pair(Matrices{gate, up}, [&](const auto& pair, int index) {
    const auto of = [&](auto part) {
      return [&, part](int r, int, auto& values) { gated(pair, r, part, values); };
    };
    quantise_values<kGroup>(index, reduce, q, scale, of, of);
  });
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    swiglu_split(const DTYPE* __restrict__ gate, const DTYPE* __restrict__ up,
                 DTYPE* __restrict__ y) {
  for_each_pair(Matrices{gate, up}, [&](const auto& pair, int index) {
    for_each_part([&]<class Part>(Part part) {
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        if (!is_row(row) || !is_part(part, row)) continue;
        float values[Part::kWidth];
        gated(pair, r, part, values);
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
