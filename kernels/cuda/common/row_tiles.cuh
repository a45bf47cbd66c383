// Where a row stays between the first pass over it and the second: a tile gives the thread's
// vectors of its rows as often as they are asked for. tile.read(r, step) is vector `step` of row r
// of the thread's rows, tile.read_last(r, step) the same for the last time.
#pragma once

#include "common/bulk_copy.cuh"
#include "common/row_edges.cuh"

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
                             ? load_row_vector<kLoadHint>(x, row, step)
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
    return load_row_vector<kLoadHint>(x_, row(r), step);
  }
  __device__ RowVector read_last(int r, int step) const {
    return load_row_vector<kReloadHint>(x_, row(r), step);
  }

 private:
  __device__ int row(int r) const { return min(row_of(tile_, r), M - 1); }

  const DTYPE* x_;
  int tile_;
};

// Reads from a stage of shared memory, where a row's vectors are as far apart as in global memory.
class SharedTile {
 public:
  __device__ SharedTile(const RowVector* stage, int tile)
      : stage_(stage), lead_(lead_of(tile * kTileRows)) {}
  __device__ RowVector read(int r, int step) const {
    const int row = group_in_block() * ROWS_PER_THREAD + r;
    const int first = CLUSTER == 1 ? (lead_ + row * N) / kVector : 0;
    return stage_[first + step * THREADS_PER_ROW + thread_in_row()];
  }
  __device__ RowVector read_last(int r, int step) const { return read(r, step); }

 private:
  const RowVector* stage_;
  int lead_;
};

// Of one matrix in one stage.
constexpr int kStageVectors =
    CLUSTER == 1 ? ((kTileRows - 1) * N + kMostLead) / kVector + kVectors : kChunk;

struct SharedPair {
  __device__ SharedPair(const RowVector* stage, int tile)
      : a(stage, tile), b(stage + kStageVectors, tile) {}

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
    const int lead = lead_of(first_row);
    const int skipped = CLUSTER == 1 ? 0 : static_cast<int>(cluster_rank()) * kChunk;
    const int whole = divide_up(lead + rows * N, kVector);
    int vectors = CLUSTER == 1 ? whole : max(0, min(kChunk, whole - skipped));
    const long long from = offset_of(first_row, skipped * kVector - lead);
    if (kElements % kVector != 0 && from + vectors * kVector > kElements) {
      --vectors;
      copy_end(stage, vectors, matrices);
    }
    barriers_[stage].expect(kMatrices * vectors * VEC_BYTES);
    if (!kAligned && vectors == 0) return;
#pragma unroll
    for (int m = 0; m < kMatrices; ++m) {
      barriers_[stage].template copy<kLoadHint>(stage_of(stage, m), matrices[m] + from,
                                                vectors * VEC_BYTES);
    }
  }

  __device__ const RowVector* receive(int stage, unsigned parity) {
    barriers_[stage].wait(parity);
    return stages_ + stage * kMatrices * kStageVectors;
  }

 private:
  __device__ RowVector* stage_of(int stage, int matrix) {
    return stages_ + (stage * kMatrices + matrix) * kStageVectors;
  }

  // The last elements of the matrices, less than a vector, which the copy engine cannot bring.
  __device__ void copy_end(int stage, int vector, const DTYPE* const (&matrices)[kMatrices]) {
    constexpr int kRest = static_cast<int>(kElements % kVector);
    for (int m = 0; m < kMatrices; ++m) {
      DTYPE* to = reinterpret_cast<DTYPE*>(stage_of(stage, m) + vector);
      for (int i = 0; i < kRest; ++i) to[i] = matrices[m][kElements - kRest + i];
    }
  }

  RowVector* stages_;
  BulkBarrier* barriers_;
};
