// Values that belong to the columns and are the same for every row, such as a weight. WEIGHT_LOAD
// is when a thread loads its share, a ColumnLoad, and WEIGHT_HINT the CacheHint of these loads:
// `keep` leaves them in the caches while rows pass through these.
//
// Where rows are not aligned, columns of a row's vectors begin anywhere in the weight, and a vector
// of it is joined from two: for each row, or once for those of a tile where they have one head
// (kOneHead). `late` and `early` join them after the rows' reduction, `joined` while the rows are
// still on their way; `narrow` joins nothing but halves of words, and loads more often. `once` and
// `shared` join them for all rows, whose heads are then one, and the number of blocks a multiple of
// kBlocksOfAHead. Pairs of ragged rows have two places only: with `once` a thread holds what both
// need (kBothHeads).
//
// With `shared` a thread keeps its share, joined, behind the stages of rows in dynamic shared memory:
// kThreads * kSteps vectors for each weight. It reads back what it wrote itself, one vector at a time,
// and so has registers left for more threads than with `once`. LayerNorm of 50257 columns is faster.
// With `words` the block keeps the columns there, in their own order (row_column_words.cuh).
//
// Rejected: keeping it in shared memory beside rows in pieces. 65536 and 131072 columns became 15 %
// to twice as slow, likely as a row then takes more blocks, which wait for each other.
#pragma once

#include "common/choice.cuh"
#include "common/row_column_words.cuh"
#include "common/row_joins.cuh"
#include "common/warp_values.cuh"

constexpr int kBlocksOfAHead =
    kAlike ? kGroupTiles : kRowsOfAHead / common_divisor(kRowsOfAHead, kTileRows);
constexpr bool kOneHead = ROWS_PER_THREAD == 1 || kRowStride % kRowsOfAHead == 0;
constexpr bool kLoadedOnce = kColumnLoad == ColumnLoad::once || kColumnLoad == ColumnLoad::shared;
constexpr bool kJoinedEarly = kColumnLoad == ColumnLoad::joined;
constexpr bool kInPlace = kColumnLoad == ColumnLoad::narrow;
constexpr bool kBothHeads = kRagged && !kOneHead && kColumnLoad == ColumnLoad::once;
static_assert(kAligned || !kLoadedOnce || kOneHead || kBothHeads);
static_assert(!(kJoinedEarly || kInPlace) || (!kAligned && !kRagged && kOneHead));
static_assert(kColumnLoad != ColumnLoad::shared || kResidence == Residence::registers ||
                  kResidence == Residence::shared,
              "pieces and columns in shared memory are not laid out together");

// One of the thread's rows, where all have one head.
__device__ inline int any_row() { return row_of(blockIdx.x / CLUSTER, 0); }

// What the rows of a tile share of the columns of a vector.
struct VectorShare {
  RowVector low;   // joined, where the rows have one head
  RowVector high;  // the vector behind it, where they have not

  __device__ RowVector of(int row) const {
    if constexpr (kAligned || kOneHead) {
      return low;
    } else {
      return joined(low, high, skipped_of(row));
    }
  }
};

// The share's columns of a row as floats; of a pair's two places from the three that they have.
template <class Share, int kWidth>
__device__ inline void column_floats(const Share& share, int row, float (&values)[kWidth]) {
  share.of(row).to_floats(values);
}
__device__ inline void column_floats(const VectorShare& share, int row, float (&values)[kVector]) {
  if constexpr (!kBothHeads) {
    share.of(row).to_floats(values);
  } else {
    float low[kVector], high[kVector];
    share.low.to_floats(low);
    share.high.to_floats(high);
    const bool is_even = phase_of(row) == 0;
    values[0] = is_even ? high[0] : low[kVector - 1];
    values[kVector - 1] = is_even ? high[kVector - 1] : high[0];
  }
}

// A share's columns as floats for one row after the other; made once where a thread's rows are alike.
template <class Part, class Share>
class ColumnFloats {
 public:
  __device__ ColumnFloats(const Share& share, int first_row) : share_(share) {
    if constexpr (kAlike) column_floats(share, first_row, values_);
  }
  __device__ const float (&of(int row))[Part::kWidth] {
    if constexpr (!kAlike) column_floats(share_, row, values_);
    return values_;
  }

 private:
  const Share& share_;
  float values_[Part::kWidth];
};

class ColumnVectors {
 public:
  static constexpr bool kAreThere = true;

  // `number` counts those of a kernel from 0 on; a stage has parts of so many `matrices`.
  __device__ explicit ColumnVectors(const DTYPE* from, int number = 0, int matrices = 1)
      : from_(from) {
    if constexpr (kColumnLoad == ColumnLoad::once) {
      hold();
      if constexpr (!kAligned && !kBothHeads) hold_for_row(any_row());
    } else if constexpr (kColumnLoad == ColumnLoad::shared) {
      constexpr int kBefore = kStaged ? STAGES * kStageVectors : 0;
      shared_ = dynamic_stages() + matrices * kBefore + number * kSteps * kThreads + threadIdx.x;
      keep_in_shared();
    }
  }
  // Before the reduction of a tile, of which `row` is the thread's first: `joined` needs it.
  __device__ void prepare(int row = 0) {
    // In a block of its own: from a straight line the compiler moves loads behind the reduction. Beside spans,
    // which leave more registers, it does not.
    if constexpr (kColumnLoad == ColumnLoad::early || kJoinedEarly) {
      if (kInBulk || is_always()) hold();
    }
    if constexpr (kJoinedEarly) hold_for_row(row);
  }
  // share(part, row).of(row) for each row of a tile that has the part; `row` is the thread's first.
  __device__ VectorShare share(VectorPart part, int row) const {
    if constexpr (kColumnLoad == ColumnLoad::once || kJoinedEarly ||
                  (kAligned && kColumnLoad == ColumnLoad::early)) {
      return {low_[part.step], kBothHeads ? high_[part.step] : low_[part.step]};
    } else if constexpr (kColumnLoad == ColumnLoad::shared) {
      return alike(shared_[part.step * kThreads]);
    } else if constexpr (kColumnLoad == ColumnLoad::early) {
      return shared_by(low_[part.step], high_[part.step], row);
    } else {
      // The last vector of the columns is loaded in pieces: not for rows that do not need it.
      if (!kAligned && kOneHead && !part.is_owned(row)) return {};
      if constexpr (kInPlace) return alike(load_in_place(from_, part.column(row), skipped_of(row)));
      const int first = vector_of(part.step) * kVector - kJoinedBefore;
      const RowVector low = load_columns(from_, first);
      if constexpr (kAligned) return alike(low);
      return shared_by(low, load_columns(from_, first + kVector), row);
    }
  }

  struct EdgeShare {
    Vector<DTYPE, 1> held;
    const DTYPE* from;

    __device__ Vector<DTYPE, 1> of(int row) const { return kOneHead ? held : load_edge(from, row); }
  };
  __device__ EdgeShare share(EdgePart part, int row) const {
    if constexpr (kLoadedOnce || kJoinedEarly) return {edge_, from_};
    const bool is_there = kOneHead && part.is_owned(row);
    return {is_there ? load_edge(from_, row) : Vector<DTYPE, 1>::zero(), from_};
  }

 private:
  static constexpr int kHeldSteps = kColumnsInMemory ? 1 : kSteps;

  __device__ static VectorShare alike(const RowVector& vector) { return {vector, vector}; }
  __device__ static VectorShare shared_by(const RowVector& low, const RowVector& high, int row) {
    if constexpr (kOneHead) return {joined(low, high, skipped_of(row)), high};
    return {low, high};
  }
  __device__ static Vector<DTYPE, 1> load_edge(const DTYPE* from, int row) {
    return Vector<DTYPE, 1>::load<kColumnHint>(from + EdgePart().column(row));
  }
  __device__ void hold() {
#pragma unroll
    for (int step = 0; step < kHeldSteps; ++step) {
      if (!owns(step)) continue;
      const int first = vector_of(step) * kVector - kJoinedBefore;
      low_[step] = load_columns(from_, first);
      if (!kAligned) high_[step] = load_columns(from_, first + kVector);
    }
  }

  __device__ void hold_for_row(int row) {
    if constexpr (kJoinedEarly) {
      join_all(low_, high_, skipped_of(row));
    } else {
#pragma unroll
      for (int step = 0; step < kHeldSteps; ++step) {
        low_[step] = joined(low_[step], high_[step], skipped_of(row));
      }
    }
    if constexpr (!kRagged) hold_edge(row);
  }
  __device__ void hold_edge(int row) {
    if (EdgePart::may_be_owned() && EdgePart().is_owned(row)) edge_ = load_edge(from_, row);
  }

  __device__ void keep_in_shared() {
#pragma unroll 1
    for (int step = 0; step < kSteps; ++step) {
      if (!owns(step)) continue;
      const int first = vector_of(step) * kVector - kJoinedBefore;
      RowVector vector = load_columns(from_, first);
      if (!kAligned) {
        vector = joined(vector, load_columns(from_, first + kVector), skipped_of(any_row()));
      }
      shared_[step * kThreads] = vector;
    }
    if constexpr (!kAligned && !kRagged) hold_edge(any_row());
  }

  const DTYPE* from_;
  RowVector* shared_ = nullptr;  // the thread's first
  RowVector low_[kHeldSteps];
  RowVector high_[kHeldSteps];
  Vector<DTYPE, 1> edge_;
};

// In their place where a kernel does without.
class NoColumns {
 public:
  static constexpr bool kAreThere = false;

  __device__ explicit NoColumns(const DTYPE*, int = 0, int = 1) {}
  __device__ void prepare(int = 0) {}

  template <class Part>
  struct Share {
    __device__ PartVector<Part> of(int) const { return PartVector<Part>::zero(); }
  };
  template <class Part>
  __device__ Share<Part> share(Part, int) const {
    return {};
  }
};

template <ColumnLoad>
struct ColumnTypeOf {
  using Type = ColumnVectors;
};
template <>
struct ColumnTypeOf<ColumnLoad::words> {
  using Type = ColumnWords;
};

template <bool kAffine>
using ColumnsOf = Choice<kAffine, ColumnTypeOf<kColumnLoad>::Type, NoColumns>;
