// Where a row stays between the first pass over it and the second: a tile gives the thread's
// vectors of its rows as often as they are asked for. tile.read(r, step) is vector `step` of row r
// of the thread's rows, tile.read_last(r, step) the same for the last time.
#pragma once

#include "common/bulk_copy.cuh"
#include "common/row_shape.cuh"

// The thread's share of a tile, held in registers. All loads are issued before the first use.
class RegisterTile {
 public:
  __device__ void load(const DTYPE* x, int tile) {
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(tile, r);
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        held_[r][step] = owns(step) && is_row(row)
                             ? RowVector::load<kLoadHint>(x + offset_of(row, column_of(step)))
                             : RowVector::zero();
      }
    }
  }
  __device__ RowVector read(int r, int step) const { return held_[r][step]; }
  __device__ RowVector read_last(int r, int step) const { return held_[r][step]; }

 private:
  RowVector held_[ROWS_PER_THREAD][kSteps];
};

// What a tile of two matrices is loaded from.
struct Matrices {
  const DTYPE* a;
  const DTYPE* b;
};

struct RegisterPair {
  __device__ void load(const Matrices& from, int tile) {
    a.load(from.a, tile);
    b.load(from.b, tile);
  }

  RegisterTile a;
  RegisterTile b;
};

// Reads from global memory each time. Rows beyond the last read the last.
class RereadTile {
 public:
  __device__ RereadTile(const DTYPE* x, int tile) : x_(x), tile_(tile) {}
  __device__ RowVector read(int r, int step) const {
    return RowVector::load<kLoadHint>(address(r, step));
  }
  __device__ RowVector read_last(int r, int step) const {
    return RowVector::load<kReloadHint>(address(r, step));
  }

 private:
  __device__ const DTYPE* address(int r, int step) const {
    return x_ + offset_of(min(row_of(tile_, r), M - 1), column_of(step));
  }

  const DTYPE* x_;
  int tile_;
};

// Reads from a stage of shared memory.
class SharedTile {
 public:
  __device__ explicit SharedTile(const RowVector* stage) : stage_(stage) {}
  __device__ RowVector read(int r, int step) const {
    const int row = group_in_block() * ROWS_PER_THREAD + r;
    return stage_[row * kChunk + step * THREADS_PER_ROW + thread_in_row()];
  }
  __device__ RowVector read_last(int r, int step) const { return read(r, step); }

 private:
  const RowVector* stage_;
};

constexpr int kStageVectors = kTileRows * kChunk;  // of one matrix in one stage

struct SharedPair {
  __device__ explicit SharedPair(const RowVector* stage) : a(stage), b(stage + kStageVectors) {}

  SharedTile a;
  SharedTile b;
};

// The stages of shared memory, of which each holds a tile of kMatrices matrices: its rows, or the
// block's part of one row, are contiguous in each.
template <int kMatrices>
class SharedRing {
 public:
  __device__ SharedRing(RowVector* stages, BulkBarrier* barriers)
      : stages_(stages), barriers_(barriers) {
    if (threadIdx.x == 0) {
      for (int s = 0; s < STAGES; ++s) barriers_[s].initialise();
    }
    __syncthreads();
  }

  __device__ void request(int stage, int tile, const DTYPE* const (&matrices)[kMatrices]) {
    if (threadIdx.x != 0) return;
    const int first_row = tile * kTileRows;
    const int rows = min(kTileRows, M - first_row);
    const int rank = CLUSTER == 1 ? 0 : static_cast<int>(cluster_rank());
    const int vectors = CLUSTER == 1 ? rows * kVectors : min(kChunk, kVectors - rank * kChunk);
    const long long from = offset_of(first_row, rank * kChunk * kVector);
    barriers_[stage].expect(kMatrices * vectors * VEC_BYTES);
#pragma unroll
    for (int m = 0; m < kMatrices; ++m) {
      barriers_[stage].template copy<kLoadHint>(stages_ + (stage * kMatrices + m) * kStageVectors,
                                                matrices[m] + from, vectors * VEC_BYTES);
    }
  }

  __device__ const RowVector* receive(int stage, unsigned parity) {
    barriers_[stage].wait(parity);
    return stages_ + stage * kMatrices * kStageVectors;
  }

 private:
  RowVector* stages_;
  BulkBarrier* barriers_;
};
