// The shape of every kernel that works row by row: which thread owns which part of which row.
//
// x is M x N elements of type DTYPE, row-major. The parameters, all of them macros:
//
//   VEC_BYTES        bytes of one access: 2 to 16. Vectors are at multiples of it; row_parts.cuh
//                    tells of rows that are no multiple of it
//   THREADS_PER_ROW  threads of a block that share a row, a power of two
//   CLUSTER          blocks that share a row, a power of two; each takes a contiguous part of it
//   EXCHANGE         how they do so, where a kernel defines it: as a `cluster`; or by `memory`, for a kernel
//                    that needs no more of a row once it was read (row_exchange.cuh)
//   ROWS_PER_BLOCK   rows side by side in a block; a block has THREADS_PER_ROW * ROWS_PER_BLOCK
//                    threads
//   ROWS_PER_THREAD  rows that a thread works on at once: more bytes in flight, fewer loads of
//                    what all rows share
//   BLOCKS_PER_SM    0: a block for each tile of rows; else this many blocks stay on each
//                    multiprocessor and walk over the tiles
//   RESIDENCE        where a row is between the passes: `registers`; `shared` memory, filled by the
//                    bulk copy engine, or the same in `pieces` (row_pieces.cuh); or nowhere
//                    (`reread`: the second pass mostly hits L2)
//   STORED_BY        `threads`; or `bulk`: rows are loaded and stored by the bulk copy engine,
//                    through stages of shared memory (row_spans.cuh)
//   TILE_ROWS        the rows of a tile, where ROWS_PER_THREAD is above 1: `neighbours`; or `alike`, for
//                    rows that are no multiple of a vector: a thread's rows are as far apart as those
//                    that begin alike, so that it joins a weight once for all of them; or as far as
//                    ROWS_ALIKE says, where a kernel defines that
//   STAGES           tiles under way: while one is worked on, STAGES - 1 more are loaded
//   LOAD_HINT, RELOAD_HINT, STORE_HINT   a CacheHint for x, for x when it is read again for the
//                    last time (`reread` only), and for the result
//   UNROLL           vectors of a row per turn of a loop, unless something of them stays in
//                    registers
//   MIN_BLOCKS       blocks per multiprocessor that the compiler leaves registers for
//
// A row need not divide evenly: the last vectors of some threads are masked out, so that nothing
// but the parameters' product is a power of two.
#pragma once

#include "common/cluster.cuh"
#include "common/element.cuh"

enum class Residence { registers, shared, pieces, reread };
enum class StoredBy { threads, bulk };
enum class TileRows { neighbours, alike };
enum class Exchange { cluster, memory };

// When a thread loads what belongs to its columns, such as a weight: `late`, at each use, which
// costs no registers; `narrow`, likewise, but word by word at the row's own place, where rows are not
// aligned; `early`, before the reduction of each tile, so that the latency is hidden
// behind it; `joined`, the same, and brought to the place of the tile's rows then; `once`, before
// the first tile, into registers; `shared`, before the first tile, into shared memory, each thread
// its share; `words`, with the first tile, into shared memory, as words that all rows of the block
// read (row_column_words.cuh).
enum class ColumnLoad { late, narrow, early, joined, once, shared, words };

#ifdef WEIGHT_LOAD
constexpr ColumnLoad kColumnLoad = ColumnLoad::WEIGHT_LOAD;
#else
constexpr ColumnLoad kColumnLoad = ColumnLoad::late;
#endif
#ifdef WEIGHT_HINT
constexpr CacheHint kColumnHint = CacheHint::WEIGHT_HINT;
#else
constexpr CacheHint kColumnHint = CacheHint::standard;
#endif
constexpr Residence kResidence = Residence::RESIDENCE;
#ifdef STORED_BY
constexpr bool kInBulk = StoredBy::STORED_BY == StoredBy::bulk;
#else
constexpr bool kInBulk = false;
#endif
#ifdef TILE_ROWS
constexpr bool kAlike = TileRows::TILE_ROWS == TileRows::alike;
#else
constexpr bool kAlike = false;
#endif
#ifdef EXCHANGE
constexpr bool kThroughMemory = Exchange::EXCHANGE == Exchange::memory;
#else
constexpr bool kThroughMemory = false;
#endif
// Blocks that write into each other's memory.
constexpr int kClustered = kThroughMemory ? 1 : CLUSTER;
constexpr bool kColumnsInMemory =
    kColumnLoad == ColumnLoad::late || kColumnLoad == ColumnLoad::narrow ||
    kColumnLoad == ColumnLoad::shared || kColumnLoad == ColumnLoad::words;
constexpr CacheHint kLoadHint = CacheHint::LOAD_HINT;
constexpr CacheHint kReloadHint = CacheHint::RELOAD_HINT;
constexpr CacheHint kStoreHint = CacheHint::STORE_HINT;

__host__ __device__ constexpr int divide_up(int number, int by) { return (number + by - 1) / by; }
constexpr int common_divisor(int a, int b) { return b == 0 ? a : common_divisor(b, a % b); }

constexpr int kThreads = THREADS_PER_ROW * ROWS_PER_BLOCK;
constexpr int kVector = VEC_BYTES / sizeof(DTYPE);               // elements
constexpr bool kAligned = N % kVector == 0;                      // every row begins with a vector
constexpr int kMostHead = kVector - common_divisor(N, kVector);  // elements before that
// Whether a row's first or last vector is a pair of which a neighbour has one element.
constexpr bool kRagged = kInBulk && !kAligned && kVector == 2;
constexpr int kVectors = kRagged ? divide_up(N, 2) : N / kVector;  // of a row, at most
constexpr int kLeastVectors = kRagged ? kVectors : (N - kMostHead) / kVector;
constexpr int kChunk = divide_up(kVectors, CLUSTER);  // vectors of a row in one block
constexpr int kLastChunk = kVectors - kChunk * (CLUSTER - 1);
constexpr int kLeastLastChunk = kLeastVectors - kChunk * (CLUSTER - 1);
constexpr int kSteps = divide_up(kChunk, THREADS_PER_ROW);  // vectors of a row in one thread
#ifdef VALUES
enum class Values { recomputed, kept };
constexpr bool kValuesKept = Values::VALUES == Values::kept;  // between_passes.cuh
#else
constexpr bool kValuesKept = false;
#endif
#ifdef UNROLL
constexpr int kUnroll =
    kResidence == Residence::registers || !kColumnsInMemory || kValuesKept ? kSteps : UNROLL;
#else
constexpr int kUnroll = kSteps;  // kernels that hold something in registers for each vector
#endif
constexpr int kTileRows = ROWS_PER_BLOCK * ROWS_PER_THREAD;
constexpr int kRowsOfAHead = kVector / common_divisor(N, kVector);  // from one to the next
#ifdef ROWS_ALIKE
constexpr int kRowsAlike = ROWS_ALIKE;
#else
constexpr int kRowsAlike = kRowsOfAHead;
#endif
// From one row of a thread to the next, and from a group of tiles to the next.
constexpr int kRowStride = kAlike && kRowsAlike > ROWS_PER_BLOCK ? kRowsAlike : ROWS_PER_BLOCK;
constexpr int kGroupTiles = kRowStride / ROWS_PER_BLOCK;
constexpr int kGroupRows = kRowStride * ROWS_PER_THREAD;
constexpr int kTiles = divide_up(M, kGroupRows) * kGroupTiles;
// Of one matrix in one stage of shared memory: whole vectors, or with STORED_BY=bulk the kSpan
// elements of a block's part of a tile with what is before and behind them in lines of kLineBytes.
constexpr bool kStaged = kResidence == Residence::shared || kInBulk;
constexpr int kLineBytes = 128;
constexpr int kSpan = CLUSTER == 1 ? kTileRows * N : kChunk * kVector;
constexpr int kSpanLines =
    divide_up((kSpan - 1) * static_cast<int>(sizeof(DTYPE)) + kLineBytes, kLineBytes);
constexpr int kStageVectors = kInBulk ? kSpanLines * kLineBytes / VEC_BYTES : kSpan / kVector;

static_assert(kLastChunk > 0);
static_assert(CLUSTER == 1 || (ROWS_PER_BLOCK == 1 && (ROWS_PER_THREAD == 1 || kAlike)));
static_assert(!kAlike || (kRowsAlike > 1 && !kStaged && ROWS_PER_THREAD > 1));
static_assert(kRowStride % ROWS_PER_BLOCK == 0);
static_assert(kResidence != Residence::registers || kInBulk || STAGES <= 2,
              "the present tile, the next");
static_assert(kResidence != Residence::shared || kInBulk || VEC_BYTES == 16, "of bulk copies");
static_assert(!kInBulk || kResidence == Residence::registers || kResidence == Residence::shared);
static_assert(BLOCKS_PER_SM > 0 || STAGES == 1, "one tile per block leaves nothing to load ahead");

using RowVector = Vector<DTYPE, kVector>;

// Dynamic shared memory: the stages of rows, and behind them what else a kernel has there.
__device__ inline RowVector* dynamic_stages() {
  extern __shared__ __align__(128) unsigned char dynamic_shared[];
  return reinterpret_cast<RowVector*>(dynamic_shared);
}

// Which of the blocks that share a row this is.
__device__ inline int block_in_row() {
  if constexpr (CLUSTER == 1) {
    return 0;
  } else if constexpr (kThroughMemory) {
    return static_cast<int>(blockIdx.x % CLUSTER);
  } else {
    return static_cast<int>(cluster_rank());
  }
}

// This thread's place: which row of a tile, and which part of the row.
__device__ inline int group_in_block() {
  return kInBulk && ROWS_PER_BLOCK == 1 ? 0 : threadIdx.x / THREADS_PER_ROW;
}
__device__ inline int thread_in_row() { return threadIdx.x % THREADS_PER_ROW; }

// Of neighbours: a thread's rows are ROWS_PER_BLOCK apart, so that with enough of them side by side
// all begin alike.
__device__ inline int row_in_tile(int r) { return r * ROWS_PER_BLOCK + group_in_block(); }

__device__ inline int row_of(int tile, int r) {
  const int first = tile / kGroupTiles * kGroupRows + tile % kGroupTiles * ROWS_PER_BLOCK;
  return first + r * kRowStride + group_in_block();
}
__device__ inline bool is_row(int row) { return M % kGroupRows == 0 || row < M; }

// Elements of the row before its first vector.
__device__ inline int head_of(int row) {
  return kAligned ? 0 : static_cast<int>((0u - static_cast<unsigned>(row) * unsigned{N}) % kVector);
}
// Where rows are ragged: elements of the row before in the row's first pair.
__device__ inline int phase_of(int row) { return row & 1; }
__device__ inline int vectors_of(int row) {
  return kAligned || kRagged ? kVectors : kVectors - (head_of(row) > N % kVector ? 1 : 0);
}

// Whether rows have the thread's vector number `step`; for all but the last step known at compile
// time, and true.
__device__ inline bool owns(int step) {
  if ((step + 1) * THREADS_PER_ROW <= kLastChunk) return true;
  const int at = step * THREADS_PER_ROW + thread_in_row();
  if (CLUSTER == 1 || kLastChunk == kChunk) return at < kChunk;
  return at < (block_in_row() == CLUSTER - 1 ? kLastChunk : kChunk);
}

// The place of that vector in its row.
__device__ inline int vector_of(int step) {
  const int chunk = block_in_row() * kChunk;
  return chunk + step * THREADS_PER_ROW + thread_in_row();
}

__device__ inline long long offset_of(int row, int column) {
  return static_cast<long long>(row) * N + column;
}
