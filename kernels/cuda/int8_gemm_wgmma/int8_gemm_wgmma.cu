// A linear layer in 8-bit integers whose activations are quantised already, with a scale for each
// token, and whose weights have one for each output:
//
//   c[m][n] = a_scale[m] * b_scale[n] * sum over k of a[m][k] * b[n][k]
//
// a: M x K, b: N x K of int8; a_scale: M, b_scale: N of float32; c: M x N of bfloat16; sums in
// int32, which are exact. 2 * M * N * K operations. int8_gemm.cu quantises as well.
//
// Where there are fewer tiles than multiprocessors, several blocks may share k of a tile: each
// writes its sums to `partials`, SPLIT_K x M x N, and a second kernel adds and scales those.
//
// Parameters: those of common/warpgroup_tiles.cuh and common/warpgroup_results.cuh.
#define OPERAND signed char
#include "common/warpgroup_results.cuh"

__device__ inline float scaled(int sum, float a_scale, float b_scale) {
  return static_cast<float>(sum) * a_scale * b_scale;
}

__device__ inline void write(const Sum (&sums)[kPieces][kSums], const float* a_scale,
                             const float* b_scale, Output& out, int row, int column) {
  float rows[kPieces][2];
  for_each_row_of_sums(
      row, [&](int m, int p, int half) { rows[p][half] = m < M ? __ldg(a_scale + m) : 0.0f; });
  const int first = column + threadIdx.x % 4 * 2;
  write_rounded(out, row, column, [&](int p, int half, int i, float(&pair)[2]) {
    const int n = first + i / 4 * 8;
    const float2 scales =
        n < N ? __ldg(reinterpret_cast<const float2*>(b_scale + n)) : make_float2(0, 0);
    pair[0] = scaled(sums[p][i], rows[p][half], scales.x);
    pair[1] = scaled(sums[p][i + 1], rows[p][half], scales.y);
  });
}

extern "C" __global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM)
    int8_gemm_wgmma(const __grid_constant__ TensorMap a_map,
                    const __grid_constant__ TensorMap b_map,
                    const __grid_constant__ TensorMap c_map, const float* __restrict__ a_scale,
                    const float* __restrict__ b_scale, bfloat16* __restrict__ c,
                    int* __restrict__ partials) {
  extern __shared__ __align__(1024) unsigned char slabs[];
  Output out(c, c_map, slabs + kRingBytes);
  for_each_unit(a_map, b_map, slabs, multiply<>, [&](const auto& sums, const Unit& unit) {
    const int row = unit.place.m + unit.row;
    if constexpr (SPLIT_K == 1) {
      write(sums, a_scale, b_scale, out, row, unit.place.n);
    } else {
      write_part(sums, partials + unit.part * kResults, row, unit.place.n);
    }
  });
  out.finish();
}

#if SPLIT_K > 1
extern "C" __global__ void __launch_bounds__(kFinishThreads)
    int8_gemm_wgmma_finish(const int* __restrict__ partials, const float* __restrict__ a_scale,
                           const float* __restrict__ b_scale, bfloat16* __restrict__ c) {
  add_parts(partials, [&](long long at, const int(&sums)[4]) {
    const float row = a_scale[at / N];
    const float4 columns = *reinterpret_cast<const float4*>(b_scale + at % N);
    *reinterpret_cast<uint2*>(c + at) = make_uint2(
        rounded_pair<bfloat16>(scaled(sums[0], row, columns.x), scaled(sums[1], row, columns.y)),
        rounded_pair<bfloat16>(scaled(sums[2], row, columns.z), scaled(sums[3], row, columns.w)));
  });
}
#endif
