// Rows that come into shared memory piece by piece: while one row is stored its places are filled
// with the pieces of the next, so that loads are under way all the time although the block has
// little more than one row in shared memory.
//
// Parameters, for RESIDENCE=pieces:
//
//   PIECES  of the block's part of a row, all of one size and a whole number of steps long
//   AHEAD   pieces for which there is room besides those of one row
#pragma once

#include "common/row_loop.cuh"

constexpr bool kInPieces = kResidence == Residence::pieces;
constexpr int kSlots = PIECES + AHEAD;
constexpr int kPieceVectors = kChunk / PIECES;
constexpr int kPieceSteps = kPieceVectors / THREADS_PER_ROW;

static_assert(!kInPieces || (ROWS_PER_BLOCK == 1 && ROWS_PER_THREAD == 1 && VEC_BYTES == 16));
static_assert(!kInPieces || (STAGES == 1 && BLOCKS_PER_SM > 0 && kAligned));
static_assert(!kInPieces || (kLastChunk == kChunk && kChunk % (PIECES * THREADS_PER_ROW) == 0));

// The slots of shared memory, filled in the order in which the block works on rows and their
// pieces. A slot is filled again when all threads have read it for the last time.
template <CacheHint kHint, class Reach>
class PieceRing {
 public:
  __device__ PieceRing(const DTYPE* x, RowVector* slots, BulkBarrier* barriers)
      : x_(x), slots_(slots), barriers_(barriers), next_row_(blockIdx.x / CLUSTER) {
    if (threadIdx.x == 0) {
      for (int s = 0; s < kSlots; ++s) barriers_[s].initialise();
    }
    __syncthreads();
    for (int s = 0; s < kSlots; ++s) request(s);
  }

  // A piece of the present row, when it is there.
  __device__ const RowVector* receive(int piece) const {
    const int slot = slot_of(piece);
    barriers_[slot].wait(slot < first_ ? parity_ ^ 1 : parity_);
    return slots_ + slot * kPieceVectors;
  }
  // The same once it has been received.
  __device__ const RowVector* at(int piece) const {
    return slots_ + slot_of(piece) * kPieceVectors;
  }
  // By all threads together: nobody reads the piece again.
  __device__ void release(int piece) {
    __syncthreads();
    request(slot_of(piece));
  }
  __device__ void next_row() {
    release(PIECES - 1);
    first_ += PIECES;
    if (first_ >= kSlots) {
      first_ -= kSlots;
      parity_ ^= 1;
    }
  }

 private:
  __device__ int slot_of(int piece) const {
    const int slot = first_ + piece;
    return slot < kSlots ? slot : slot - kSlots;
  }

  __device__ void request(int slot) {
    if (threadIdx.x != 0 || next_row_ >= M) return;
    const int rank = block_in_row();
    const int first = rank * kChunk + next_piece_ * kPieceVectors;
    const int vectors = Reach::is_whole()
                            ? kPieceVectors
                            : max(0, min(kPieceVectors, vectors_reached<Reach>(next_row_) - first));
    barriers_[slot].expect(vectors * VEC_BYTES);
    if (Reach::is_whole() || vectors > 0) {
      barriers_[slot].template copy<kHint>(slots_ + slot * kPieceVectors,
                                           x_ + offset_of(next_row_, first * kVector),
                                           vectors * VEC_BYTES);
    }
    if (++next_piece_ == PIECES) {
      next_piece_ = 0;
      next_row_ += gridDim.x / CLUSTER;
    }
  }

  const DTYPE* x_;
  RowVector* slots_;
  BulkBarrier* barriers_;
  int first_ = 0;        // slot of the present row's first piece
  unsigned parity_ = 0;  // of the phase in which that slot, and those behind it, are filled
  int next_row_;         // that is requested next
  int next_piece_ = 0;
};

// The present row. read() and read_last() are called for all steps in their order, by all threads.
template <CacheHint kHint, class Reach>
class PiecesTile {
 public:
  __device__ explicit PiecesTile(PieceRing<kHint, Reach>& ring) : ring_(ring) {}
  __device__ RowVector read(int, VectorPart part) const {
    const int step = part.step;
    const int piece = step / kPieceSteps;
    return of(step % kPieceSteps == 0 ? ring_.receive(piece) : ring_.at(piece), step);
  }
  __device__ RowVector read_last(int, VectorPart part) const {
    const int step = part.step;
    const int piece = step / kPieceSteps;
    if (step > 0 && step % kPieceSteps == 0) ring_.release(piece - 1);
    return of(ring_.at(piece), step);
  }

 private:
  __device__ static RowVector of(const RowVector* piece, int step) {
    return piece[step % kPieceSteps * THREADS_PER_ROW + thread_in_row()];
  }

  PieceRing<kHint, Reach>& ring_;
};

// As for_each_tile(), in pieces as well.
template <class Reach = WholeRows, class Body>
__device__ void for_each_whole_row_tile(const DTYPE* x, Body body) {
  if constexpr (kInPieces) {
    __shared__ BulkBarrier barriers[kSlots];
    PieceRing<kLoadHint, Reach> ring(x, dynamic_stages(), barriers);
    for (int row = blockIdx.x / CLUSTER; row < M; row += gridDim.x / CLUSTER) {
      body(PiecesTile<kLoadHint, Reach>(ring), row);
      ring.next_row();
    }
  } else {
    for_each_tile<Reach>(x, body);
  }
}
