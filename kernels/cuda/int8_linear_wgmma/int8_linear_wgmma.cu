// A linear layer in 8-bit integers with the activations quantised on the way, as int8_gemm.cu, on
// the tensor cores of a Hopper GPU by wgmma:
//
//   q[m][k] = clamp(round(x[m][k] / scale) + zero, -128, 127)
//   y[m][n] = scale * weight_scale[n] * (sum over k of q[m][k] * w[n][k] - zero * weight_sum[n])
//
// x: M x K of bfloat16; w: N x K of int8; weight_scale: N of float32; weight_sum: N of int32, the
// sums of the rows of w; y: M x N of bfloat16. Sums are in int32 and exact.
//
// Where there are fewer tiles than multiprocessors, several blocks may share k of a tile: each
// writes its sums to `partials`, SPLIT_K x M x N, and another kernel adds and scales those.
//
// Parameters: those of common/warpgroup_tiles.cuh, common/warpgroup_results.cuh and
// common/activation_range.cuh, and
//
//   RANGE  `tensor`: one scale and zero for all of x, by three kernels; `token`: one for each row,
//          whose range holds all values, by one kernel that reads x once. QUANTISE_THREADS then
//          share a row.
//
// EXACT, a size, is of the reference alone: 1, the error is against weights that were not quantised.
#define OPERAND signed char
#include "common/activation_range.cuh"
#include "common/warpgroup_results.cuh"

enum class Range { tensor, token };

static_assert(EXACT == 0 || EXACT == 1, "whether the reference has the weights as they were");

constexpr bool kByToken = Range::RANGE == Range::token;

__device__ inline Quantisation how_for(const Quantisation* quantisation, int m) {
  return quantisation[kByToken ? min(m, M - 1) : 0];
}

struct Bounds {
  float low, high;

  __device__ void include(const Bounds& other) {
    low = fminf(low, other.low);
    high = fmaxf(high, other.high);
  }
};

// Over a block; zero is always within.
__device__ inline Bounds bounds_of_block(Bounds own) {
  constexpr int kWarps = QUANTISE_THREADS / kLanes;
  __shared__ Bounds warps[kWarps];
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    own.include({__shfl_xor_sync(0xffffffffu, own.low, distance),
                 __shfl_xor_sync(0xffffffffu, own.high, distance)});
  }
  if (threadIdx.x % kLanes == 0) warps[threadIdx.x / kLanes] = own;
  __syncthreads();
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) own.include(warps[warp]);
  return own;
}

// A block for each row, which it holds in registers.
extern "C" __global__ void __launch_bounds__(QUANTISE_THREADS)
    quantise_tokens(const bfloat16* __restrict__ x, Quantisation* __restrict__ quantisation,
                    signed char* __restrict__ q) {
  constexpr int kLoadsOfRow = K / kValues;
  constexpr int kHeldLoads = (kLoadsOfRow + QUANTISE_THREADS - 1) / QUANTISE_THREADS;
  const long long first = static_cast<long long>(blockIdx.x) * K;
  Values held[kHeldLoads];
  Bounds bounds = {0, 0};
#pragma unroll
  for (int i = 0; i < kHeldLoads; ++i) {
    const int at = i * QUANTISE_THREADS + threadIdx.x;
    held[i] = at < kLoadsOfRow ? Values::load<CacheHint::streaming>(x + first + at * kValues)
                               : Values::zero();
  }
#pragma unroll
  for (const Values& some : held) {
#pragma unroll
    for (bfloat16 value : some.elements) bounds.include({to_float(value), to_float(value)});
  }
  bounds = bounds_of_block(bounds);
  const Quantisation how = quantisation_of(bounds.low, bounds.high);
#pragma unroll
  for (int i = 0; i < kHeldLoads; ++i) {
    const int at = i * QUANTISE_THREADS + threadIdx.x;
    if (at < kLoadsOfRow) {
      quantised(held[i], how).store<CacheHint::standard>(q + first + at * kValues);
    }
  }
  if (threadIdx.x == 0) quantisation[blockIdx.x] = how;
}

__device__ inline float scaled(int sum, const Quantisation& how, float weight_scale,
                               int weight_sum) {
  return static_cast<float>(sum - how.zero * weight_sum) * how.scale * weight_scale;
}

__device__ inline void write(const Sum (&sums)[kPieces][kSums], const Quantisation* quantisation,
                             const float* weight_scale, const int* weight_sum, Output& out, int row,
                             int column) {
  Quantisation rows[kPieces][2];
  for_each_row_of_sums(row,
                       [&](int m, int p, int half) { rows[p][half] = how_for(quantisation, m); });
  const int first = column + threadIdx.x % 4 * 2;
  write_rounded(out, row, column, [&](int p, int half, int i, float(&pair)[2]) {
    const int n = min(first + i / 4 * 8, N - 2);
    const float2 scales = __ldg(reinterpret_cast<const float2*>(weight_scale + n));
    const int2 offsets =
        kSymmetric ? make_int2(0, 0) : __ldg(reinterpret_cast<const int2*>(weight_sum + n));
    pair[0] = scaled(sums[p][i], rows[p][half], scales.x, offsets.x);
    pair[1] = scaled(sums[p][i + 1], rows[p][half], scales.y, offsets.y);
  });
}

extern "C" __global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM)
    int8_linear_wgmma(const __grid_constant__ TensorMap q_map,
                      const __grid_constant__ TensorMap w_map,
                      const __grid_constant__ TensorMap y_map,
                      const Quantisation* __restrict__ quantisation,
                      const float* __restrict__ weight_scale, const int* __restrict__ weight_sum,
                      bfloat16* __restrict__ y, int* __restrict__ partials) {
  extern __shared__ __align__(1024) unsigned char slabs[];
  Output out(y, y_map, slabs + kRingBytes);
  for_each_unit(q_map, w_map, slabs, multiply<>, [&](const auto& sums, const Unit& unit) {
    const int row = unit.place.m + unit.row;
    if constexpr (SPLIT_K == 1) {
      write(sums, quantisation, weight_scale, weight_sum, out, row, unit.place.n);
    } else {
      write_part(sums, partials + unit.part * kResults, row, unit.place.n);
    }
  });
  out.finish();
}

#if SPLIT_K > 1
extern "C" __global__ void __launch_bounds__(kFinishThreads)
    int8_linear_wgmma_finish(const int* __restrict__ partials,
                             const Quantisation* __restrict__ quantisation,
                             const float* __restrict__ weight_scale,
                             const int* __restrict__ weight_sum, bfloat16* __restrict__ y) {
  add_parts(partials, [&](long long at, const int(&sums)[4]) {
    const Quantisation how = how_for(quantisation, static_cast<int>(at / N));
    float results[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      results[i] = scaled(sums[i], how, weight_scale[at % N + i], weight_sum[at % N + i]);
    }
    *reinterpret_cast<uint2*>(y + at) = make_uint2(rounded_pair<bfloat16>(results[0], results[1]),
                                                   rounded_pair<bfloat16>(results[2], results[3]));
  });
}
#endif
