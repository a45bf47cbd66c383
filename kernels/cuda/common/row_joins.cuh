// A vector of what belongs to the columns, for a row whose vectors begin anywhere in them: it lies
// in two vectors of memory, and is joined from these.
#pragma once

#include "common/row_parts.cuh"

constexpr int kWords = divide_up(VEC_BYTES, 4);                // of a vector
constexpr int kPerWord = 4 / static_cast<int>(sizeof(DTYPE));  // elements

// Of the two vectors, the first is the one in front of a ragged row's pair; skipped are 1 or 2
// elements of it.
constexpr int kJoinedBefore = kRagged ? kVector : 0;
__device__ inline int skipped_of(int row) { return kRagged ? 2 - phase_of(row) : head_of(row); }

// Two vectors that follow one another, and their words.
struct TwoVectors {
  RowVector vectors[2];

  __device__ unsigned word(int i) const { return reinterpret_cast<const unsigned*>(this)[i]; }
};

// For __byte_perm(): the second element of one word and the first of the next, or the whole word.
// Asked for once, before a loop: within one the compiler makes two words and chooses.
__device__ inline unsigned halves_of(bool is_odd) { return is_odd ? 0x5432 : 0x3210; }

// kVector elements of `low` and `high`, which follow one another, from number `skipped` on.
__device__ inline RowVector joined(const RowVector& low, const RowVector& high, int skipped) {
  const TwoVectors both = {{low, high}};
  unsigned words[2 * kWords];
#pragma unroll
  for (int i = 0; i < 2 * kWords; ++i) words[i] = both.word(i);
  const int bytes = skipped * static_cast<int>(sizeof(DTYPE));
#pragma unroll
  for (int distance = kRagged ? kWords : kWords / 2; distance > 0; distance /= 2) {
    const bool is_far = (bytes & 4 * distance) != 0;
#pragma unroll
    for (int i = 0; i < 2 * kWords - distance; ++i) {
      words[i] = is_far ? words[i + distance] : words[i];
    }
  }
  const unsigned halves = halves_of((bytes & 2) != 0);
  RowVector vector;
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    reinterpret_cast<unsigned*>(&vector)[i] = __byte_perm(words[i], words[i + 1], halves);
  }
  return vector;
}

// The same of all low[step] and high[step] at once, into low[step], of rows that are not ragged. How
// many words are skipped is the same for all threads of a row, so that one branch for each number
// stands for choosing each word: 4 instructions for 16 bytes instead of 15, and fewer registers.
template <int kSkippedWords = 0, int kCount>
__device__ inline void join_all(RowVector (&low)[kCount], const RowVector (&high)[kCount],
                                int skipped) {
  if constexpr (kSkippedWords < kWords - 1) {
    if (skipped / kPerWord > kSkippedWords) {
      join_all<kSkippedWords + 1>(low, high, skipped);
      return;
    }
  }
  const unsigned halves = halves_of(kPerWord == 2 && skipped % 2 != 0);
#pragma unroll
  for (int step = 0; step < kCount; ++step) {
    const TwoVectors both = {{low[step], high[step]}};
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      const unsigned word = both.word(i + kSkippedWords);
      const unsigned next = kPerWord == 2 ? both.word(i + kSkippedWords + 1) : 0;
      reinterpret_cast<unsigned*>(&low[step])[i] =
          kPerWord == 2 ? __byte_perm(word, next, halves) : word;
    }
  }
}

// Adds to `vector` the elements that kCount at once, kCount / 2 ... and 1 bring.
template <int kCount>
__device__ inline void load_rest(RowVector& vector, const DTYPE* from, int column) {
  if constexpr (kCount > 0) {
    constexpr int kLoaded = N % kVector / (2 * kCount) * (2 * kCount);
    if constexpr (N / kCount % 2 == 1) {
      using Piece = Vector<DTYPE, kCount>;
      reinterpret_cast<Piece&>(vector.elements[kLoaded]) =
          Piece::template load<kColumnHint>(from + column + kLoaded);
    }
    load_rest<kCount / 2>(vector, from, column);
  }
}

// The vector of memory at `column`. Of one that ends beyond the columns, what is before the end:
// N % kVector elements, by accesses that are known at compile time, since in short rows every warp
// has such a vector.
__device__ inline RowVector load_columns(const DTYPE* from, int column) {
  if (kAligned || (column + kVector <= N && (!kRagged || column >= 0))) {
    return RowVector::load<kColumnHint>(from + column);
  }
  RowVector vector = RowVector::zero();
  if (column < N && (!kRagged || column >= 0)) load_rest<kVector / 2>(vector, from, column);
  return vector;
}

// What a row's vector that begins at `column` has of the columns, by loads of words, which begin one
// element before it where that is in the middle of a word. `skipped` is the row's head.
__device__ inline RowVector load_in_place(const DTYPE* from, int column, int skipped) {
  const int before = skipped % kPerWord;
  const unsigned halves = halves_of(before != 0);
  const DTYPE* begin = from + column - before;
  unsigned words[kWords + 1] = {};
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    words[i] = load_word<kColumnHint>(reinterpret_cast<const unsigned*>(begin) + i);
  }
  if constexpr (kPerWord == 2) {  // its last element: the word may reach beyond the columns
    words[kWords] = load_word<kColumnHint>(
        reinterpret_cast<const unsigned short*>(from + column + kVector - 1));
  }
  RowVector vector;
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    reinterpret_cast<unsigned*>(&vector)[i] = __byte_perm(words[i], words[i + 1], halves);
  }
  return vector;
}
