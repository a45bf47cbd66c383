// What a thread has of a row: vectors, and of rows of any length an element of its edges. Rows
// follow one another without gaps, and vectors are at multiples of VEC_BYTES, so where a row is no
// multiple of that some elements lie before its first vector and behind its last. The first threads
// of a row have one of them each. Kernels treat both alike, by templates over the width of a part.
//
// With STORED_BY=bulk and vectors of two elements rows have no edges but are ragged: their first
// pair or their last has an element of a neighbour, which is foreign. Kernels replace it by a value
// that changes no result, and it is not written. Parts that may have one are RaggedParts: those of
// the thread's first step and of its last.
//
// Rejected: foreign elements in global memory. Masks at every use, stores in pieces and one step
// more than a row of 2048 needs took up to a third of the time. In wider vectors: these take more
// instructions than edges.
#pragma once

#include "common/row_shape.cuh"

// Whether the row's first element is asked for, by VARIANCE=shifted (row_moments.cuh).
#ifdef VARIANCE
constexpr bool kFirstIsAskedFor = true;
#else
constexpr bool kFirstIsAskedFor = false;
#endif

constexpr int kMostEdges = 2 * (kVector - 1);
static_assert(kAligned || kRagged || THREADS_PER_ROW >= kMostEdges,
              "a thread has one element of the edges");
// Steps before this one have no pair with an element of the next row.
constexpr int kWholeSteps = (kLastChunk - 1) / THREADS_PER_ROW;

// All of `row` are those that the thread works on.

struct VectorPart {
  static constexpr int kWidth = kVector;
  static constexpr bool kMayBeShared = false;
  int step;

  __device__ bool is_owned(int row) const {
    if (kAligned || kRagged || (step + 1) * THREADS_PER_ROW <= kLeastLastChunk) return true;
    return vector_of(step) < vectors_of(row);
  }
  __device__ int column(int row) const {
    return (kRagged ? -phase_of(row) : head_of(row)) + vector_of(step) * kVector;
  }
  // The column as that of the thread's first vector and the distance from it.
  __device__ int start(int row) const { return VectorPart{0}.column(row); }
  __device__ int distance() const { return step * THREADS_PER_ROW * kVector; }
};

// A pair of which a neighbouring row may have an element. Its column may be -1. What is asked here
// of the step is known at compile time.
struct RaggedPart : VectorPart {
  static constexpr bool kMayBeShared = true;

  __device__ bool is_own(int row, int i) const {
    return i == 0 ? step > 0 || column(row) >= 0 : step < kWholeSteps || column(row) + 1 < N;
  }
};

struct EdgePart {
  static constexpr int kWidth = 1;
  static constexpr bool kMayBeShared = false;

  __device__ static bool may_be_owned() {
    return block_in_row() == 0 && thread_in_row() < kMostEdges;
  }
  __device__ bool is_owned(int row) const {
    return thread_in_row() < N - vectors_of(row) * kVector;
  }
  __device__ int column(int row) const {
    const int at = thread_in_row();
    return at < head_of(row) ? at : vectors_of(row) * kVector + at;
  }
  __device__ int start(int row) const { return column(row); }
  __device__ static constexpr int distance() { return 0; }
};

// Whether the part is to be worked on for `row`; where rows have no edges also beyond the last row.
template <class Part>
__device__ inline bool is_part(Part part, int row) {
  return kAligned || ((kRagged || is_row(row)) && part.is_owned(row));
}

// Replaces foreign elements.
template <class Part>
__device__ inline void replace_foreign(Part part, int row, float (&values)[Part::kWidth],
                                       float by) {
  if constexpr (Part::kMayBeShared) {
#pragma unroll
    for (int i = 0; i < Part::kWidth; ++i) values[i] = part.is_own(row, i) ? values[i] : by;
  }
}

// Elements of a part that are the row's.
template <class Part>
__device__ inline int own_elements(Part part, int row) {
  if constexpr (Part::kMayBeShared) return part.is_own(row, 0) + part.is_own(row, 1);
  return Part::kWidth;
}

// How far a row reaches: columns from Reach::of(row) on are not read, and a kernel makes nothing of
// them. Here it is the whole row.
struct WholeRows {
  __device__ static constexpr bool is_whole() { return true; }
  __device__ static int of(int) { return N; }
};

template <class Reach, class Part>
__device__ inline bool is_reached(Part part, int row) {
  return Reach::is_whole() || part.column(row) < Reach::of(row);
}

// Vectors of the row that have a column within reach.
template <class Reach>
__device__ inline int vectors_reached(int row) {
  if constexpr (Reach::is_whole()) return vectors_of(row);
  return min(vectors_of(row), divide_up(max(0, Reach::of(row) - head_of(row)), kVector));
}

template <class Part>
__device__ inline long long offset_of(int row, Part part) {
  return offset_of(row, part.column(row));
}

template <class Visit>
__device__ inline void for_each_ragged_part(Visit visit) {
  if (owns(0)) visit(RaggedPart{{0}});
#pragma unroll kUnroll
  for (int step = 1; step < kWholeSteps; ++step) visit(VectorPart{step});
#pragma unroll
  for (int step = kWholeSteps > 1 ? kWholeSteps : 1; step < kSteps; ++step) {
    if (owns(step)) visit(RaggedPart{{step}});
  }
}

// Calls visit(part) for each part that the thread may have of its rows.
template <class Visit>
__device__ inline void for_each_part(Visit visit) {
  if constexpr (kRagged) {
    for_each_ragged_part(visit);
  } else {
#pragma unroll kUnroll
    for (int step = 0; step < kSteps; ++step) {
      if (owns(step)) visit(VectorPart{step});
    }
    if constexpr (!kAligned) {
      if (EdgePart::may_be_owned()) visit(EdgePart());
    }
  }
}

// Whether rows are between the passes where loops over them may end with a row's reach: neither in
// registers, which wants to know all steps at compile time, nor in pieces, which are all waited for.
__device__ constexpr bool may_end_early() {
  return kResidence == Residence::shared || kResidence == Residence::reread;
}

// Steps in which the block's threads have vectors within the reach of the row.
template <class Reach>
__device__ inline int steps_reached(int row) {
  const int chunk = block_in_row() * kChunk;
  return min(kSteps, divide_up(max(0, vectors_reached<Reach>(row) - chunk), THREADS_PER_ROW));
}

// Calls visit(part) for each part of the first `steps` steps, and of the edges. Nothing in a step
// depends on the row, so that the loads of several are under way at once.
template <class Visit>
__device__ inline void for_each_part_of(int steps, Visit visit) {
  constexpr bool kAllOwn = kLastChunk == kSteps * THREADS_PER_ROW;
#pragma unroll kUnroll
  for (int step = 0; step < steps; ++step) {
    if (kAllOwn || owns(step)) visit(VectorPart{step});
  }
  if constexpr (!kAligned) {
    if (EdgePart::may_be_owned()) visit(EdgePart());
  }
}

// Calls visit(part) for each part that the thread may have of a row's columns within reach, and
// maybe for some beyond.
template <class Reach, class Visit>
__device__ inline void for_each_part_within(int row, Visit visit) {
  if constexpr (Reach::is_whole() || !may_end_early()) {
    for_each_part(visit);
  } else {
    for_each_part_of(steps_reached<Reach>(row), visit);
  }
}

// Whether the thread's parts of the row have the column.
__device__ inline bool has_column(int row, int column) {
  const int before = kRagged ? -phase_of(row) : head_of(row);
  const int elements = column - before;
  if (!kAligned && !kRagged && (elements < 0 || elements >= vectors_of(row) * kVector)) {
    return thread_in_row() == (elements < 0 ? column : column - vectors_of(row) * kVector) &&
           block_in_row() == 0;
  }
  const int chunk = block_in_row() * kChunk;
  const int vector = elements / kVector - chunk;
  return vector >= 0 && vector < kChunk && vector % THREADS_PER_ROW == thread_in_row();
}

template <class Part>
using PartVector = Vector<DTYPE, Part::kWidth>;

// Something for each part of kRows rows, in registers: Of<width> is its type.
template <template <int> class Of, int kRows = ROWS_PER_THREAD, int kHeldSteps = kSteps>
class Held {
 public:
  __device__ Of<kVector>& at(int r, VectorPart part) { return vectors_[r][part.step]; }
  __device__ Of<1>& at(int r, EdgePart) { return edges_[r]; }
  __device__ const Of<kVector>& at(int r, VectorPart part) const { return vectors_[r][part.step]; }
  __device__ const Of<1>& at(int r, EdgePart) const { return edges_[r]; }

 private:
  Of<kVector> vectors_[kRows][kHeldSteps];
  Of<1> edges_[kRows];
};

template <int kWidth>
using ElementsOf = Vector<DTYPE, kWidth>;

template <int kWidth>
struct FloatsOf {
  float values[kWidth];
};

template <int kWidth>
struct ZeroFloats {
  float values[kWidth] = {};
};
