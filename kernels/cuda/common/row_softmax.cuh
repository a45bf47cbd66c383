// Softmax of a tile of rows: what turns a row's exponentials into results, and what is stored.
//
// Parameters: those of common/row_shape.cuh and common/row_pieces.cuh, and
//
//   ALGORITHM     `two_stage`: the maximum, then the sum; two reductions. `online`: each thread
//                 takes both of its own share and the shares are merged; one reduction.
//   EXPONENTIALS  `recomputed` for the result, or `kept` in float32 registers from the sum on
#pragma once

#include "common/choice.cuh"
#include "common/row_exponentials.cuh"
#include "common/row_spans.cuh"

enum class Algorithm { two_stage, online };
enum class Exponentials { recomputed, kept };

constexpr bool kOnline = Algorithm::ALGORITHM == Algorithm::online;
constexpr bool kKept = Exponentials::EXPONENTIALS == Exponentials::kept;
static_assert(!kKept || kResidence == Residence::registers);

using Reducer = RowReducer<Choice<kOnline, ExponentialSum, float>>;

// Exponentials of a thread's share, each relative to the base that it was summed with. Parts that
// do not count have none.
using KeptExponentials = Held<FloatsOf, kKept ? ROWS_PER_THREAD : 1, kKept ? kSteps : 1>;

struct Keep {
  KeptExponentials& kept;

  template <class Part>
  __device__ void operator()(int r, Part part, const float (&powers)[Part::kWidth]) const {
    if constexpr (kKept) {
#pragma unroll
      for (int i = 0; i < Part::kWidth; ++i) kept.at(r, part).values[i] = powers[i];
    }
  }
};

// What turns a share's exponentials into results: e^(x - maximum) / sum is
// 2^(x * unit - base) * scale, where base belongs to the share.
struct Scaling {
  float base[ROWS_PER_THREAD];
  float scale[ROWS_PER_THREAD];
  ExponentialSum total[ROWS_PER_THREAD];  // of the rows
};

template <class Logits>
__device__ float row_base(const Logits& logits, float maximum) {
  return Logits::may_lack_all() ? base_of(maximum, logits.unit) : maximum * logits.unit;
}

// value / sum; 0 for a row that lacks all.
template <class Logits>
__device__ float over_sum(float value, float sum) {
  if (Logits::may_lack_all() && sum == 0) return 0;
  return kInBulk ? __fdividef(value, sum) : value / sum;
}

template <class Logits, class Tile>
__device__ Scaling two_stage_scaling(const Logits& logits, const Tile& tile, int index,
                                     RowReducer<float>& reduce, KeptExponentials& kept) {
  Scaling scaling;
  float sums[ROWS_PER_THREAD];
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r)
    scaling.base[r] = own_maximum(logits, tile, row_of(index, r), r);
  reduce(scaling.base, Maximum());
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    scaling.total[r].maximum = scaling.base[r];
    scaling.base[r] = row_base(logits, scaling.base[r]);
    sums[r] = own_sum(logits, tile, row_of(index, r), r, scaling.base[r], Keep{kept});
  }
  reduce(sums, Sum());
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    scaling.total[r].sum = sums[r];
    scaling.scale[r] = over_sum<Logits>(1, sums[r]);
  }
  return scaling;
}

template <class Logits, class Tile>
__device__ Scaling online_scaling(const Logits& logits, const Tile& tile, int index,
                                  RowReducer<ExponentialSum>& reduce, KeptExponentials& kept) {
  ExponentialSum sums[ROWS_PER_THREAD];
  Scaling scaling;
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    const int row = row_of(index, r);
    if constexpr (kResidence == Residence::registers) {
      const float maximum = own_maximum(logits, tile, row, r);
      scaling.base[r] = base_of(maximum, logits.unit);
      sums[r] = {maximum, own_sum(logits, tile, row, r, scaling.base[r], Keep{kept})};
    } else {
      sums[r] = own_running_sum(logits, tile, row, r);
    }
  }
  reduce(sums, MergeExponentialSums{logits.unit});
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    const float base = row_base(logits, sums[r].maximum);
    const float of_share = kKept ? power_of_two(scaling.base[r] - base) : 1;
    scaling.scale[r] = over_sum<Logits>(of_share, sums[r].sum);
    if (!kKept) scaling.base[r] = base;
    scaling.total[r] = sums[r];
  }
  return scaling;
}

template <class Logits, class Tile>
__device__ Scaling scaling_of(const Logits& logits, const Tile& tile, int index, Reducer& reduce,
                              KeptExponentials& kept) {
  if constexpr (kOnline) {
    return online_scaling(logits, tile, index, reduce, kept);
  } else {
    return two_stage_scaling(logits, tile, index, reduce, kept);
  }
}

// What is stored as it is.
struct Unchanged {
  template <class Part>
  __device__ void operator()(int, int, Part, float (&)[Part::kWidth]) const {}
  __device__ static constexpr bool makes_zeros(int) { return false; }
  template <class Tile, class Write>
  __device__ void around(const Tile&, int, int, const Scaling&, Write write) const {
    write();
  }
};

// Stores the results of a part of the thread's row r, for for_each_stored_tile(), after
// change(r, row, part, results). Where change.makes_zeros(r), the row becomes zeros whatever is in
// it, and is not read again.
template <class Logits, class Tile, class Part, class Change>
__device__ void store_part(const Logits& logits, const Tile& tile, int index,
                           const Scaling& scaling, const KeptExponentials& kept, DTYPE* y,
                           Change change, Part part, int r) {
  const int row = row_of(index, r);
  if (!is_row(row) || !is_part(part, row)) return;
  const bool is_zero = change.makes_zeros(r) || !logits.counts(part, row);
  float values[Part::kWidth];
  if constexpr (!kKept) {
    if (kInPieces || !is_zero) tile.read_last(r, part).to_floats(values);
  }
  if (is_zero) {
#pragma unroll
    for (float& value : values) value = 0;
  } else {
    if constexpr (!kKept) logits.apply(r, row, part, values);
#pragma unroll
    for (int i = 0; i < Part::kWidth; ++i) {
      const float power = kKept ? kept.at(r, part).values[i]
                                : power_of_two(values[i] * logits.unit - scaling.base[r]);
      values[i] = power * scaling.scale[r];
    }
    change(r, row, part, values);
  }
  store_part(tile, y, row, r, part, PartVector<Part>::from_floats(values));
}

// The same for all of the thread's parts of its row r, with STORED_BY=bulk and rows that all count.
// Instead of a change of each part there is change.around(tile, r, row, scaling, write), which calls
// write() once and may change single elements behind it.
template <class Logits, class Tile, class Change>
__device__ void store_row(const Logits& logits, const Tile& tile, int index, const Scaling& scaling,
                          const KeptExponentials& kept, DTYPE* y, Change change, int r) {
  const int row = row_of(index, r);
  if (!is_row(row)) return;
  if (change.makes_zeros(r)) {
    for_each_part([&]<class Part>(Part part) {
      if (is_part(part, row)) store_part(tile, y, row, r, part, PartVector<Part>::zero());
    });
    return;
  }
  change.around(tile, r, row, scaling, [&] {
    for_each_part([&](auto part) {
      store_part(logits, tile, index, scaling, kept, y, Unchanged(), part, r);
    });
  });
}

// Stores zeros in what the thread has of a tile's rows from `step` on.
__device__ inline void store_zeros(int step, int index, DTYPE* y) {
  for (; step < kSteps; ++step) {
    if (!owns(step)) continue;
    const VectorPart part = {step};
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(index, r);
      if (!is_row(row) || !is_part(part, row)) continue;
      RowVector::zero().store<kStoreHint>(y + offset_of(row, part));
    }
  }
}

// Stores the results of a tile, as store_part() does; beyond the rows' reach they are zeros.
template <class Logits, class Tile, class Change>
__device__ void store_scaled(const Logits& logits, const Tile& tile, int index,
                             const Scaling& scaling, const KeptExponentials& kept, DTYPE* y,
                             Change change) {
  using Reach = typename Logits::Reach;
  const auto store = [&](auto part) {
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      store_part(logits, tile, index, scaling, kept, y, change, part, r);
    }
  };
  if constexpr (kInBulk) {
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      store_row(logits, tile, index, scaling, kept, y, change, r);
    }
  } else if constexpr (Reach::is_whole() || !may_end_early()) {
    for_each_part(store);
  } else {
    int steps = 0;
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      steps = max(steps, steps_reached<Reach>(row_of(index, r)));
    }
    for_each_part_of(steps, store);
    store_zeros(steps, index, y);
  }
}

// The whole kernel of a softmax of `logits` of x.
template <class Logits>
__device__ void softmax_rows(Logits& logits, const DTYPE* x, DTYPE* y) {
  __shared__ Reducer::Storage storage;
  Reducer reduce(storage);
  for_each_stored_tile<typename Logits::Reach>(x, y, [&](const auto& whole, int index) {
    KeptExponentials kept;
    const auto& tile = logits.prepared(whole, index);
    const Scaling scaling = scaling_of(logits, tile, index, reduce, kept);
    store_scaled(logits, tile, index, scaling, kept, y, Unchanged());
  });
}
