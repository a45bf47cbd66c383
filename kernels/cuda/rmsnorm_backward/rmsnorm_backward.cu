// The gradients of RMSNorm (rmsnorm.cu). With n = x * rstd, the normalised row, and g = dy *
// weight:
//
//   dx[r][c]   = rstd[r] * (g[r][c] - n[r][c] * mean over c of g[r][c] * n[r][c])
//   dweight[c] = sum over r of dy[r][c] * n[r][c]
//
// x, dy, dx: M x N of DTYPE; weight, dweight: N of DTYPE; rstd: M of float32, as the forward pass
// knows it. Both sums come out of one reading of x and dy: 3 * M * N elements move. Repeatable to
// the bit.
//
// Parameters: those of common/row_shape.cuh without `reread` residence, VALUES of
// common/between_passes.cuh, those of common/column_sums.cuh, and WEIGHT_LOAD as in rmsnorm.cu.
#define RELOAD_HINT standard
#include "common/between_passes.cuh"
#include "common/column_sums.cuh"
#include "common/column_vectors.cuh"
#include "common/row_loop.cuh"
#include "common/row_numbers.cuh"
#include "common/row_reduce.cuh"

static_assert(BLOCKS_PER_SM > 0, "a block adds up many rows");

template <int kWidth>
struct Gradient {
  float normalised[kWidth];
  float weighted[kWidth];
};

template <int kWidth>
__device__ inline Gradient<kWidth> gradient_of(const Vector<DTYPE, kWidth>& x,
                                               const Vector<DTYPE, kWidth>& dy,
                                               const Vector<DTYPE, kWidth>& weight, float rstd) {
  Gradient<kWidth> gradient;
  float factors[kWidth];
  x.to_floats(gradient.normalised);
  dy.to_floats(gradient.weighted);
  weight.to_floats(factors);
#pragma unroll
  for (int i = 0; i < kWidth; ++i) {
    gradient.normalised[i] *= rstd;
    gradient.weighted[i] *= factors[i];
  }
  return gradient;
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    rmsnorm_backward(const DTYPE* __restrict__ x, const DTYPE* __restrict__ dy,
                     const DTYPE* __restrict__ weight, const float* __restrict__ rstd,
                     DTYPE* __restrict__ dx, float* __restrict__ partials) {
  __shared__ RowReducer<float>::Storage storage;
  RowReducer<float> reduce(storage);
  ColumnVectors weights(weight);
  ColumnSums<1> sums;
  RowNumbers scales_of_rows(rstd);

  const Matrices inputs = {x, dy};
  for_each_pair(inputs, [&](const auto& pair, int index) {
    float scales[ROWS_PER_THREAD];
    float dots[ROWS_PER_THREAD] = {};
    scales_of_rows.take(index, scales);
    BetweenPasses<Gradient> gradients;
    weights.prepare();
    for_each_part([&]<class Part>(Part part) {
      const auto share = weights.share(part, row_of(index, 0));
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        if (!is_row(row) || !is_part(part, row)) continue;
        const auto g =
            gradient_of(pair.a.read(r, part), pair.b.read(r, part), share.of(row), scales[r]);
        gradients.keep(r, part, g);
#pragma unroll
        for (int i = 0; i < Part::kWidth; ++i) dots[r] += g.weighted[i] * g.normalised[i];
      }
    });
    reduce(dots, Sum());

    for_each_part([&]<class Part>(Part part) {
      const auto share = weights.share(part, row_of(index, 0));
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        if (!is_row(row) || !is_part(part, row)) continue;
        const auto incoming = pair.b.read(r, part);
        const auto g = gradients.again(r, part, [&] {
          return gradient_of(pair.a.read(r, part), incoming, share.of(row), scales[r]);
        });
        float values[Part::kWidth];
        incoming.to_floats(values);
#pragma unroll
        for (int i = 0; i < Part::kWidth; ++i) {
          sums.add(0, part, i, values[i] * g.normalised[i]);
          values[i] = scales[r] * (g.weighted[i] - g.normalised[i] * mean_of(dots[r]));
        }
        PartVector<Part>::from_floats(values).template store<kStoreHint>(dx + offset_of(row, part));
      }
    });
  });
  // All tiles have been read, so their memory is free.
  sums.store(partials, reinterpret_cast<float*>(dynamic_stages()));
}

extern "C" __global__ void __launch_bounds__(FINISH_COLUMNS* FINISH_ROWS)
    rmsnorm_backward_finish(const float* partials, int rows, DTYPE* __restrict__ dweight) {
  const int column = blockIdx.x * FINISH_COLUMNS + threadIdx.x;
  const float sum = sum_partials<1>(partials, rows, column);
  if (threadIdx.y == 0 && column < N) dweight[column] = from_float<DTYPE>(sum);
}
