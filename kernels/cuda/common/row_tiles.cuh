// Where a row stays between the first pass over it and the second: a tile gives the thread's
// parts of its rows as often as they are asked for. tile.read(r, part) is the part of row r of the
// thread's rows, tile.read_last(r, part) the same for the last time. Edges stay in registers.
#pragma once

#include "common/bulk_copy.cuh"
#include "common/row_parts.cuh"

// The thread's elements of the edges of a tile's rows.
class TileEdges {
 public:
  __device__ void load(const DTYPE* x, int tile) {
    if constexpr (!kAligned) {
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(tile, r);
        const bool is_there = EdgePart::may_be_owned() && is_part(EdgePart(), row);
        held_[r] = is_there ? Edge::template load<kLoadHint>(x + offset_of(row, EdgePart()))
                            : Edge::zero();
      }
    }
  }
  __device__ Vector<DTYPE, 1> read(int r) const { return held_[r]; }

 private:
  using Edge = Vector<DTYPE, 1>;
  Edge held_[ROWS_PER_THREAD];
};

// The thread's share of a tile, held in registers. All loads are issued before the first use.
class RegisterTile {
 public:
  __device__ void load(const DTYPE* x, int tile) {
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(tile, r);
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        const VectorPart part = {step};
        held_[r][step] = owns(step) && is_row(row) && is_part(part, row)
                             ? RowVector::load<kLoadHint>(x + offset_of(row, part))
                             : RowVector::zero();
      }
    }
    edges_.load(x, tile);
  }
  __device__ RowVector read(int r, VectorPart part) const { return held_[r][part.step]; }
  __device__ Vector<DTYPE, 1> read(int r, EdgePart) const { return edges_.read(r); }
  template <class Part>
  __device__ auto read_last(int r, Part part) const {
    return read(r, part);
  }

 private:
  RowVector held_[ROWS_PER_THREAD][kSteps];
  TileEdges edges_;
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

// Reads from global memory each time. Aligned rows beyond the last read the last.
class RereadTile {
 public:
  __device__ RereadTile(const DTYPE* x, int tile) : x_(x), tile_(tile) { edges_.load(x, tile); }
  __device__ RowVector read(int r, VectorPart part) const {
    return RowVector::load<kLoadHint>(address(r, part));
  }
  __device__ RowVector read_last(int r, VectorPart part) const {
    return RowVector::load<kReloadHint>(address(r, part));
  }
  __device__ Vector<DTYPE, 1> read(int r, EdgePart) const { return edges_.read(r); }
  __device__ Vector<DTYPE, 1> read_last(int r, EdgePart) const { return edges_.read(r); }

 private:
  __device__ const DTYPE* address(int r, VectorPart part) const {
    return x_ + offset_of(min(row_of(tile_, r), M - 1), part);
  }

  const DTYPE* x_;
  int tile_;
  TileEdges edges_;
};

// Reads vectors from a stage of shared memory, where they are as far apart as in global memory.
class SharedTile {
 public:
  using Edges = TileEdges;

  __device__ SharedTile(const RowVector* stage, const Edges& edges, int tile)
      : stage_(stage), head_(head_of(tile * kTileRows)), edges_(edges) {}
  __device__ RowVector read(int r, VectorPart part) const {
    const int first = CLUSTER == 1 ? divide_up_by_vector(row_in_tile(r) * N - head_) : 0;
    return stage_[first + part.step * THREADS_PER_ROW + thread_in_row()];
  }
  __device__ Vector<DTYPE, 1> read(int r, EdgePart) const { return edges_.read(r); }
  template <class Part>
  __device__ auto read_last(int r, Part part) const {
    return read(r, part);
  }

 private:
  __device__ static int divide_up_by_vector(int elements) {
    return (elements + kVector - 1) / kVector;
  }

  const RowVector* stage_;
  int head_;
  TileEdges edges_;
};

struct SharedPair {
  struct Edges {
    __device__ void load(const Matrices& from, int tile) {
      a.load(from.a, tile);
      b.load(from.b, tile);
    }

    TileEdges a;
    TileEdges b;
  };

  __device__ SharedPair(const RowVector* stage, const Edges& edges, int tile)
      : a(stage, edges.a, tile), b(stage + kStageVectors, edges.b, tile) {}

  SharedTile a;
  SharedTile b;
};

// The stages of shared memory, of which each holds a tile of kMatrices matrices: from the first
// vector of its rows to the last, or the block's part of one row.
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
    const int vectors = CLUSTER == 1 ? (rows * N - head_of(first_row)) / kVector
                                     : max(0, min(kChunk, vectors_of(first_row) - rank * kChunk));
    const long long from = offset_of(first_row, head_of(first_row) + rank * kChunk * kVector);
    barriers_[stage].expect(kMatrices * vectors * VEC_BYTES);
    if (!kAligned && vectors == 0) return;
#pragma unroll
    for (int m = 0; m < kMatrices; ++m) {
      barriers_[stage].template copy<kLoadHint>(stages_ + (stage * kMatrices + m) * kStageVectors,
                                                matrices[m] + from, vectors * VEC_BYTES);
    }
  }

  __device__ const RowVector* at(int stage) const {
    return stages_ + stage * kMatrices * kStageVectors;
  }
  // Returns when the stage is filled.
  __device__ void receive(int stage, unsigned parity) { barriers_[stage].wait(parity); }

 private:
  RowVector* stages_;
  BulkBarrier* barriers_;
};
