// A few tokens times a matrix of 4-bit weights, as in decoding with a quantised language model:
//
//   y[m][n] = sum over k of x[m][k] * (q[n][k] - 8) * scale[k / GROUP][n]
//
// x: M x K of bfloat16, M <= 8; scale: K/GROUP x N of bfloat16; y: M x N of bfloat16; sums in
// float32. q holds the weights in words of eight, weight i in bits 4 * i and up, in the order in
// which they are used: tiles of 16 rows, in each tile chunks of 128 weights of k, and each chunk,
// 1 KiB, as
//
//   word[half][row][member][block] = weights of row 8 * half + row,
//                                    k = 32 * block + 8 * member and the seven that follow
//
// with half < 2, row < 8, member < 4, block < 4. Weights are read once, N * K / 2 bytes, and
// everything else is small: the kernel is as fast as memory is.
//
// The products run on the tensor cores (mma m16n8k16): 16 rows of weights times up to 8 tokens.
// Since weights and tokens are summed over k, k may be permuted as is convenient, alike for both: a
// word's nibbles i and i + 4 become one register of two bfloat16 with one AND and one OR, since
// 0x4300 | q is 128 + q. Subtracting 136 is exact.
//
// A block has one tile of rows; its warps take turns at the chunks and add up their sums at the
// end. Chunks come into registers, as 2 times 512 contiguous bytes, or by the bulk copy engine into
// stages of shared memory, which may hold far more bytes on their way than registers.
//
// Parameters:
//
//   WARPS       warps of a block
//   UNROLL      chunks of a turn: a warp issues their loads together, or has them in one stage
//   AHEAD       1: the next chunks are loaded before the present ones are worked on
//   STAGES      0: chunks are loaded into registers; more: stages of each warp in dynamic shared
//               memory, which are all ordered before the first is waited for
//   TOKENS      when x is loaded: `early`, with the weights or before they are waited for, or
//               `late`, at its use, which saves registers and finds x in L1 once another block has
//               brought it there
//   LOAD_HINT   a CacheHint for the weights; with STAGES one of those for L2
//   MIN_BLOCKS  blocks per multiprocessor that the compiler leaves registers for
#include "common/bulk_copy.cuh"
#include "common/element.cuh"

enum class Tokens { early, late };

constexpr bool kEarly = Tokens::TOKENS == Tokens::early;
constexpr int kWarpSize = 32;
constexpr int kTileRows = 16;
constexpr int kTokens = 8;   // columns of a tile of the result
constexpr int kChunk = 128;  // weights of a row
constexpr int kBlock = 32;   // of them that one word of each of 4 lanes holds
constexpr int kBlocks = kChunk / kBlock;
constexpr int kChunks = K / kChunk;
constexpr int kChunkWords = kTileRows * kChunk / 8;
constexpr int kTurns = kChunks / (WARPS * UNROLL);  // of a warp

static_assert(M <= kTokens && N % kTileRows == 0 && kChunks % (WARPS * UNROLL) == 0);
static_assert(GROUP == 32 || GROUP == 64 || GROUP % kChunk == 0);
static_assert(STAGES <= kTurns && !(STAGES > 0 && AHEAD));

// Two bfloat16 in a register.
__device__ inline unsigned bits_of(__nv_bfloat162 pair) {
  return reinterpret_cast<unsigned&>(pair);
}
__device__ inline __nv_bfloat162 pair_of(unsigned bits) {
  return reinterpret_cast<__nv_bfloat162&>(bits);
}

// Weights i and i + 4 of a word, less 8. Of (word & 0x000f000f) | 0x43004300 in C++ the compiler
// makes two instructions, one for each constant, which is a fifth of all there are.
__device__ inline unsigned weight_pair(unsigned word, int i) {
  unsigned biased;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;"
      : "=r"(biased)
      : "r"(word >> (4 * i)), "r"(0x000f000fu), "r"(0x43004300u));
  return bits_of(__hsub2(pair_of(biased), __float2bfloat162_rn(136.0f)));
}

// Values i and i + 4 of eight.
__device__ inline unsigned token_pair(const uint4& values, int i) {
  const unsigned low = i < 2 ? values.x : values.y;
  const unsigned high = i < 2 ? values.z : values.w;
  return __byte_perm(low, high, i % 2 == 0 ? 0x5410 : 0x7632);
}

__device__ inline void multiply_add(float (&sums)[4], const unsigned (&a)[4],
                                    const unsigned (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The 8 tokens' values that a lane needs for one block of a chunk.
__device__ inline uint4 load_tokens(const bfloat16* x, int chunk, int block) {
  const int group = threadIdx.x % kWarpSize / 4;
  const int k = chunk * kChunk + block * kBlock + 8 * (threadIdx.x % 4);
  return group < M ? __ldg(reinterpret_cast<const uint4*>(x + group * K + k)) : uint4{0, 0, 0, 0};
}

// The first word of a chunk of this block's tile.
__device__ inline const unsigned* words_of(const unsigned* q, int chunk) {
  return q + (static_cast<long long>(blockIdx.x) * kChunks + chunk) * kChunkWords;
}

// The scales of the tile's 16 rows in the group of weight k.
__device__ inline const bfloat16* scales_of(const bfloat16* scale, int k) {
  return scale + static_cast<long long>(k / GROUP) * N + blockIdx.x * kTileRows;
}

// What a lane needs for one chunk. In the terms of the mma fragments, lane = 4 * group + member;
// the lane has rows `group` and `group + 8` of the tile, token `group`.
struct Chunk {
  using Words = Vector<unsigned, kBlocks>;

  Words upper;                         // words of row `group`, one for each block
  Words lower;                         // of row `group + 8`
  uint4 tokens[kEarly ? kBlocks : 1];  // 8 bfloat16 each
  float scales[kBlocks][2];            // of both rows

  __device__ void load(const bfloat16* x, const unsigned* q, const bfloat16* scale, int chunk) {
    const unsigned* words = words_of(q, chunk) + threadIdx.x % kWarpSize * kBlocks;
    upper = Words::load<CacheHint::LOAD_HINT>(words);
    lower = Words::load<CacheHint::LOAD_HINT>(words + kBlocks * kWarpSize);
    const int group = threadIdx.x % kWarpSize / 4;
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
      const int k = chunk * kChunk + b * kBlock;
      if (kEarly) tokens[b] = load_tokens(x, chunk, b);
      const bfloat16* row = scales_of(scale, k);
      scales[b][0] = to_float(row[group]);
      scales[b][1] = to_float(row[group + 8]);
    }
  }

  __device__ void load_early_tokens(const bfloat16* x, int chunk) {
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
      if (kEarly) tokens[b] = load_tokens(x, chunk, b);
    }
  }

  // Of a stage: the words of one chunk, and 16 scales for each of its groups.
  __device__ void receive(const unsigned* words, const bfloat16* scale) {
    const int lane = threadIdx.x % kWarpSize;
    upper = Words::read_back(words + lane * kBlocks);
    lower = Words::read_back(words + (kWarpSize + lane) * kBlocks);
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
      const bfloat16* row = scale + b * kBlock / GROUP * kTileRows;
      scales[b][0] = to_float(row[lane / 4]);
      scales[b][1] = to_float(row[lane / 4 + 8]);
    }
  }
};

// Adds the products of one chunk, times their scales.
__device__ inline void add_chunk(const Chunk& chunk, const bfloat16* x, int index,
                                 float (&sums)[4]) {
  float products[4] = {};
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
    const uint4 values = kEarly ? chunk.tokens[kEarly ? b : 0] : load_tokens(x, index, b);
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      const unsigned weights[4] = {
          weight_pair(chunk.upper.elements[b], i), weight_pair(chunk.lower.elements[b], i),
          weight_pair(chunk.upper.elements[b], i + 1), weight_pair(chunk.lower.elements[b], i + 1)};
      const unsigned tokens[2] = {token_pair(values, i), token_pair(values, i + 1)};
      multiply_add(products, weights, tokens);
    }
    if ((b + 1) * kBlock % GROUP != 0 && b + 1 < kBlocks) continue;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sums[i] += products[i] * chunk.scales[b][i / 2];
      products[i] = 0;
    }
  }
}

// A warp's stages in shared memory: each holds UNROLL chunks that follow one another in q, and the
// scales of their groups, and has a barrier of its own. Lane 0 orders; no other warp takes part.
//
// Dynamic shared memory: the words of all warps, STAGES * UNROLL KiB each, then their scales.
class Ring {
 public:
  static constexpr int kRing = STAGES > 0 ? STAGES : 1;
  static constexpr int kStageWords = UNROLL * kChunkWords;
  static constexpr int kWarpWords = kRing * kStageWords;

  __device__ Ring(const unsigned* q, const bfloat16* scale) : q_(q), scale_(scale) {
    extern __shared__ __align__(128) unsigned char dynamic_shared[];
    __shared__ BulkBarrier barriers[WARPS * kRing];
    const int first = threadIdx.x / kWarpSize * kRing;
    all_words_ = reinterpret_cast<unsigned*>(dynamic_shared);
    auto* scales = reinterpret_cast<bfloat16*>(all_words_ + WARPS * kWarpWords);
    barriers_ = barriers + first;
    words_ = all_words_ + first * kStageWords;
    scales_ = scales + first * kStageScales;
  }

  // The chunk with which a turn of this warp begins.
  __device__ static int first_chunk(int turn) {
    return (turn * WARPS + static_cast<int>(threadIdx.x) / kWarpSize) * UNROLL;
  }

  // Orders the first turns into all stages.
  __device__ void fill() {
    if (threadIdx.x % kWarpSize == 0) {
#pragma unroll 1
      for (int stage = 0; stage < kRing; ++stage) {
        barriers_[stage].initialise();
        copy(stage, stage);
      }
    }
    __syncwarp();
  }

  // Orders `turn` into a stage, once all lanes have read what is there.
  __device__ void refill(int stage, int turn) {
    __syncwarp();
    if (threadIdx.x % kWarpSize == 0 && turn < kTurns) copy(stage, turn);
  }

  // Waits for a stage; each time that it is filled has the other parity, 0 first.
  __device__ void wait(int stage, unsigned parity) { barriers_[stage].wait(parity); }

  // After the last turn: the words of all warps, of which each may write over its own.
  using Used = float[WARPS][kWarpWords / kTileRows][kTileRows];
  __device__ Used& used() const { return *reinterpret_cast<Used*>(all_words_); }

  // Chunk u of a stage that has arrived.
  __device__ void receive(Chunk& chunk, int stage, int u) const {
    chunk.receive(words_ + stage * kStageWords + u * kChunkWords,
                  scales_ + stage * kStageScales + u * kChunkGroups * kTileRows);
  }

 private:
  static constexpr int kChunkGroups = GROUP < kChunk ? kChunk / GROUP : 1;
  static constexpr int kStageScales = UNROLL * kChunkGroups * kTileRows;
  static constexpr CacheHint kHint = STAGES > 0 ? CacheHint::LOAD_HINT : CacheHint::standard;

  __device__ void copy(int stage, int turn) {
    const int chunk = first_chunk(turn);
    BulkBarrier& barrier = barriers_[stage];
    bfloat16* scales = scales_ + stage * kStageScales;
    barrier.expect(kStageWords * sizeof(unsigned) + kStageScales * sizeof(bfloat16));
    barrier.copy<kHint>(words_ + stage * kStageWords, words_of(q_, chunk),
                        kStageWords * sizeof(unsigned));
    // Other tiles read the rest of these lines, so they are not to leave L2 first.
#pragma unroll 1
    for (int i = 0; i < UNROLL * kChunkGroups; ++i) {
      const int k = chunk * kChunk + i * (kChunk / kChunkGroups);
      barrier.copy<CacheHint::standard>(scales + i * kTileRows, scales_of(scale_, k),
                                        kTileRows * sizeof(bfloat16));
    }
  }

  const unsigned* q_;
  const bfloat16* scale_;
  BulkBarrier* barriers_;
  unsigned* all_words_;
  unsigned* words_;
  bfloat16* scales_;
};

// Adds up what the warps have and writes it. A lane's sums are of rows `group` and `group + 8`,
// tokens 2 * member and 2 * member + 1. `shared` has a place for [warp][token][row].
template <int kRows>
__device__ inline void store_sums(const float (&sums)[4], float (&shared)[WARPS][kRows][kTileRows],
                                  bfloat16* y) {
  static_assert(kRows >= kTokens);
  const int lane = threadIdx.x % kWarpSize;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    shared[threadIdx.x / kWarpSize][lane % 4 * 2 + i % 2][lane / 4 + i / 2 * 8] = sums[i];
  }
  __syncthreads();
  for (int at = threadIdx.x; at < M * kTileRows; at += WARPS * kWarpSize) {
    const int token = at / kTileRows;
    const int row = at % kTileRows;
    float sum = 0;
#pragma unroll
    for (int warp = 0; warp < WARPS; ++warp) sum += shared[warp][token][row];
    y[token * N + blockIdx.x * kTileRows + row] = from_float<bfloat16>(sum);
  }
}

// Each warp has the chunks UNROLL * WARPS apart, loaded into registers.
__device__ inline void multiply_loaded(const bfloat16* __restrict__ x,
                                       const unsigned* __restrict__ q,
                                       const bfloat16* __restrict__ scale,
                                       bfloat16* __restrict__ y) {
  constexpr int kBatch = UNROLL * WARPS;
  const int first = threadIdx.x / kWarpSize;
  const auto load = [&](Chunk(&chunks)[UNROLL], int chunk) {
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) chunks[u].load(x, q, scale, chunk + u * WARPS);
  };
  float sums[4] = {};
  Chunk present[UNROLL];
  load(present, first);
#pragma unroll 1
  for (int chunk = first; chunk < kChunks; chunk += kBatch) {
    Chunk next[UNROLL];
    if (AHEAD && chunk + kBatch < kChunks) load(next, chunk + kBatch);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) add_chunk(present[u], x, chunk + u * WARPS, sums);
    if (chunk + kBatch >= kChunks) break;
    if (!AHEAD) load(next, chunk + kBatch);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) present[u] = next[u];
  }
  __shared__ float shared[WARPS][kTokens][kTileRows];
  store_sums(sums, shared, y);
}

// A warp has UNROLL chunks that follow one another, then those UNROLL * WARPS further on.
__device__ inline void multiply_staged(const bfloat16* __restrict__ x,
                                       const unsigned* __restrict__ q,
                                       const bfloat16* __restrict__ scale,
                                       bfloat16* __restrict__ y) {
  Ring ring(q, scale);
  ring.fill();
  float sums[4] = {};
  int stage = 0;
  unsigned parity = 0;
#pragma unroll 1
  for (int turn = 0; turn < kTurns; ++turn) {
    const int chunk = Ring::first_chunk(turn);
    Chunk present[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) present[u].load_early_tokens(x, chunk + u);
    ring.wait(stage, parity);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      ring.receive(present[u], stage, u);
      add_chunk(present[u], x, chunk + u, sums);
    }
    ring.refill(stage, turn + STAGES);
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
  store_sums(sums, ring.used(), y);
}

extern "C" __global__ void __launch_bounds__(WARPS* kWarpSize, MIN_BLOCKS)
    int4_gemv(const bfloat16* __restrict__ x, const unsigned* __restrict__ q,
              const bfloat16* __restrict__ scale, bfloat16* __restrict__ y) {
  if constexpr (STAGES == 0) {
    multiply_loaded(x, q, scale, y);
  } else {
    multiply_staged(x, q, scale, y);
  }
}
