// Where a row stays between the first pass over it and the second: a tile gives the thread's
// parts of its rows as often as they are asked for. tile.read(r, part) is the part of row r of the
// thread's rows, tile.read_last(r, part) the same for the last time. Edges stay in registers.
// Vectors beyond a row's Reach (row_parts.cuh) are not loaded, and are arbitrary; edges are loaded.
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
        held_[r] = Edge::load_if<kLoadHint>(is_there, x + offset_of(row, EdgePart()));
      }
    }
  }
  __device__ Vector<DTYPE, 1> read(int r) const { return Edge::of(held_[r]); }

 private:
  using Edge = Vector<DTYPE, 1>;
  Edge::Held held_[ROWS_PER_THREAD];
};

// The thread's share of a tile, held in registers. All loads are issued before the first use.
template <class Reach>
class RegisterTileOf {
 public:
  __device__ void load(const DTYPE* x, int tile) {
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(tile, r);
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        const VectorPart part = {step};
        const bool is_there =
            owns(step) && is_row(row) && is_part(part, row) && is_reached<Reach>(part, row);
        held_[r][step] = RowVector::load_if<kLoadHint>(is_there, x + offset_of(row, part));
      }
    }
    edges_.load(x, tile);
    if constexpr (kFirstIsAskedFor) {
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(tile, r);
        first_[r] =
            is_row(row) ? First::template load<kLoadHint>(x + offset_of(row, 0)) : First::zero();
      }
    }
  }
  // Makes what vectors have beyond their row's reach `by`. Vectors that are beyond it stay as they are.
  __device__ void end_at_reach(int tile, DTYPE by) {
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(tile, r);
      const int reach = Reach::of(row);
      if (reach <= 0 || reach >= N || !has_column(row, reach)) continue;  // most rows of a thread
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        const int within = reach - VectorPart{step}.column(row);
        if (within > 0 && within < kVector) end_at(held_[r][step], within, by);
      }
    }
  }
  // The first element of the row.
  __device__ DTYPE first(int r) const { return first_[r].elements[0]; }
  __device__ RowVector read(int r, VectorPart part) const {
    return RowVector::of(held_[r][part.step]);
  }
  __device__ Vector<DTYPE, 1> read(int r, EdgePart) const { return edges_.read(r); }
  template <class Part>
  __device__ auto read_last(int r, Part part) const {
    return read(r, part);
  }

 private:
  __device__ static void end_at(RowVector::Held& held, int within, DTYPE by) {
    RowVector vector = RowVector::of(held);
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
      if (i >= within) vector.elements[i] = by;
    }
    held = reinterpret_cast<const typename RowVector::Word&>(vector);
  }

  using First = Vector<DTYPE, 1>;
  RowVector::Held held_[ROWS_PER_THREAD][kSteps];
  TileEdges edges_;
  First first_[ROWS_PER_THREAD];
};

using RegisterTile = RegisterTileOf<WholeRows>;

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
template <class Reach>
class RereadTileOf {
 public:
  __device__ RereadTileOf(const DTYPE* x, int tile) : x_(x), tile_(tile) { edges_.load(x, tile); }
  __device__ RowVector read(int r, VectorPart part) const { return load<kLoadHint>(r, part); }
  __device__ RowVector read_last(int r, VectorPart part) const {
    return load<kReloadHint>(r, part);
  }
  __device__ Vector<DTYPE, 1> read(int r, EdgePart) const { return edges_.read(r); }
  __device__ Vector<DTYPE, 1> read_last(int r, EdgePart) const { return edges_.read(r); }

 private:
  template <CacheHint kHint>
  __device__ RowVector load(int r, VectorPart part) const {
    const int row = min(row_of(tile_, r), M - 1);
    if (!is_reached<Reach>(part, row)) return RowVector::zero();
    return RowVector::load<kHint>(x_ + offset_of(row, part));
  }

  const DTYPE* x_;
  int tile_;
  TileEdges edges_;
};

using RereadTile = RereadTileOf<WholeRows>;

// Reads vectors from a stage of shared memory, where they are as far apart as in global memory.
class SharedTile {
 public:
  using Edges = TileEdges;

  __device__ SharedTile(const RowVector* stage, const Edges& edges, int tile)
      : stage_(stage), head_(head_of(tile * kTileRows)), edges_(edges) {}
  __device__ RowVector read(int r, VectorPart part) const {
    const int first = CLUSTER == 1 ? first_in_stage(row_in_tile(r) * N - head_) : 0;
    return stage_[first + part.step * THREADS_PER_ROW + thread_in_row()];
  }
  __device__ Vector<DTYPE, 1> read(int r, EdgePart) const { return edges_.read(r); }
  template <class Part>
  __device__ auto read_last(int r, Part part) const {
    return read(r, part);
  }

  // Where in a stage a row begins that is so many elements behind the tile's first vector.
  __device__ static int first_in_stage(int elements) { return (elements + kVector - 1) / kVector; }

 private:
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
// vector of its rows to the last, or the block's part of one row. Where rows do not reach to their
// ends each is copied by itself, to the same place.
template <int kMatrices, class Reach = WholeRows>
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
    if constexpr (!Reach::is_whole()) return request_reached(stage, tile, matrices);
    const int first_row = tile * kTileRows;
    const int rows = min(kTileRows, M - first_row);
    const int rank = block_in_row();
    const int vectors = CLUSTER == 1 ? (rows * N - head_of(first_row)) / kVector
                                     : max(0, min(kChunk, vectors_of(first_row) - rank * kChunk));
    const long long from = offset_of(first_row, head_of(first_row) + rank * kChunk * kVector);
    barriers_[stage].expect(kMatrices * vectors * VEC_BYTES);
    if (!kAligned && vectors == 0) return;
    copy(stage, 0, matrices, from, vectors);
  }

  __device__ const RowVector* at(int stage) const {
    return stages_ + stage * kMatrices * kStageVectors;
  }
  // Returns when the stage is filled.
  __device__ void receive(int stage, unsigned parity) { barriers_[stage].wait(parity); }

 private:
  __device__ void request_reached(int stage, int tile, const DTYPE* const (&matrices)[kMatrices]) {
    const int first_row = tile * kTileRows;
    const int rows = min(kTileRows, M - first_row);
    const int chunk = block_in_row() * kChunk;
    const auto vectors_for = [&](int row) {
      return max(0, min(kChunk, vectors_reached<Reach>(row) - chunk));
    };
    int sum = 0;
    for (int i = 0; i < rows; ++i) sum += vectors_for(first_row + i);
    barriers_[stage].expect(kMatrices * sum * VEC_BYTES);
    for (int i = 0; i < rows; ++i) {
      const int row = first_row + i;
      const int vectors = vectors_for(row);
      if (vectors == 0) continue;
      const int at = CLUSTER == 1 ? SharedTile::first_in_stage(i * N - head_of(first_row)) : 0;
      copy(stage, at, matrices, offset_of(row, head_of(row) + chunk * kVector), vectors);
    }
  }

  // From element `from` on to vector `at` of the stage.
  __device__ void copy(int stage, int at, const DTYPE* const (&matrices)[kMatrices], long long from,
                       int vectors) {
#pragma unroll
    for (int m = 0; m < kMatrices; ++m) {
      RowVector* to = stages_ + (stage * kMatrices + m) * kStageVectors + at;
      barriers_[stage].template copy<kLoadHint>(to, matrices[m] + from, vectors * VEC_BYTES);
    }
  }

  RowVector* stages_;
  BulkBarrier* barriers_;
};
