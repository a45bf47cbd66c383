// Columns that a block keeps in shared memory as they are, in words of 4 bytes, for
// WEIGHT_LOAD=words: every row of the block reads its vectors there, wherever it begins, and joins
// nothing but the halves of words.
//
// Word w is number w / kWords of class w % kWords. The words that a warp reads at once, one of each
// of the vectors that follow one another, are neighbours in a class, and lie in different banks.
//
// A block fills its words when the first rows have been asked for and not yet come. Those of a
// matrix take kPitch vectors, behind the stages of rows in dynamic shared memory.
#pragma once

#include "common/row_joins.cuh"

constexpr int kColumnVectors = divide_up(N, kVector);
constexpr int kPitch = kColumnVectors + 1;  // of a class: the last vector's halves reach beyond it
constexpr bool kInWords = kColumnLoad == ColumnLoad::words;
static_assert(!kInWords || (!kAligned && !kRagged && CLUSTER == 1));

__device__ inline int place_of_word(int word) { return word % kWords * kPitch + word / kWords; }

class ColumnWords {
 public:
  static constexpr bool kAreThere = true;

  // `number` counts those of a kernel from 0 on; a stage has parts of so many `matrices`.
  __device__ explicit ColumnWords(const DTYPE* from, int number = 0, int matrices = 1)
      : from_(from) {
    constexpr int kBefore = kStaged ? STAGES * kStageVectors : 0;
    words_ = reinterpret_cast<unsigned*>(dynamic_stages() + matrices * kBefore + number * kPitch);
  }

  // Before the reduction of a tile, by all threads of the block.
  __device__ void prepare(int = 0) {
    if (is_filled_) return;
    is_filled_ = true;
    fill();
    __syncthreads();
  }

  struct VectorShare {
    const unsigned* words;
    int number;

    // What does not depend on the number is the same for all steps, and computed once.
    __device__ RowVector of(int row) const {
      const int first = head_of(row) / kPerWord;
      const unsigned halves = halves_of(kPerWord == 2 && head_of(row) % 2 != 0);
      RowVector vector;
      unsigned word = words[place_of_word(first) + number];
#pragma unroll
      for (int i = 0; i < kWords; ++i) {
        unsigned next = 0;
        if (kPerWord == 2 || i < kWords - 1) next = words[place_of_word(first + i + 1) + number];
        reinterpret_cast<unsigned*>(&vector)[i] =
            kPerWord == 2 ? __byte_perm(word, next, halves) : word;
        word = next;
      }
      return vector;
    }
  };
  struct EdgeShare {
    const unsigned* words;

    __device__ Vector<DTYPE, 1> of(int row) const {
      const int column = EdgePart().column(row);
      const int at = place_of_word(column / kPerWord) * kPerWord + column % kPerWord;
      return reinterpret_cast<const Vector<DTYPE, 1>*>(words)[at];
    }
  };
  // share(part, row).of(row) for each row of a tile that has the part.
  __device__ VectorShare share(VectorPart part, int) const {
    return {words_, vector_of(part.step)};
  }
  __device__ EdgeShare share(EdgePart, int) const { return {words_}; }

 private:
  __device__ void fill() {
    constexpr int kTurns = divide_up(kColumnVectors, kThreads);
    constexpr int kAtOnce = kTurns < 8 ? kTurns : 8;
#pragma unroll(kAtOnce)
    for (int turn = 0; turn < kTurns; ++turn) {
      const int number = turn * kThreads + static_cast<int>(threadIdx.x);
      if (number >= kColumnVectors) continue;
      const RowVector vector = load_columns(from_, number * kVector);
#pragma unroll
      for (int i = 0; i < kWords; ++i) {
        words_[i * kPitch + number] = reinterpret_cast<const unsigned*>(&vector)[i];
      }
    }
  }

  const DTYPE* from_;
  unsigned* words_;
  bool is_filled_ = false;
};
