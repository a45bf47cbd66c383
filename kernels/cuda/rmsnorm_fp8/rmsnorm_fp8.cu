// RMSNorm (rmsnorm.cu) whose result is quantised for a product in 8-bit floating point, with a
// scale for each row:
//
//   n[r][c]  = x[r][c] * weight[c] / sqrt(mean over c of x[r][c]^2 + epsilon)
//   scale[r] = max over c of |n[r][c]| / 448
//   q[r][c]  = n[r][c] / scale[r]
//
// x: M x N of DTYPE; weight: N of DTYPE; q: M x N of float8_e4m3; scale: M of float32. Moves
// (sizeof(DTYPE) + 1) * M * N bytes. Rows of zeros have a scale of 1.
//
// Parameters: those of common/row_shape.cuh without RELOAD_HINT, WEIGHT_LOAD and WEIGHT_HINT as in
// rmsnorm.cu, VALUES of common/between_passes.cuh, and
//
//   PIPELINE  `fused`: one kernel; the root divides out of q, so that one reduction gives the sum of
//             squares and the maximum. `split`: the normalised rows are written in DTYPE to `y` and
//             read again, as by two libraries: a yardstick of what fusing gains.
#define RELOAD_HINT standard
#include "common/column_vectors.cuh"
#include "common/quantised_rows.cuh"

enum class Pipeline { fused, split };

[[maybe_unused]] constexpr Pipeline kPipeline = Pipeline::PIPELINE;

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    rmsnorm_fp8(const DTYPE* __restrict__ x, const DTYPE* __restrict__ weight, float epsilon,
                Float8* __restrict__ q, float* __restrict__ scale) {
  __shared__ RowReducer<Extent>::Storage storage;
  RowReducer<Extent> reduce(storage);
  ColumnVectors weights(weight);

  for_each_tile(x, [&](const auto& tile, int index) {
    weights.prepare(row_of(index, 0));
    Extent extents[ROWS_PER_THREAD] = {};
    KeptValues kept;
    for_each_part([&]<class Part>(Part part) {
      const auto share = weights.share(part, row_of(index, 0));
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        if (!is_part(part, row)) continue;
        FloatsOf<Part::kWidth> made;
        tile.read(r, part).to_floats(made.values);
        add_squares(extents[r].squares, made.values);
        multiply(made.values, share.of(row));
        kept.keep(r, part, made);
        extents[r].largest = fmaxf(extents[r].largest, largest_of(made.values));
      }
    });
    reduce(extents, MergeExtents());

    float largest[ROWS_PER_THREAD];
    float roots[ROWS_PER_THREAD];
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      largest[r] = extents[r].largest;
      roots[r] = rsqrtf(mean_of(extents[r].squares) + epsilon);
    }
    quantise_kept(index, largest, roots, kept, q, scale, [&](auto part) {
      return
          [&, part, share = weights.share(part, row_of(index, 0))](int r, int row, auto& values) {
            tile.read_last(r, part).to_floats(values);
            multiply(values, share.of(row));
          };
    });
  });
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    rmsnorm_split(const DTYPE* __restrict__ x, const DTYPE* __restrict__ weight, float epsilon,
                  DTYPE* __restrict__ y) {
  __shared__ RowReducer<float>::Storage storage;
  RowReducer<float> reduce(storage);
  ColumnVectors weights(weight);

  for_each_tile(x, [&](const auto& tile, int index) {
    weights.prepare(row_of(index, 0));
    float sums[ROWS_PER_THREAD] = {};
    for_each_part([&]<class Part>(Part part) {
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        if (!is_part(part, row_of(index, r))) continue;
        float values[Part::kWidth];
        tile.read(r, part).to_floats(values);
        add_squares(sums[r], values);
      }
    });
    reduce(sums, Sum());
    for_each_part([&]<class Part>(Part part) {
      const auto share = weights.share(part, row_of(index, 0));
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        if (!is_row(row) || !is_part(part, row)) continue;
        float values[Part::kWidth];
        tile.read_last(r, part).to_floats(values);
        multiply(values, share.of(row));
        const float root = rsqrtf(mean_of(sums[r]) + epsilon);
#pragma unroll
        for (float& value : values) value *= root;
        PartVector<Part>::from_floats(values).template store<kStoreHint>(y + offset_of(row, part));
      }
    });
  });
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    quantise_split(const DTYPE* __restrict__ y, Float8* __restrict__ q, float* __restrict__ scale) {
  quantise_rows<N>(y, q, scale);
}
