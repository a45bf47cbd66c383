// The residual connection and the normalisation that follows it, in one pass:
//
//   sum[r][c] = x[r][c] + residual[r][c]
//   y[r][c]   = sum[r][c] * weight[c] / sqrt(mean over c of sum[r][c]^2 + epsilon)
//
// x, residual, sum, y: M x N of DTYPE; weight: N of DTYPE. What is normalised is the sum as it is
// stored, rounded to DTYPE. The kernel moves 4 * M * N elements.
//
// Parameters: those of common/row_shape.cuh, WEIGHT_LOAD and WEIGHT_HINT as in rmsnorm.cu. With `shared`
// residence the second pass adds again, with `reread` it reads `sum` again.
#define RELOAD_HINT standard  // `sum` is read back through the cache that it was written to
#include "common/column_vectors.cuh"
#include "common/residual.cuh"
#include "common/row_reduce.cuh"

constexpr bool kHeld = kResidence == Residence::registers;

template <class Values>
__device__ inline Values scale(const Values& vector, float by, const Values& weight) {
  constexpr int kWidth = sizeof(Values) / sizeof(DTYPE);
  float values[kWidth];
  float factors[kWidth];
  vector.to_floats(values);
  weight.to_floats(factors);
#pragma unroll
  for (int i = 0; i < kWidth; ++i) values[i] *= by * factors[i];
  return Values::from_floats(values);
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    add_rmsnorm_forward(const DTYPE* __restrict__ x, const DTYPE* __restrict__ residual,
                        const DTYPE* __restrict__ weight, float epsilon, DTYPE* sum,
                        DTYPE* __restrict__ y) {
  __shared__ RowReducer<float>::Storage storage;
  RowReducer<float> reduce(storage);
  ColumnVectors weights(weight);

  for_each_pair(Matrices{x, residual}, [&](const auto& pair, int index) {
    weights.prepare(row_of(index, 0));
    Held<ElementsOf, ROWS_PER_THREAD, kHeld ? kSteps : 1> held;
    float squares[ROWS_PER_THREAD] = {};
    for_each_stored_sum(pair, index, sum, [&]<class Part>(int r, Part part, const auto& added) {
      if constexpr (kHeld) held.at(r, part) = added;
      float values[Part::kWidth];
      added.to_floats(values);
      add_squares(squares[r], values);
    });
    reduce(squares, Sum());

    for_each_part([&]<class Part>(Part part) {
      const auto share = weights.share(part, row_of(index, 0));
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        if (!is_row(row) || !is_part(part, row)) continue;
        const long long at = offset_of(row, part);
        PartVector<Part> added;
        if constexpr (kResidence == Residence::registers) {
          added = held.at(r, part);
        } else if constexpr (kResidence == Residence::shared) {
          added = add(pair.a.read(r, part), pair.b.read(r, part));
        } else {
          added = PartVector<Part>::read_back(sum + at);
        }
        scale(added, rsqrtf(mean_of(squares[r]) + epsilon), share.of(row))
            .template store<kStoreHint>(y + at);
      }
    });
  });
}
