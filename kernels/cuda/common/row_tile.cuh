// The frame of every kernel that works row by row: who owns which part of a row of x, where the
// row stays between the first pass over it and the second, and how rows are handed out.
//
// x is M x N elements of type DTYPE, row-major. The parameters, all of them macros:
//
//   VEC_BYTES        bytes of one access: 2 to 16; divides a row
//   THREADS_PER_ROW  threads of a block that share a row, a power of two
//   CLUSTER          blocks that share a row, a power of two; each takes a contiguous part of it
//   ROWS_PER_BLOCK   rows side by side in a block; a block has THREADS_PER_ROW * ROWS_PER_BLOCK
//                    threads
//   ROWS_PER_THREAD  rows that a thread works on at once: more bytes in flight, fewer loads of
//                    what all rows share
//   BLOCKS_PER_SM    0: a block for each tile of rows; else this many blocks stay on each
//                    multiprocessor and walk over the tiles
//   RESIDENCE        where a row is between the passes: `registers`; `shared` memory, filled by the
//                    bulk copy engine; or nowhere (`reread`: the second pass mostly hits L2)
//   STAGES           tiles under way: while one is worked on, STAGES - 1 more are loaded
//   LOAD_HINT, RELOAD_HINT, STORE_HINT   a CacheHint for x, for x when it is read again for the
//                    last time (`reread` only), and for the result
//   UNROLL           vectors of a row per turn of a loop, unless they stay in registers
//   MIN_BLOCKS       blocks per multiprocessor that the compiler leaves registers for
//
// A row need not divide evenly: the last vectors of some threads are masked out, so that nothing
// but the parameters' product is a power of two.
#pragma once

#include "common/bulk_copy.cuh"
#include "common/cluster.cuh"
#include "common/element.cuh"

enum class Residence { registers, shared, reread };

constexpr Residence kResidence = Residence::RESIDENCE;
constexpr CacheHint kLoadHint = CacheHint::LOAD_HINT;
constexpr CacheHint kReloadHint = CacheHint::RELOAD_HINT;
constexpr CacheHint kStoreHint = CacheHint::STORE_HINT;

constexpr int divide_up(int number, int by) { return (number + by - 1) / by; }

constexpr int kThreads = THREADS_PER_ROW * ROWS_PER_BLOCK;
constexpr int kVector = VEC_BYTES / sizeof(DTYPE);    // elements
constexpr int kVectors = N / kVector;                 // of a row
constexpr int kChunk = divide_up(kVectors, CLUSTER);  // vectors of a row in one block
constexpr int kLastChunk = kVectors - kChunk * (CLUSTER - 1);
constexpr int kSteps = divide_up(kChunk, THREADS_PER_ROW);  // vectors of a row in one thread
constexpr int kUnroll = kResidence == Residence::registers ? kSteps : UNROLL;
constexpr int kTileRows = ROWS_PER_BLOCK * ROWS_PER_THREAD;
constexpr int kTiles = divide_up(M, kTileRows);

static_assert(N % kVector == 0 && kLastChunk > 0);
static_assert(CLUSTER == 1 || (ROWS_PER_BLOCK == 1 && ROWS_PER_THREAD == 1));
static_assert(kResidence != Residence::registers || STAGES <= 2);  // the present tile, the next
static_assert(kResidence != Residence::shared || VEC_BYTES == 16, "of bulk copies");
static_assert(BLOCKS_PER_SM > 0 || STAGES == 1, "one tile per block leaves nothing to load ahead");

using RowVector = Vector<DTYPE, kVector>;

// This thread's place: which row of a tile, and which part of the row.
__device__ inline int group_in_block() { return threadIdx.x / THREADS_PER_ROW; }
__device__ inline int thread_in_row() { return threadIdx.x % THREADS_PER_ROW; }

__device__ inline int row_of(int tile, int r) {
  return tile * kTileRows + group_in_block() * ROWS_PER_THREAD + r;
}
__device__ inline bool is_row(int row) { return M % kTileRows == 0 || row < M; }

// Whether the thread's vector number `step` lies inside the row. Known at compile time, and true,
// for all but the last step.
__device__ inline bool owns(int step) {
  if ((step + 1) * THREADS_PER_ROW <= kLastChunk) return true;
  const int at = step * THREADS_PER_ROW + thread_in_row();
  if (CLUSTER == 1 || kLastChunk == kChunk) return at < kChunk;
  return at < (cluster_rank() == CLUSTER - 1 ? kLastChunk : kChunk);
}

// The first column of the thread's vector number `step`.
__device__ inline int column_of(int step) {
  const int chunk = CLUSTER == 1 ? 0 : static_cast<int>(cluster_rank()) * kChunk;
  return (chunk + step * THREADS_PER_ROW + thread_in_row()) * kVector;
}

__device__ inline long long offset_of(int row, int column) {
  return static_cast<long long>(row) * N + column;
}

// Calls visit(step) for each vector that the thread owns.
template <class Visit>
__device__ inline void for_each_step(Visit visit) {
#pragma unroll kUnroll
  for (int step = 0; step < kSteps; ++step) {
    if (owns(step)) visit(step);
  }
}

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

// The shares of two matrices.
struct RegisterPair {
  struct Matrices {
    const DTYPE* a;
    const DTYPE* b;
  };
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

// The stages of shared memory, of which each holds a tile: its rows, or the block's part of one
// row, are contiguous in x.
class SharedRing {
 public:
  static constexpr int kStageVectors = kTileRows * kChunk;

  __device__ SharedRing(RowVector* stages, BulkBarrier* barriers, const DTYPE* x)
      : stages_(stages), barriers_(barriers), x_(x) {
    if (threadIdx.x == 0) {
      for (int s = 0; s < STAGES; ++s) barriers_[s].initialise();
    }
    __syncthreads();
  }

  __device__ void request(int stage, int tile) {
    if (threadIdx.x != 0) return;
    const int first_row = tile * kTileRows;
    const int rows = min(kTileRows, M - first_row);
    const int rank = CLUSTER == 1 ? 0 : static_cast<int>(cluster_rank());
    const int vectors = CLUSTER == 1 ? rows * kVectors : min(kChunk, kVectors - rank * kChunk);
    barriers_[stage].copy(stages_ + stage * kStageVectors,
                          x_ + offset_of(first_row, rank * kChunk * kVector), vectors * VEC_BYTES);
  }

  __device__ SharedTile receive(int stage, unsigned parity) {
    barriers_[stage].wait(parity);
    return SharedTile(stages_ + stage * kStageVectors);
  }

 private:
  RowVector* stages_;
  BulkBarrier* barriers_;
  const DTYPE* x_;
};

// Tile is RegisterTile or RegisterPair, `from` what it loads from. With two stages the loads of the
// next tile are issued before the present one is worked on.
template <class Tile, class From, class Body>
__device__ void for_each_register_tile(const From& from, Body body) {
  const int first = blockIdx.x / CLUSTER;
  const int stride = gridDim.x / CLUSTER;
  Tile current;
  current.load(from, first);
  if constexpr (BLOCKS_PER_SM == 0) {
    body(current, first);
  } else if constexpr (STAGES == 1) {
    for (int tile = first; tile < kTiles; tile += stride) {
      if (tile != first) current.load(from, tile);
      body(current, tile);
    }
  } else {
    for (int tile = first; tile < kTiles; tile += stride) {
      Tile next;
      if (tile + stride < kTiles) next.load(from, tile + stride);
      body(current, tile);
      current = next;
    }
  }
}

template <class Body>
__device__ void for_each_shared_tile(const DTYPE* x, Body body) {
  const int first = blockIdx.x / CLUSTER;
  const int stride = gridDim.x / CLUSTER;
  extern __shared__ __align__(128) unsigned char dynamic_shared[];
  __shared__ BulkBarrier barriers[STAGES];
  SharedRing ring(reinterpret_cast<RowVector*>(dynamic_shared), barriers, x);
  for (int s = 0; s < STAGES; ++s) {
    if (first + s * stride < kTiles) ring.request(s, first + s * stride);
  }
  int stage = 0;
  unsigned parity = 0;
  for (int tile = first; tile < kTiles; tile += stride) {
    body(ring.receive(stage, parity), tile);
    if (BLOCKS_PER_SM == 0) break;
    __syncthreads();  // all have read the stage
    if (tile + STAGES * stride < kTiles) ring.request(stage, tile + STAGES * stride);
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
}

template <class Body>
__device__ void for_each_reread_tile(const DTYPE* x, Body body) {
  for (int tile = blockIdx.x / CLUSTER; tile < kTiles; tile += gridDim.x / CLUSTER) {
    body(RereadTile(x, tile), tile);
    if (BLOCKS_PER_SM == 0) break;
  }
}

// Calls body(tile, index) for each tile of this block's share. tile.read(r, step) gives a vector
// of row r as often as asked, tile.read_last(r, step) for the last time. Every thread of the block
// takes part, also for rows beyond the last, whose values are arbitrary: body does not store them.
//
// Dynamic shared memory: STAGES * kTileRows * kChunk * VEC_BYTES if RESIDENCE is shared, else 0.
template <class Body>
__device__ void for_each_tile(const DTYPE* x, Body body) {
  if constexpr (kResidence == Residence::registers) {
    for_each_register_tile<RegisterTile>(x, body);
  } else if constexpr (kResidence == Residence::shared) {
    for_each_shared_tile(x, body);
  } else {
    for_each_reread_tile(x, body);
  }
}
