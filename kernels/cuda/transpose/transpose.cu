// The transpose of a matrix:
//
//   y[c][r] = x[r][c]
//
// x: M x N of DTYPE; y: N x M. Moves 2 * M * N elements, and the art is that both sides move whole
// lines: a block reads a tile by rows, turns it, and writes it by rows of y.
//
// A thread turns blocks of MICRO x MICRO elements in registers: it reads MICRO vectors of MICRO
// elements, and writes as many, turned, to shared memory. Shared memory thus moves by vectors,
// never by elements. A tile is kept there by rows of y; vector v of row c is at v ^ (c / MICRO), so
// that neighbouring threads, which write rows MICRO apart, use different banks.
//
// Parameters:
//
//   TILE_ROWS, TILE_COLUMNS  of x
//   MICRO        elements of an access; MICRO * sizeof(DTYPE) is 2 to 16
//   THREADS      of a block
//   GROUP        tiles of neighbouring rows that follow one another in the order of blocks
//   LOAD_HINT, STORE_HINT    a CacheHint for x and y
#include "common/element.cuh"

using MicroVector = Vector<DTYPE, MICRO>;

constexpr int kMicroRows = TILE_ROWS / MICRO;        // micro blocks down a tile
constexpr int kMicroColumns = TILE_COLUMNS / MICRO;  // and across
constexpr int kMicroBlocks = kMicroRows * kMicroColumns;
constexpr int kTilesDown = (M + TILE_ROWS - 1) / TILE_ROWS;
constexpr int kTilesAcross = (N + TILE_COLUMNS - 1) / TILE_COLUMNS;
static_assert(M % MICRO == 0 && N % MICRO == 0);
static_assert(kMicroBlocks % THREADS == 0, "each thread has equally many micro blocks");

__device__ inline bool is_inside(int row, int column) {
  return (M % TILE_ROWS == 0 || row < M) && (N % TILE_COLUMNS == 0 || column < N);
}

// Of a tile in shared memory: row c holds kMicroRows vectors.
__device__ inline unsigned slot_of(unsigned c, unsigned v) {
  return c * kMicroRows + (v ^ (c / MICRO % kMicroRows));
}

// The tiles in the order of the blocks: down GROUP tiles, then one to the right.
__device__ inline void place_tile(int& first_row, int& first_column) {
  const int in_band = GROUP * kTilesAcross;
  const int band = blockIdx.x / in_band;
  const int height = min(GROUP, kTilesDown - band * GROUP);
  const int at = blockIdx.x % in_band;
  first_row = (band * GROUP + at % height) * TILE_ROWS;
  first_column = at / height * TILE_COLUMNS;
}

__device__ inline void turn(const MicroVector (&rows)[MICRO], MicroVector (&columns)[MICRO]) {
#pragma unroll
  for (int i = 0; i < MICRO; ++i) {
#pragma unroll
    for (int j = 0; j < MICRO; ++j) columns[j].elements[i] = rows[i].elements[j];
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(const DTYPE* __restrict__ x, DTYPE* __restrict__ y) {
  extern __shared__ __align__(16) unsigned char dynamic_shared[];
  MicroVector* tile = reinterpret_cast<MicroVector*>(dynamic_shared);
  int first_row;
  int first_column;
  place_tile(first_row, first_column);

#pragma unroll
  for (int m = 0; m < kMicroBlocks / THREADS; ++m) {
    const unsigned block = m * THREADS + threadIdx.x;
    const int v = block / kMicroColumns;
    const int c = block % kMicroColumns * MICRO;
    const int row = first_row + v * MICRO;
    if (!is_inside(row, first_column + c)) continue;
    MicroVector rows[MICRO];
#pragma unroll
    for (int i = 0; i < MICRO; ++i) {
      rows[i] = MicroVector::load<CacheHint::LOAD_HINT>(x + static_cast<long long>(row + i) * N +
                                                        first_column + c);
    }
    MicroVector columns[MICRO];
    turn(rows, columns);
#pragma unroll
    for (int j = 0; j < MICRO; ++j) tile[slot_of(c + j, v)] = columns[j];
  }
  __syncthreads();

#pragma unroll
  for (int m = 0; m < kMicroBlocks * MICRO / THREADS; ++m) {
    const unsigned at = m * THREADS + threadIdx.x;
    const int c = at / kMicroRows;
    const int v = at % kMicroRows;
    const int column = first_column + c;
    const int row = first_row + v * MICRO;
    if (!is_inside(row, column)) continue;
    tile[slot_of(c, v)].store<CacheHint::STORE_HINT>(y + static_cast<long long>(column) * M + row);
  }
}
