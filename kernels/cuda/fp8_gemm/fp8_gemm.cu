// A linear layer in 8-bit floating point with a scale for each block of values, as DeepSeek-V3 is
// trained and served (DeepSeek-AI, 2024): activations have one for 128 values of a row, weights for
// 128 x 128.
//
//   c[m][n] = sum over blocks g of k of a_scale[g][m] * b_scale[n / 128][g] *
//             (sum over k in g of a[m][k] * b[n][k])
//
// a: M x K, b: N x K of float8_e4m3; a_scale: K / 128 x M rounded up to a multiple of 4, as
// DeepGEMM has it, so that rows are whole units of a copy; b_scale: N / 128 rounded up x K / 128 of
// float32; c: M x N of bfloat16. 2 * M * N * K operations. The tensor cores add up a block of k
// with fewer bits than float32 has; blocks are scaled and added in float32 registers.
//
// Where there are fewer tiles than multiprocessors, several blocks may share k of a tile: each
// writes its sums to `partials`, SPLIT_K x M x N, and a second kernel adds those in the order of k.
//
// Parameters: those of common/warpgroup_tiles.cuh without SLAB_BYTES, since a slab is a block of k, of
// common/warpgroup_results.cuh, and
//
//   UNDER_WAY  pieces of 64 rows of a slab whose products a warpgroup has under way, each with sums
//              of its own besides the results: while one is scaled and added the tensor cores work
//              on the others, and on those of other warpgroups. Few leave registers for larger
//              tiles, which read less shared memory for a product.
//   UNROLL     slabs in a turn of the loop, at whose end nothing is under way; the first turn has what
//              is left over where their number is no multiple
//   IN_TURN    1: warpgroups that share a tile begin their products in turn, so that one scales and
//              adds while another multiplies; 0: when they are ready, which is often at once
//   PLACED     where columns of a tile have different scales: 1: code of its own for each place that
//              the tile's first column may have in its block of columns, which knows the scale of
//              each sum; 0: one code, which chooses among the scales for each group of columns
//   SCALES     those of a: `copied` to shared memory with the slab that they belong to, or `read`
//              from global memory by each thread some slabs ahead
#define OPERAND Float8
#define SLAB_BYTES 128
#include "common/warpgroup_results.cuh"

constexpr int kBlock = 128;  // values of k, or columns, that share a scale
static_assert(kSlab == kBlock && K % kBlock == 0 && UNROLL <= kPartSlabs);

// Slabs of a turn of the loop whose products are under way at once: a stage is free again when the
// last piece of its slab ends. The slab behind them is awaited meanwhile.
constexpr int kSlabsUnderWay = (UNDER_WAY + kPieces - 1) / kPieces;
static_assert(STAGES > (UNROLL < kSlabsUnderWay ? UNROLL : kSlabsUnderWay),
              "no stage would come free");

// Columns of a tile that always share a scale, how many such groups a tile has, and in how many blocks
// of columns it may lie.
constexpr int common_divisor(int a, int b) { return b == 0 ? a : common_divisor(b, a % b); }
constexpr int kGroup = common_divisor(BLOCK_N, kBlock);
constexpr int kGroups = BLOCK_N / kGroup;
constexpr int kColumnBlocks = 1 + (kBlock - kGroup + BLOCK_N - 1) / kBlock;
static_assert(kColumnBlocks <= 3);

// Places that a tile's first column may have in its block of columns, in groups.
constexpr int kPlaces = kBlock / kGroup;
constexpr int kAnyPlace = -1;

// The scales of one slab for the values that a thread has.
struct Scales {
  float rows[kPieces][2];
  float columns[kColumnBlocks];  // from the block that the tile begins in on
};

enum class ScaleSource { read, copied };

constexpr bool kCopied = ScaleSource::SCALES == ScaleSource::copied;

// Of a in a block of k. Copies are of 16 bytes from multiples of 16 bytes.
constexpr int kScales = (M + 3) / 4 * 4;

__device__ inline long long scale_of(int slab, int m) {
  return static_cast<long long>(slab) * kScales + m;
}

// Brings the scales of a tile's rows with each slab.
struct ScaleCopies {
  const float* a_scale;
  unsigned stages;

  __device__ int bytes(const Place& place) const {
    return max(0, min(BLOCK_M, kScales - place.m)) * static_cast<int>(sizeof(float));
  }
  __device__ void copy(int slab, const Place& place, int stage, BarrierAt full) const {
    const int count = bytes(place);
    if (count == 0) return;
    full.copy<CacheHint::standard>(stages + stage * BLOCK_M * sizeof(float),
                                   a_scale + scale_of(slab, place.m), count);
  }
};

class ScaleReader {
 public:
  // `stages` is the address of those of ScaleCopies.
  __device__ ScaleReader(const float* a_scale, const float* b_scale, unsigned stages,
                         const Unit& unit)
      : a_scale_(a_scale),
        stages_(kept(stages + (unit.row + row_in_piece()) * sizeof(float))),
        first_row_(unit.place.m),
        row_(unit.row + row_in_piece()),
        first_in_block_(unit.place.n % kBlock) {
    // Columns behind the last one have any scale.
    const int last = (N - 1) / kBlock;
#pragma unroll
    for (int block = 0; block < kColumnBlocks; ++block) {
      b_scales_[block] = b_scale + min(unit.place.n / kBlock + block, last) * kSlabs;
    }
  }

  // What is read ahead; of the last slab also behind it.
  __device__ Scales read(int slab) const {
    slab = min(slab, kSlabs - 1);
    Scales scales;
    if (!kCopied) {
      fill_rows(scales, [&](int m) {
        return __ldg(a_scale_ + scale_of(slab, min(first_row_ + row_ + m, M - 1)));
      });
    }
#pragma unroll
    for (int block = 0; block < kColumnBlocks; ++block) {
      scales.columns[block] = __ldg(b_scales_[block] + slab);
    }
    return scales;
  }
  // The rest, when the slab is there and before its products begin, which all warps of a warpgroup
  // begin together: so all have read when one thread releases the stage.
  __device__ void complete(Scales& scales, int stage) const {
    if (!kCopied) return;
    const unsigned from = stages_ + stage * BLOCK_M * sizeof(float);
    fill_rows(scales, [&](int m) { return load_shared(from + m * sizeof(float)); });
  }

  // Of the tile's first column, in groups.
  __device__ int place() const { return first_in_block_ / kGroup; }

 private:
  // `of` takes how far a row is behind the thread's first.
  template <class Of>
  __device__ void fill_rows(Scales& scales, Of of) const {
    for_each_row_of_sums(
        0, [&](int m, int p, int half) { scales.rows[p][half] = of(m - row_in_piece()); });
  }

  const float* a_scale_;
  const float* b_scales_[kColumnBlocks];
  unsigned stages_;     // the thread's first row in stage 0
  int first_row_;       // of the tile
  int row_;             // the thread's first in the tile
  int first_in_block_;  // where the tile's first column is
};

constexpr bool kInTurn = IN_TURN == 1;
static_assert(!kInTurn || kTeam > 1, "who is alone has nobody to take turns with");

__device__ inline int warpgroup() { return of_warp(threadIdx.x) / kWarpgroup; }

// A warpgroup's way through the slabs of a unit, piece by piece. Sums that are under way at the same
// time are in different registers, each of them named where it is used: wgmma writes to registers
// that do not move. A slab is awaited, and its scales are brought, while products of the slab before it
// are under way: between the end of a piece and the beginning of the next one a warpgroup adds, and does
// nothing else.
//
// Rejected: products that are under way from one turn of the loop to the next. The compiler then
// serialises all (C7514), which it does not within a turn. Turns (IN_TURN) that are handed on when all
// but the last step of the products is done, not when all are ordered: 1 to 3 % slower than no turns.
template <int kPlace>
class ScaledProducts {
 public:
  __device__ ScaledProducts(const Stages& stages, const ScaleReader& reader, Turn& turn)
      : stages_(stages), reader_(reader), turn_(turn) {}

  // results = the scaled sums of kPartSlabs slabs from `slab` on.
  __device__ void add_up(float (&results)[kPieces][kSums], int slab) {
#pragma unroll
    for (int s = 0; s < kAhead; ++s) ahead_[s] = reader_.read(slab + s);
    begin_ = slab;
    end_ = slab + kPartSlabs;
    stage_ = receive(ahead_[0]);
    constexpr int kLeftOver = kPartSlabs % UNROLL;
    if constexpr (kLeftOver > 0) {
      add_slabs<kLeftOver>(results, slab);
      slab += kLeftOver;
    }
    // Of a loop that it knows to go round once the compiler makes none, and serialises the products.
    const int end = of_warp(end_);
#pragma unroll 1
    for (; slab < end; slab += UNROLL) add_slabs<UNROLL>(results, slab);
  }

 private:
  static constexpr int kAhead = 2;
  // Of a turn of kCount slabs, and of the slab behind it.
  template <int kCount>
  struct Slabs {
    int first;
    int stages[kCount + 1];
    Scales scales[kCount + kAhead];
    float sums[UNDER_WAY][kSums];
  };

  template <int kCount>
  __device__ void add_slabs(float (&results)[kPieces][kSums], int first) {
    Slabs<kCount> slabs;
    slabs.first = first;
    slabs.stages[0] = stage_;
#pragma unroll
    for (int s = 0; s < kAhead; ++s) slabs.scales[s] = ahead_[s];
    step<0>(slabs, results);
    stage_ = slabs.stages[kCount];
#pragma unroll
    for (int s = 0; s < kAhead; ++s) ahead_[s] = slabs.scales[kCount + s];
  }

  // Ends the piece that was begun UNDER_WAY steps before, and begins number kStep.
  template <int kStep, int kCount>
  __device__ void step(Slabs<kCount>& slabs, float (&results)[kPieces][kSums]) {
    constexpr int kAll = kCount * kPieces;
    constexpr int kEnding = kStep - UNDER_WAY;
    if constexpr (kEnding >= 0 && kEnding < kAll) {
      products_wait<(kStep < kAll ? kStep : kAll) - 1 - kEnding>();
      constexpr int kPiece = kEnding % kPieces;
      constexpr int kSlabEnding = kEnding / kPieces;
      if (kPiece == kPieces - 1) stages_.release(slabs.stages[kSlabEnding]);
      add_scaled(results[kPiece], slabs.sums[kEnding % UNDER_WAY], slabs.scales[kSlabEnding],
                 kPiece);
    }
    if constexpr (kStep < kAll) {
      constexpr int kSlabBegun = kStep / kPieces;
      if constexpr (kInTurn) await_turn(warpgroup());
      multiply_piece(slabs.sums[kStep % UNDER_WAY], stages_, slabs.stages[kSlabBegun],
                     kStep % kPieces);
      if constexpr (kInTurn) hand_turn_to((warpgroup() + 1) % kTeam);
      if (kStep == 0 && slabs.first == begin_) clear(results);
      if constexpr (kStep % kPieces == kPieces - 1) prepare_behind<kSlabBegun>(slabs);
    }
    if constexpr (kEnding + 1 < kAll) step<kStep + 1>(slabs, results);
  }

  // What the slab behind number kSlab of a turn needs, if there is one, and a part of what later ones do.
  template <int kSlab, int kCount>
  __device__ void prepare_behind(Slabs<kCount>& slabs) {
    const int slab = slabs.first + kSlab;
    slabs.scales[kSlab + kAhead] = reader_.read(slab + kAhead);
    if (kSlab + 1 < kCount || slab + 1 < end_) {
      slabs.stages[kSlab + 1] = receive(slabs.scales[kSlab + 1]);
    }
  }

  // While the unit's first products are under way.
  __device__ static void clear(float (&results)[kPieces][kSums]) {
#pragma unroll
    for (int p = 0; p < kPieces; ++p) {
#pragma unroll
      // By an instruction that stays in its branch.
      for (int i = 0; i < kSums; ++i) asm volatile("mov.f32 %0, 0f00000000;" : "=f"(results[p][i]));
    }
  }

  // The stage of the next slab, when that and its scales are there.
  __device__ int receive(Scales& scales) {
    const int stage = turn_.stage;
    stages_.await(turn_);
    reader_.complete(scales, stage);
    turn_.next();
    return stage;
  }

  // results += the scaled sums of piece p of a slab.
  __device__ void add_scaled(float (&results)[kSums], const float (&sums)[kSums],
                             const Scales& scales, int p) const {
    float factors[kColumnBlocks][2];
#pragma unroll
    for (int block = 0; block < kColumnBlocks; ++block) {
      factors[block][0] = scales.rows[p][0] * scales.columns[block];
      factors[block][1] = scales.rows[p][1] * scales.columns[block];
    }
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
      float those[2] = {factors[0][0], factors[0][1]};
#pragma unroll
      for (int block = 1; block < kColumnBlocks; ++block) {
        const int place = kPlace == kAnyPlace ? reader_.place() : kPlace;
        if ((place + group) * kGroup >= block * kBlock) {
          those[0] = factors[block][0];
          those[1] = factors[block][1];
        }
      }
#pragma unroll
      for (int i = 0; i < kGroup / 2; ++i) {
        const int at = group * kGroup / 2 + i;
        results[at] = fmaf(sums[at], those[i / 2 % 2], results[at]);
      }
    }
  }

  const Stages& stages_;
  const ScaleReader& reader_;
  Turn& turn_;
  int begin_, end_;       // of the unit's slabs
  int stage_;             // of the next slab
  Scales ahead_[kAhead];  // of the slabs that follow
};

// results = the scaled sums of a unit whose tile is at kPlace or behind it.
template <int kPlace>
__device__ inline void add_up_at(float (&results)[kPieces][kSums], int slab, const Stages& stages,
                                 const ScaleReader& reader, Turn& turn) {
  if constexpr (kPlace + 1 < kPlaces && kPlace != kAnyPlace) {
    if (of_warp(reader.place()) != kPlace) {
      return add_up_at<kPlace + 1>(results, slab, stages, reader, turn);
    }
  }
  ScaledProducts<kPlace>(stages, reader, turn).add_up(results, slab);
}

extern "C" __global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM)
    fp8_gemm(const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map,
             const __grid_constant__ TensorMap c_map, const float* __restrict__ a_scale,
             const float* __restrict__ b_scale, bfloat16* __restrict__ c,
             float* __restrict__ partials) {
  extern __shared__ __align__(1024) unsigned char slabs[];
  __shared__ __align__(16) float row_scales[kCopied ? STAGES : 1][BLOCK_M];
  const unsigned row_scales_address = of_warp(shared_address(row_scales));
  Output out(c, c_map, slabs + kRingBytes);
  if (kInTurn && warpgroup() == kTeam - 1) hand_turn_to(0);
  const auto multiply_scaled = [&](float(&results)[kPieces][kSums], const Unit& unit,
                                   const Stages& stages, Turn& turn) {
    const ScaleReader reader(a_scale, b_scale, row_scales_address, unit);
    add_up_at<PLACED == 1 ? 0 : kAnyPlace>(results, unit.part * kPartSlabs, stages, reader, turn);
  };
  const auto write = [&](const auto& results, const Unit& unit) {
    write_sums(results, unit, out, partials);
  };
  if constexpr (kCopied) {
    for_each_unit(a_map, b_map, slabs, multiply_scaled, write,
                  ScaleCopies{a_scale, row_scales_address});
  } else {
    for_each_unit(a_map, b_map, slabs, multiply_scaled, write);
  }
  out.finish();
}

#if SPLIT_K > 1
extern "C" __global__ void __launch_bounds__(kFinishThreads)
    fp8_gemm_finish(const float* __restrict__ partials, bfloat16* __restrict__ c) {
  add_parts(partials, [&](long long at, const float(&sums)[4]) {
    *reinterpret_cast<uint2*>(c + at) = make_uint2(rounded_pair<bfloat16>(sums[0], sums[1]),
                                                   rounded_pair<bfloat16>(sums[2], sums[3]));
  });
}
#endif
