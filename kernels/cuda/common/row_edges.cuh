// Rows of any length. Rows follow one another without gaps, and accesses are at multiples of
// VEC_BYTES, so where a row is no multiple of that its first vector and its last may be shared with
// its neighbours. They are loaded whole, what is the neighbours' is replaced before it counts, and
// stored element by element. All of this is known not to happen, and costs nothing, where rows are
// multiples; else it concerns the first step of a row's threads and the last ones.
//
// Rejected: vectors that begin with the row. A lane's vector would be joined from two loaded ones, in
// both directions; with vectors at their places in memory only what belongs to columns is joined.
#pragma once

#include "common/row_shape.cuh"

constexpr long long kElements = static_cast<long long>(M) * N;

__device__ inline bool is_column(int column) { return static_cast<unsigned>(column) < unsigned{N}; }

// Whether the thread's vector `step` of `row` is the row's alone.
__device__ inline bool is_inner(int row, int step) {
  if (kAligned) return true;
  constexpr int kBeforeLast = kChunk * (CLUSTER - 1);
  if (step > 0 && (kBeforeLast + (step + 1) * THREADS_PER_ROW) * kVector <= N) return true;
  const int column = column_of(row, step);
  return column >= 0 && column + kVector <= N;
}

__device__ inline long long offset_of_vector(int row, int step) {
  return offset_of(row, column_of(row, step));
}

// load(address) for the thread's vector `step` of `row`, or what of it is in the row where the
// matrix ends inside of it: nothing is read beyond the matrix.
template <class Load>
__device__ inline RowVector load_by(const DTYPE* matrix, int row, int step, Load load) {
  const long long at = offset_of_vector(row, step);
  if (is_inner(row, step) || at + kVector <= kElements) return load(matrix + at);
  const int column = column_of(row, step);
  RowVector vector = RowVector::zero();
#pragma unroll
  for (int i = 0; i < kVector; ++i) {
    if (is_column(column + i)) vector.elements[i] = matrix[at + i];
  }
  return vector;
}

template <CacheHint kHint>
__device__ inline RowVector load_row_vector(const DTYPE* matrix, int row, int step) {
  return load_by(matrix, row, step,
                 [](const DTYPE* from) { return RowVector::template load<kHint>(from); });
}

// The same of a matrix that the kernel writes.
__device__ inline RowVector read_back_row_vector(const DTYPE* matrix, int row, int step) {
  return load_by(matrix, row, step, [](const DTYPE* from) { return RowVector::read_back(from); });
}

template <CacheHint kHint>
__device__ inline void store_row_vector(const RowVector& vector, DTYPE* matrix, int row, int step) {
  DTYPE* to = matrix + offset_of_vector(row, step);
  if (is_inner(row, step)) {
    vector.template store<kHint>(to);
    return;
  }
  const int column = column_of(row, step);
#pragma unroll
  for (int i = 0; i < kVector; ++i) {
    if (is_column(column + i)) Vector<DTYPE, 1>{vector.elements[i]}.template store<kHint>(to + i);
  }
}

// Puts `value` in the place of what is not the row's.
__device__ inline void replace_outside(float (&values)[kVector], int row, int step, float value) {
  if (is_inner(row, step)) return;
  const int column = column_of(row, step);
#pragma unroll
  for (int i = 0; i < kVector; ++i) {
    if (!is_column(column + i)) values[i] = value;
  }
}

// How many elements of the vector are the row's.
__device__ inline int elements_inside(int row, int step) {
  if (is_inner(row, step)) return kVector;
  const int column = column_of(row, step);
  return max(0, min(column + kVector, N) - max(column, 0));
}

// kVector elements out of `low` and `high`, one behind the other: the first is `lead` elements
// before `high`.
__device__ inline RowVector joined(const RowVector& low, const RowVector& high, int lead) {
  constexpr int kWords = divide_up(VEC_BYTES, 4);  // single elements are always aligned
  struct Both {
    RowVector vectors[2];
  };
  const Both both = {{low, high}};
  unsigned words[2 * kWords];
#pragma unroll
  for (int i = 0; i < 2 * kWords; ++i) words[i] = reinterpret_cast<const unsigned*>(&both)[i];
  const int bytes = lead * static_cast<int>(sizeof(DTYPE));
#pragma unroll
  for (int distance = kWords / 2; distance > 0; distance /= 2) {
    const bool is_near = (bytes & 4 * distance) != 0;
#pragma unroll
    for (int i = 0; i < 2 * kWords - distance; ++i) {
      words[i] = is_near ? words[i] : words[i + distance];
    }
  }
  const unsigned halves = (bytes & 2) != 0 ? 0x5432 : 0x7654;  // of words i and i + 1
  RowVector vector;
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    reinterpret_cast<unsigned*>(&vector)[i] = __byte_perm(words[i], words[i + 1], halves);
  }
  return vector;
}
