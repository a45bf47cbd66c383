// The sum of an array:
//
//   y = sum over i of x[i]
//
// x: N of DTYPE; y: one float32. Reads N elements. Each block sums a part; the blocks' sums are
// added in a fixed order, so that the result is the same to the bit in every run.
//
// Parameters:
//
//   THREADS        threads of a block, a power of two
//   BLOCKS_PER_SM  blocks on each multiprocessor; blocks take turns at pieces of the array
//   VEC_BYTES      bytes of one load
//   UNROLL         loads of a thread that are issued together
//   LOAD_HINT      a CacheHint
//   FINISH         who adds the blocks' sums: `kernel`, a second one; or `last_block`, the one that
//                  finishes last, which saves a launch and costs each block a fence
#include "common/element.cuh"

enum class Finish { kernel, last_block };

constexpr bool kLastBlock = Finish::FINISH == Finish::last_block;
constexpr int kWarpSize = 32;
constexpr int kVector = VEC_BYTES / sizeof(DTYPE);
constexpr long long kVectors = static_cast<long long>(N) / kVector;
static_assert(static_cast<long long>(N) % kVector == 0);

using Load = Vector<DTYPE, kVector>;

// Thread 0 gets the sum over the block.
__device__ inline float sum_over_block(float value) {
  __shared__ float partials[THREADS / kWarpSize];
#pragma unroll
  for (int mask = kWarpSize / 2; mask > 0; mask /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, mask);
  }
  if (threadIdx.x % kWarpSize == 0) partials[threadIdx.x / kWarpSize] = value;
  __syncthreads();
  float sum = 0;
  if (threadIdx.x == 0) {
#pragma unroll
    for (float partial : partials) sum += partial;
  }
  __syncthreads();
  return sum;
}

__device__ inline float sum_of(const Load& load) {
  float values[kVector];
  load.to_floats(values);
  float sum = values[0];
#pragma unroll
  for (int i = 1; i < kVector; ++i) sum += values[i];
  return sum;
}

__device__ inline float sum_of_share(const DTYPE* x) {
  const long long stride = static_cast<long long>(gridDim.x) * (THREADS * UNROLL);
  float sums[UNROLL] = {};
  long long at = static_cast<long long>(blockIdx.x) * (THREADS * UNROLL) + threadIdx.x;
  for (; at + (UNROLL - 1) * THREADS < kVectors; at += stride) {
    Load loads[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      loads[u] = Load::load<CacheHint::LOAD_HINT>(x + (at + u * THREADS) * kVector);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) sums[u] += sum_of(loads[u]);
  }
  for (int u = 0; u < UNROLL && at < kVectors; ++u, at += THREADS) {
    sums[0] += sum_of(Load::load<CacheHint::LOAD_HINT>(x + at * kVector));
  }
  float sum = 0;
#pragma unroll
  for (float part : sums) sum += part;
  return sum;
}

__device__ inline float sum_of_partials(const float* partials, int count) {
  float sum = 0;
  for (int i = threadIdx.x; i < count; i += THREADS) sum += __ldcg(partials + i);
  return sum_over_block(sum);
}

// partials: one float per block. arrivals: zero before the first launch; each launch leaves zero.
extern "C" __global__ void __launch_bounds__(THREADS)
    full_sum(const DTYPE* __restrict__ x, float* partials, unsigned* arrivals, float* y) {
  const float sum = sum_over_block(sum_of_share(x));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
  if constexpr (kLastBlock) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
      __threadfence();  // the partial sum is there before the arrival is counted
      last = atomicInc(arrivals, gridDim.x - 1) == gridDim.x - 1;
      __threadfence();
    }
    __syncthreads();
    if (!last) return;
    const float total = sum_of_partials(partials, gridDim.x);
    if (threadIdx.x == 0) *y = total;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    full_sum_finish(const float* partials, int count, float* y) {
  const float total = sum_of_partials(partials, count);
  if (threadIdx.x == 0) *y = total;
}
