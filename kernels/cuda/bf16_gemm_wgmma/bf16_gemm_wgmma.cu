// The product of a matrix and a transposed one, as every linear layer computes it:
//
//   c[m][n] = sum over k of a[m][k] * b[n][k]
//
// a: M x K, b: N x K, c: M x N of bfloat16; sums in float32. 2 * M * N * K operations.
//
// Where there are fewer tiles than multiprocessors, several blocks may share k of a tile: each
// writes its sums in float32 to `partials`, SPLIT_K x M x N, and a second kernel adds those in the
// order of k and rounds. The result is the same to the bit in every run.
//
// Parameters: those of common/warpgroup_tiles.cuh and common/warpgroup_results.cuh.
#define OPERAND bfloat16
#include "common/warpgroup_results.cuh"

extern "C" __global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM)
    bf16_gemm_wgmma(const __grid_constant__ TensorMap a_map,
                    const __grid_constant__ TensorMap b_map,
                    const __grid_constant__ TensorMap c_map, bfloat16* __restrict__ c,
                    float* __restrict__ partials) {
  extern __shared__ __align__(1024) unsigned char slabs[];
  Output out(c, c_map, slabs + kRingBytes);
  for_each_unit(a_map, b_map, slabs, multiply<>,
                [&](const auto& sums, const Unit& unit) { write_sums(sums, unit, out, partials); });
  out.finish();
}

#if SPLIT_K > 1
extern "C" __global__ void __launch_bounds__(kFinishThreads)
    bf16_gemm_wgmma_finish(const float* __restrict__ partials, bfloat16* __restrict__ c) {
  add_parts(partials, [&](long long at, const float(&sums)[4]) {
    *reinterpret_cast<uint2*>(c + at) = make_uint2(rounded_pair<bfloat16>(sums[0], sums[1]),
                                                   rounded_pair<bfloat16>(sums[2], sums[3]));
  });
}
#endif
