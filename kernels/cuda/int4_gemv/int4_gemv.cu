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
// end. A warp reads a chunk as 2 times 512 contiguous bytes.
//
// Parameters:
//
//   WARPS       warps of a block
//   UNROLL      chunks of a warp whose loads are issued together
//   AHEAD       1: the next chunks are loaded before the present ones are worked on
//   TOKENS      when x is loaded: `early`, with the weights, or `late`, at its use, which saves
//               registers and finds x in L1 once another block has brought it there
//   LOAD_HINT   a CacheHint for the weights
//   MIN_BLOCKS  blocks per multiprocessor that the compiler leaves registers for
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

static_assert(M <= kTokens && N % kTileRows == 0 && kChunks % (WARPS * UNROLL) == 0);
static_assert(GROUP == 32 || GROUP == 64 || GROUP % kChunk == 0);

// Two bfloat16 in a register.
__device__ inline unsigned bits_of(__nv_bfloat162 pair) {
  return reinterpret_cast<unsigned&>(pair);
}
__device__ inline __nv_bfloat162 pair_of(unsigned bits) {
  return reinterpret_cast<__nv_bfloat162&>(bits);
}

// Weights i and i + 4 of a word, less 8.
__device__ inline unsigned weight_pair(unsigned word, int i) {
  const unsigned biased = ((word >> (4 * i)) & 0x000f000fu) | 0x43004300u;
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

// What a lane needs for one chunk. In the terms of the mma fragments, lane = 4 * group + member;
// the lane has rows `group` and `group + 8` of the tile, token `group`.
struct Chunk {
  Vector<unsigned, kBlocks> upper;     // words of row `group`, one for each block
  Vector<unsigned, kBlocks> lower;     // of row `group + 8`
  uint4 tokens[kEarly ? kBlocks : 1];  // 8 bfloat16 each
  float scales[kBlocks][2];            // of both rows

  __device__ void load(const bfloat16* x, const unsigned* q, const bfloat16* scale, int chunk) {
    using Words = Vector<unsigned, kBlocks>;
    const unsigned* words = q +
                            (static_cast<long long>(blockIdx.x) * kChunks + chunk) * kChunkWords +
                            threadIdx.x % kWarpSize * kBlocks;
    upper = Words::load<CacheHint::LOAD_HINT>(words);
    lower = Words::load<CacheHint::LOAD_HINT>(words + kBlocks * kWarpSize);
    const int group = threadIdx.x % kWarpSize / 4;
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
      const int k = chunk * kChunk + b * kBlock;
      if (kEarly) tokens[b] = load_tokens(x, chunk, b);
      const bfloat16* row = scale + static_cast<long long>(k / GROUP) * N + blockIdx.x * kTileRows;
      scales[b][0] = to_float(row[group]);
      scales[b][1] = to_float(row[group + 8]);
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

// Adds up what the warps have and writes it. A lane's sums are of rows `group` and `group + 8`,
// tokens 2 * member and 2 * member + 1.
__device__ inline void store_sums(const float (&sums)[4], bfloat16* y) {
  __shared__ float shared[WARPS][kTokens][kTileRows];
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

extern "C" __global__ void __launch_bounds__(WARPS* kWarpSize, MIN_BLOCKS)
    int4_gemv(const bfloat16* __restrict__ x, const unsigned* __restrict__ q,
              const bfloat16* __restrict__ scale, bfloat16* __restrict__ y) {
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
  store_sums(sums, y);
}
