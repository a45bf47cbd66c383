// The two-dimensional convolution of an image with a small filter, the classic of tuners:
//
//   y[i][j] = sum over u, v of x[i + u][j + v] * filter[u][v]
//
// x: (HEIGHT + FILTER - 1) x (WIDTH + FILTER - 1), y: HEIGHT x WIDTH, filter: FILTER x FILTER, all
// of float32. 2 * HEIGHT * WIDTH * FILTER^2 operations.
//
// A block brings its part of x, with the margin, and the filter into shared memory. A thread has
// TILE_X x TILE_Y results next to one another: of each row of x that they need it takes the values
// into registers once and uses each for all results that it counts for.
//
// Parameters:
//
//   BLOCK_X, BLOCK_Y  threads of a block
//   TILE_X, TILE_Y    results of a thread
//   PAD               floats between the rows in shared memory, against bank conflicts
//   UNROLL_ROWS       1: the loop over the rows of x is unrolled too
//   MIN_BLOCKS        blocks per multiprocessor that the compiler leaves registers for

constexpr int kThreads = BLOCK_X * BLOCK_Y;
constexpr int kBlockWidth = BLOCK_X * TILE_X;
constexpr int kBlockHeight = BLOCK_Y * TILE_Y;
constexpr int kMargin = FILTER - 1;
constexpr int kInputWidth = kBlockWidth + kMargin;
constexpr int kInputHeight = kBlockHeight + kMargin;
constexpr int kPitch = kInputWidth + PAD;
constexpr int kRowUnroll = UNROLL_ROWS ? TILE_Y + kMargin : 1;
constexpr long long kImageWidth = WIDTH + kMargin;

// Zero outside of the image, where blocks at the edge look.
__device__ inline void load_input(const float* x, float* input) {
  const int first_row = blockIdx.y * kBlockHeight;
  const int first_column = blockIdx.x * kBlockWidth;
  for (int at = threadIdx.y * BLOCK_X + threadIdx.x; at < kInputWidth * kInputHeight;
       at += kThreads) {
    const int row = at / kInputWidth;
    const int column = at % kInputWidth;
    const bool inside =
        first_row + row < HEIGHT + kMargin && first_column + column < WIDTH + kMargin;
    input[row * kPitch + column] =
        inside ? __ldg(x + (first_row + row) * kImageWidth + first_column + column) : 0.0f;
  }
}

// Adds what a row of x contributes: the row is `row` below the thread's first.
__device__ inline void add_row(const float* input, const float* filter, int row,
                               float (&sums)[TILE_Y][TILE_X]) {
  float values[TILE_X + kMargin];
#pragma unroll
  for (int i = 0; i < TILE_X + kMargin; ++i) values[i] = input[i];
#pragma unroll
  for (int ty = 0; ty < TILE_Y; ++ty) {
    const int u = row - ty;
    if (u < 0 || u >= FILTER) continue;
#pragma unroll
    for (int v = 0; v < FILTER; ++v) {
      const float factor = filter[u * FILTER + v];
#pragma unroll
      for (int tx = 0; tx < TILE_X; ++tx) sums[ty][tx] += values[tx + v] * factor;
    }
  }
}

// Dynamic shared memory: (kInputHeight * kPitch + FILTER * FILTER) floats.
extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv2d(const float* __restrict__ x, const float* __restrict__ filter, float* __restrict__ y) {
  extern __shared__ float shared[];
  float* input = shared;
  float* factors = shared + kInputHeight * kPitch;
  load_input(x, input);
  for (int at = threadIdx.y * BLOCK_X + threadIdx.x; at < FILTER * FILTER; at += kThreads) {
    factors[at] = __ldg(filter + at);
  }
  __syncthreads();

  float sums[TILE_Y][TILE_X] = {};
  const float* own = input + threadIdx.y * TILE_Y * kPitch + threadIdx.x * TILE_X;
#pragma unroll kRowUnroll
  for (int row = 0; row < TILE_Y + kMargin; ++row) add_row(own + row * kPitch, factors, row, sums);

  const int first_row = blockIdx.y * kBlockHeight + threadIdx.y * TILE_Y;
  const int first_column = blockIdx.x * kBlockWidth + threadIdx.x * TILE_X;
#pragma unroll
  for (int ty = 0; ty < TILE_Y; ++ty) {
#pragma unroll
    for (int tx = 0; tx < TILE_X; ++tx) {
      if (first_row + ty < HEIGHT && first_column + tx < WIDTH) {
        y[static_cast<long long>(first_row + ty) * WIDTH + first_column + tx] = sums[ty][tx];
      }
    }
  }
}
