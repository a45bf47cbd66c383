// One step of the five-point stencil, as in a Jacobi iteration or the diffusion of heat:
//
//   y[i][j] = CENTRE * x[i][j] + SIDE * (x[i-1][j] + x[i+1][j] + x[i][j-1] + x[i][j+1])
//
// x, y: M x N of DTYPE; what lies outside of x counts as zero. CENTRE = 0.5, SIDE = 0.125.
//
// A thread has a column of vectors: it walks down ROWS rows and keeps three of them in registers,
// so that each row is loaded once per thread. The neighbours to the left and right come from the
// neighbouring lanes; lanes at the edge of a warp load theirs.
//
// Parameters:
//
//   BLOCK_X, BLOCK_Y  threads of a block; BLOCK_X is a multiple of 32
//   VEC_BYTES         bytes of an access
//   ROWS              rows that a thread walks down
//   AHEAD             1: the next row is loaded before the present one is worked on
//   LOAD_HINT, STORE_HINT   a CacheHint
#include "common/element.cuh"

constexpr int kWarpSize = 32;
constexpr int kVector = VEC_BYTES / sizeof(DTYPE);
constexpr int kVectors = N / kVector;
constexpr float kCentre = 0.5f;
constexpr float kSide = 0.125f;
static_assert(N % kVector == 0 && BLOCK_X % kWarpSize == 0);

using RowVector = Vector<DTYPE, kVector>;

// A row as one thread sees it: its vector and the values on both sides.
struct Piece {
  RowVector own;
  float left;   // of the lane at the left edge of the warp, else unused
  float right;  // of the lane at the right edge

  __device__ void load(const DTYPE* x, int row, int vector) {
    const int lane = threadIdx.x % kWarpSize;
    const DTYPE* at = x + static_cast<long long>(row) * N + vector * kVector;
    const bool inside = row >= 0 && row < M && vector < kVectors;
    own = inside ? RowVector::load<CacheHint::LOAD_HINT>(at) : RowVector::zero();
    left = inside && lane == 0 && vector > 0 ? to_float(__ldg(at - 1)) : 0.0f;
    right = inside && lane == kWarpSize - 1 && vector + 1 < kVectors ? to_float(__ldg(at + kVector))
                                                                     : 0.0f;
  }
};

__device__ inline void store_result(const Piece& above, const Piece& here, const Piece& below,
                                    DTYPE* y, int row, int vector) {
  const int lane = threadIdx.x % kWarpSize;
  float up[kVector];
  float centre[kVector];
  float down[kVector];
  above.own.to_floats(up);
  here.own.to_floats(centre);
  below.own.to_floats(down);
  const float from_left = __shfl_up_sync(0xffffffffu, centre[kVector - 1], 1);
  const float from_right = __shfl_down_sync(0xffffffffu, centre[0], 1);
  if (row >= M || vector >= kVectors) return;
  float result[kVector];
#pragma unroll
  for (int i = 0; i < kVector; ++i) {
    const float left = i > 0 ? centre[i - 1] : (lane == 0 ? here.left : from_left);
    const float right =
        i + 1 < kVector ? centre[i + 1] : (lane == kWarpSize - 1 ? here.right : from_right);
    result[i] = kCentre * centre[i] + kSide * ((up[i] + down[i]) + (left + right));
  }
  RowVector::from_floats(result).store<CacheHint::STORE_HINT>(y + static_cast<long long>(row) * N +
                                                              vector * kVector);
}

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    stencil2d(const DTYPE* __restrict__ x, DTYPE* __restrict__ y) {
  const int vector = blockIdx.x * BLOCK_X + threadIdx.x;
  const int first = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
  Piece above;
  Piece here;
  Piece below;
  above.load(x, first - 1, vector);
  here.load(x, first, vector);
  if (AHEAD) below.load(x, first + 1, vector);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    Piece next;
    if (AHEAD) {
      if (r + 1 < ROWS) next.load(x, first + r + 2, vector);
    } else {
      below.load(x, first + r + 1, vector);
    }
    store_result(above, here, below, y, first + r, vector);
    above = here;
    here = below;
    if (AHEAD) below = next;
  }
}
