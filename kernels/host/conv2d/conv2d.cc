// 2-D convolution of one image with one square filter (not mirrored, as in neural networks):
//
//   output[y][x] = sum over fy, fx of filter[fy][fx] * input[y + fy][x + fx]
//
// output: HEIGHT x WIDTH floats; input: FILTER - 1 more in both directions, so that no border needs
// care; filter: FILTER x FILTER. All row-major.
//
// TILE_Y, TILE_X    rows and columns of the output that are finished before moving on
// COLUMNS_FIRST     1 = tiles are taken down the image before to its right
// LANES             floats in a vector: 4 is SSE or NEON, 8 is AVX, 16 is AVX-512
// BLOCK_Y, BLOCK_X  rows and vectors of the output that are held in registers together
// REUSE             0 = loops over the filter, reading the input that each weight meets;
//                   1 = loops over the input rows, adding each to every output row that it touches
// UNROLL_Y          1 = the loop over rows (of filter or input, see REUSE) is unrolled
// UNROLL_X          1 = the loop over a filter row is unrolled
// PREFETCH          rows below the present block that are prefetched; 0 = none

#include <cstdint>

#if defined(__clang__)
#define UNROLL_FULLY _Pragma("clang loop unroll(full)")
#define UNROLL_NOT _Pragma("clang loop unroll(disable)")
#else
#define UNROLL_FULLY _Pragma("GCC unroll 64")
#define UNROLL_NOT _Pragma("GCC unroll 1")
#endif
#if UNROLL_Y
#define UNROLL_ROWS UNROLL_FULLY
#else
#define UNROLL_ROWS UNROLL_NOT
#endif
#if UNROLL_X
#define UNROLL_COLUMNS UNROLL_FULLY
#else
#define UNROLL_COLUMNS UNROLL_NOT
#endif

namespace {

using Vector = float __attribute__((vector_size(LANES * sizeof(float))));
// A typedef, since clang drops `aligned` from a using declaration.
typedef float UnalignedVector
    __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

constexpr std::int64_t kInputWidth = WIDTH + FILTER - 1;
constexpr int kBlockWidth = BLOCK_X * LANES;  // in floats
static_assert(HEIGHT % TILE_Y == 0 && WIDTH % TILE_X == 0);
static_assert(TILE_Y % BLOCK_Y == 0 && TILE_X % kBlockWidth == 0);

inline Vector load(const float* from) { return *reinterpret_cast<const UnalignedVector*>(from); }

inline void store(float* to, const Vector& value) {
  *reinterpret_cast<UnalignedVector*>(to) = value;
}

inline void prefetch_below(const float* input) {
  UNROLL_FULLY
  for (int row = 0; row < PREFETCH; ++row) {
    UNROLL_FULLY
    for (int x = 0; x < kBlockWidth; x += 16) {
      __builtin_prefetch(input + (BLOCK_Y + FILTER - 1 + row) * kInputWidth + x);
    }
  }
}

// BLOCK_Y rows of BLOCK_X vectors of the output; `input` and `output` point at its first element.
inline void convolve_block(const float* __restrict input, const float* __restrict filter,
                           float* __restrict output) {
  Vector sums[BLOCK_Y][BLOCK_X] = {};
  prefetch_below(input);
#if REUSE
  UNROLL_ROWS
  for (int row = 0; row < BLOCK_Y + FILTER - 1; ++row) {
    UNROLL_COLUMNS
    for (int fx = 0; fx < FILTER; ++fx) {
      UNROLL_FULLY
      for (int bx = 0; bx < BLOCK_X; ++bx) {
        const Vector value = load(input + row * kInputWidth + bx * LANES + fx);
        UNROLL_FULLY
        for (int y = 0; y < BLOCK_Y; ++y) {
          if (row - y < 0 || row - y >= FILTER) continue;
          sums[y][bx] += value * filter[(row - y) * FILTER + fx];
        }
      }
    }
  }
#else
  UNROLL_ROWS
  for (int fy = 0; fy < FILTER; ++fy) {
    UNROLL_COLUMNS
    for (int fx = 0; fx < FILTER; ++fx) {
      const Vector weight = Vector{} + filter[fy * FILTER + fx];
      UNROLL_FULLY
      for (int y = 0; y < BLOCK_Y; ++y) {
        UNROLL_FULLY
        for (int bx = 0; bx < BLOCK_X; ++bx) {
          sums[y][bx] += weight * load(input + (y + fy) * kInputWidth + bx * LANES + fx);
        }
      }
    }
  }
#endif
  UNROLL_FULLY
  for (int y = 0; y < BLOCK_Y; ++y) {
    UNROLL_FULLY
    for (int bx = 0; bx < BLOCK_X; ++bx) store(output + y * WIDTH + bx * LANES, sums[y][bx]);
  }
}

void convolve_tile(const float* input, const float* filter, float* output) {
  for (int y = 0; y < TILE_Y; y += BLOCK_Y) {
    for (int x = 0; x < TILE_X; x += kBlockWidth) {
      convolve_block(input + y * kInputWidth + x, filter, output + y * WIDTH + x);
    }
  }
}

}  // namespace

void conv2d(const float* input, const float* filter, float* output) {
#if COLUMNS_FIRST
  for (int x = 0; x < WIDTH; x += TILE_X) {
    for (int y = 0; y < HEIGHT; y += TILE_Y) {
      convolve_tile(input + y * kInputWidth + x, filter, output + y * WIDTH + x);
    }
  }
#else
  for (int y = 0; y < HEIGHT; y += TILE_Y) {
    for (int x = 0; x < WIDTH; x += TILE_X) {
      convolve_tile(input + y * kInputWidth + x, filter, output + y * WIDTH + x);
    }
  }
#endif
}
