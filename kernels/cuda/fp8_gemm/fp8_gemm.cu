// A linear layer in 8-bit floating point with a scale for each block of values, as DeepSeek-V3 is
// trained and served (DeepSeek-AI, 2024): activations have one for 128 values of a row, weights for
// 128 x 128.
//
//   c[m][n] = sum over blocks g of k of a_scale[g][m] * b_scale[n / 128][g] *
//             (sum over k in g of a[m][k] * b[n][k])
//
// a: M x K, b: N x K of float8_e4m3; a_scale: K / 128 x M, b_scale: N / 128 rounded up x K / 128 of
// float32; c: M x N of bfloat16. 2 * M * N * K operations. The tensor cores add up a block of k
// with fewer bits than float32 has; blocks are scaled and added in float32 registers.
//
// Where there are fewer tiles than multiprocessors, several blocks may share k of a tile: each
// writes its sums to `partials`, SPLIT_K x M x N, and a second kernel adds those in the order of k.
//
// Parameters: those of common/warpgroup_gemm.cuh without SLAB_BYTES, since a slab is a block of k,
// and
//
//   UNDER_WAY  slabs whose products a warpgroup has under way: with 1 the tensor cores work for
//   others
//              while it scales and adds, with 2 also for itself, for which it needs more registers
#define OPERAND Float8
#define SLAB_BYTES 128
#include "common/warpgroup_results.cuh"

constexpr int kBlock = 128;  // values of k, or columns, that share a scale
static_assert(kSlab == kBlock && K % kBlock == 0);

// The scales of one slab for the values that a thread has.
struct Scales {
  float rows[kPieces][2];
  float columns[2];  // of the block of columns that the tile begins in, and of the next
};

constexpr bool kOneColumnBlock = kBlock % BLOCK_N == 0;
static_assert(BLOCK_N <= kBlock + 32 * 2, "tiles begin at multiples of 32 or 64, in two blocks");

class ScaleReader {
 public:
  __device__ ScaleReader(const float* a_scale, const float* b_scale, int row, int column)
      : a_scale_(a_scale), b_scale_(b_scale + column / kBlock * kSlabs) {
    for_each_row_of_sums(row, [&](int m, int p, int half) { rows_[p][half] = min(m, M - 1); });
    has_next_ = (column / kBlock + 1) * kBlock < N;
  }

  __device__ Scales read(int slab) const {
    Scales scales;
#pragma unroll
    for (int p = 0; p < kPieces; ++p) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        scales.rows[p][half] = __ldg(a_scale_ + static_cast<long long>(slab) * M + rows_[p][half]);
      }
    }
    scales.columns[0] = __ldg(b_scale_ + slab);
    if (!kOneColumnBlock) {
      scales.columns[1] = has_next_ ? __ldg(b_scale_ + kSlabs + slab) : scales.columns[0];
    }
    return scales;
  }

 private:
  const float* a_scale_;
  const float* b_scale_;
  int rows_[kPieces][2];
  bool has_next_;
};

// results += the scaled sums of a slab. Columns from number `first_of_next` of the tile on are in
// the next block of columns.
__device__ inline void add_scaled(float (&results)[kPieces][kSums],
                                  const float (&sums)[kPieces][kSums], const Scales& scales,
                                  int first_of_next) {
#pragma unroll
  for (int p = 0; p < kPieces; ++p) {
    float factors[2][2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      factors[0][half] = scales.rows[p][half] * scales.columns[0];
      if (!kOneColumnBlock) factors[1][half] = scales.rows[p][half] * scales.columns[1];
    }
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
      const int half = i / 2 % 2;
      const float factor =
          !kOneColumnBlock && i / 4 * 8 >= first_of_next ? factors[1][half] : factors[0][half];
      results[p][i] = fmaf(sums[p][i], factor, results[p][i]);
    }
  }
}

// A warpgroup's way through the slabs of a unit. Sums of neighbouring slabs are in different
// registers, each of them named where it is used: wgmma writes to registers that do not move.
class ScaledProducts {
 public:
  __device__ ScaledProducts(const Ring& ring, int row, const ScaleReader& reader, int first_of_next,
                            Turn& turn)
      : ring_(ring), row_(row), reader_(reader), first_of_next_(first_of_next), turn_(turn) {}

  // results = the scaled sums of kPartSlabs slabs from `slab` on.
  __device__ void add_up(float (&results)[kPieces][kSums], int slab) {
#pragma unroll
    for (int p = 0; p < kPieces; ++p) {
#pragma unroll
      for (int i = 0; i < kSums; ++i) results[p][i] = 0;
    }
    Slab first;
    Slab second;
#pragma unroll 1
    for (const int end = slab + kPartSlabs; slab < end; slab += UNDER_WAY) {
      begin(first, slab);
      if (UNDER_WAY == 2 && slab + 1 < end) {
        begin(second, slab + 1);
        finish<1>(first, results);
        finish<0>(second, results);
      } else {
        finish<0>(first, results);
      }
    }
  }

 private:
  struct Slab {
    float sums[kPieces][kSums];
    Scales scales;
    int stage;
  };

  __device__ void begin(Slab& slab, int number) {
    slab.stage = turn_.stage;
    slab.scales = reader_.read(number);
    ring_.full[slab.stage].wait(turn_.parity);
    multiply_slab<true>(slab.sums, ring_, slab.stage, row_);
    turn_.next();
  }

  // When at most kPending slabs that were begun later are under way.
  template <int kPending>
  __device__ void finish(Slab& slab, float (&results)[kPieces][kSums]) {
    products_wait<kPending>();
    release(ring_, slab.stage);
    add_scaled(results, slab.sums, slab.scales, first_of_next_);
  }

  const Ring& ring_;
  int row_;
  const ScaleReader& reader_;
  int first_of_next_;
  Turn& turn_;
};

extern "C" __global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM)
    fp8_gemm(const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map,
             const float* __restrict__ a_scale, const float* __restrict__ b_scale,
             bfloat16* __restrict__ c, float* __restrict__ partials) {
  extern __shared__ __align__(1024) unsigned char slabs[];
  const auto multiply_scaled = [&](float(&results)[kPieces][kSums], const Unit& unit,
                                   const Ring& ring, Turn& turn) {
    const int column = unit.place.n;
    const ScaleReader reader(a_scale, b_scale, unit.place.m + unit.row, column);
    ScaledProducts(ring, unit.row, reader, kBlock - column % kBlock, turn)
        .add_up(results, unit.part * kPartSlabs);
  };
  for_each_unit(a_map, b_map, slabs, multiply_scaled, [&](const auto& results, const Unit& unit) {
    write_sums(results, unit, c, partials);
  });
}

#if SPLIT_K > 1
extern "C" __global__ void __launch_bounds__(kFinishThreads)
    fp8_gemm_finish(const float* __restrict__ partials, bfloat16* __restrict__ c) {
  add_parts(partials, [&](long long at, const float(&sums)[4]) {
    *reinterpret_cast<uint2*>(c + at) =
        make_uint2(rounded_pair(sums[0], sums[1]), rounded_pair(sums[2], sums[3]));
  });
}
#endif
