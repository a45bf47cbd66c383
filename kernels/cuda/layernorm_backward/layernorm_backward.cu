// The gradients of LayerNorm (layernorm.cu). With n = (x - mean) * rstd, the normalised row, and
// g = dy * weight:
//
//   dx[r][c]   = rstd[r] * (g[r][c] - mean over c of g - n[r][c] * mean over c of g * n)
//   dweight[c] = sum over r of dy[r][c] * n[r][c]
//   dbias[c]   = sum over r of dy[r][c]
//
// x, dy, dx: M x N of DTYPE; weight, dweight, dbias: N of DTYPE; mean, rstd: M of float32, as the
// forward pass knows them. All sums come out of one reading of x and dy: 3 * M * N elements move.
// Repeatable to the bit.
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

// Sums over a row of g and of g * n; one barrier for both.
struct Projections {
  float on_ones;
  float on_normalised;
};

__device__ inline Projections operator+(const Projections& a, const Projections& b) {
  return {a.on_ones + b.on_ones, a.on_normalised + b.on_normalised};
}

template <int kWidth>
struct Gradient {
  float normalised[kWidth];
  float weighted[kWidth];
};

template <int kWidth>
__device__ inline Gradient<kWidth> gradient_of(const Vector<DTYPE, kWidth>& x,
                                               const Vector<DTYPE, kWidth>& dy,
                                               const Vector<DTYPE, kWidth>& weight, float mean,
                                               float rstd) {
  Gradient<kWidth> gradient;
  float factors[kWidth];
  x.to_floats(gradient.normalised);
  dy.to_floats(gradient.weighted);
  weight.to_floats(factors);
#pragma unroll
  for (int i = 0; i < kWidth; ++i) {
    gradient.normalised[i] = (gradient.normalised[i] - mean) * rstd;
    gradient.weighted[i] *= factors[i];
  }
  return gradient;
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    layernorm_backward(const DTYPE* __restrict__ x, const DTYPE* __restrict__ dy,
                       const DTYPE* __restrict__ weight, const float* __restrict__ mean,
                       const float* __restrict__ rstd, DTYPE* __restrict__ dx,
                       float* __restrict__ partials) {
  __shared__ RowReducer<Projections>::Storage storage;
  RowReducer<Projections> reduce(storage);
  ColumnVectors weights(weight);
  ColumnSums<2> sums;
  RowNumbers means_of_rows(mean), scales_of_rows(rstd);

  const Matrices inputs = {x, dy};
  for_each_pair(inputs, [&](const auto& pair, int index) {
    float means[ROWS_PER_THREAD];
    float scales[ROWS_PER_THREAD];
    Projections projections[ROWS_PER_THREAD] = {};
    means_of_rows.take(index, means);
    scales_of_rows.take(index, scales);
    BetweenPasses<Gradient> gradients;
    weights.prepare();
    for_each_part([&]<class Part>(Part part) {
      const auto share = weights.share(part, row_of(index, 0));
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        if (!is_row(row) || !is_part(part, row)) continue;
        const auto g = gradient_of(pair.a.read(r, part), pair.b.read(r, part), share.of(row),
                                   means[r], scales[r]);
        gradients.keep(r, part, g);
#pragma unroll
        for (int i = 0; i < Part::kWidth; ++i) {
          projections[r].on_ones += g.weighted[i];
          projections[r].on_normalised += g.weighted[i] * g.normalised[i];
        }
      }
    });
    reduce(projections, Sum());

    for_each_part([&]<class Part>(Part part) {
      const auto share = weights.share(part, row_of(index, 0));
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        if (!is_row(row) || !is_part(part, row)) continue;
        const auto incoming = pair.b.read(r, part);
        const auto g = gradients.again(r, part, [&] {
          return gradient_of(pair.a.read(r, part), incoming, share.of(row), means[r], scales[r]);
        });
        const float offset = mean_of(projections[r].on_ones);
        const float slope = mean_of(projections[r].on_normalised);
        float values[Part::kWidth];
        incoming.to_floats(values);
#pragma unroll
        for (int i = 0; i < Part::kWidth; ++i) {
          sums.add(0, part, i, values[i] * g.normalised[i]);
          sums.add(1, part, i, values[i]);
          values[i] = scales[r] * (g.weighted[i] - offset - g.normalised[i] * slope);
        }
        PartVector<Part>::from_floats(values).template store<kStoreHint>(dx + offset_of(row, part));
      }
    });
  });
  // All tiles have been read, so their memory is free.
  sums.store(partials, reinterpret_cast<float*>(dynamic_stages()));
}

extern "C" __global__ void __launch_bounds__(FINISH_COLUMNS* FINISH_ROWS)
    layernorm_backward_finish(const float* partials, int rows, DTYPE* __restrict__ dweight,
                              DTYPE* __restrict__ dbias) {
  const int column = blockIdx.x * FINISH_COLUMNS + threadIdx.x;  // of dweight, then of dbias
  const float sum = sum_partials<2>(partials, rows, column);
  if (threadIdx.y != 0 || column >= 2 * N) return;
  DTYPE* to = column < N ? dweight + column : dbias + column - N;
  *to = from_float<DTYPE>(sum);
}
