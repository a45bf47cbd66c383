// Rotary position embedding (Su et al., 2021): each head's vector is turned pair by pair, by angles
// that depend on the token's position.
//
//   y[t][h][i] = x[t][h][i] * cosine[t][p] - x[t][h][j] * sine[t][p]
//   y[t][h][j] = x[t][h][j] * cosine[t][p] + x[t][h][i] * sine[t][p]
//
// for each pair p < DIM / 2 of elements i and j of a head. With INTERLEAVED, a size, 1 they are
// neighbours: 2 * p and 2 * p + 1; with 0 half a head apart: p and p + DIM / 2.
//
// x, y: TOKENS x HEADS x DIM of DTYPE; cosine, sine: TOKENS x DIM / 2 of float32. The kernel moves
// 2 * TOKENS * HEADS * DIM elements and the angles, which the heads of a token share.
//
// Parameters:
//
//   THREADS           threads of a block
//   VEC_BYTES         bytes of one access to x and y
//   HEADS_PER_THREAD  heads that a thread turns alike: more bytes under way, fewer loads of angles
//   BLOCKS_PER_SM     0: as many blocks as there is work; else this many on each multiprocessor,
//                     which take turns
//   LOAD_HINT, STORE_HINT   a CacheHint, of x and y
//   MIN_BLOCKS        blocks per multiprocessor that the compiler leaves registers for
#include "common/element.cuh"

constexpr bool kInterleaved = INTERLEAVED == 1;
constexpr CacheHint kLoadHint = CacheHint::LOAD_HINT;
constexpr CacheHint kStoreHint = CacheHint::STORE_HINT;
constexpr int kVector = VEC_BYTES / sizeof(DTYPE);
constexpr int kPairs = kInterleaved ? kVector / 2 : kVector;  // of a share of a head
constexpr int kShares = DIM / 2 / kPairs;                     // of a head
constexpr int kHeadGroups = HEADS / HEADS_PER_THREAD;
constexpr long long kWork = static_cast<long long>(TOKENS) * kHeadGroups * kShares;

static_assert(DIM % 2 == 0 && kPairs > 0 && DIM / 2 % kPairs == 0);
static_assert(HEADS % HEADS_PER_THREAD == 0);

using HeadVector = Vector<DTYPE, kVector>;

// Pairs of one head: a vector of neighbours, or two vectors half a head apart.
struct Share {
  HeadVector vectors[kInterleaved ? 1 : 2];

  __device__ void load(const DTYPE* from) {
    vectors[0] = HeadVector::load<kLoadHint>(from);
    if constexpr (!kInterleaved) vectors[1] = HeadVector::load<kLoadHint>(from + DIM / 2);
  }
  __device__ void store(DTYPE* to) const {
    vectors[0].store<kStoreHint>(to);
    if constexpr (!kInterleaved) vectors[1].store<kStoreHint>(to + DIM / 2);
  }
  __device__ void turn(const float (&cosines)[kPairs], const float (&sines)[kPairs]) {
    constexpr int kVectors = kInterleaved ? 1 : 2;
    float values[kVectors][kVector];
#pragma unroll
    for (int v = 0; v < kVectors; ++v) vectors[v].to_floats(values[v]);
#pragma unroll
    for (int p = 0; p < kPairs; ++p) {
      float& first = kInterleaved ? values[0][2 * p] : values[0][p];
      float& second = kInterleaved ? values[0][2 * p + 1] : values[kVectors - 1][p];
      const float turned = first * cosines[p] - second * sines[p];
      second = second * cosines[p] + first * sines[p];
      first = turned;
    }
#pragma unroll
    for (int v = 0; v < kVectors; ++v) vectors[v] = HeadVector::from_floats(values[v]);
  }
};

// By the widest accesses that there are: kPairs floats from a multiple of them on.
__device__ inline void load_angles(const float* from, float (&to)[kPairs]) {
  constexpr int kWidth = kPairs < 4 ? kPairs : 4;
#pragma unroll
  for (int i = 0; i < kPairs; i += kWidth) {
    reinterpret_cast<Vector<float, kWidth>&>(to[i]) =
        Vector<float, kWidth>::load<CacheHint::standard>(from + i);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    rope_forward(const DTYPE* __restrict__ x, const float* __restrict__ cosine,
                 const float* __restrict__ sine, DTYPE* __restrict__ y) {
  const long long stride = static_cast<long long>(gridDim.x) * THREADS;
  for (long long at = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x; at < kWork;
       at += stride) {
    const int share = static_cast<int>(at % kShares);
    const int group = static_cast<int>(at / kShares % kHeadGroups);
    const long long token = at / (kShares * kHeadGroups);
    const long long first =
        (token * HEADS + group) * DIM + share * (kInterleaved ? kVector : kPairs);
    Share shares[HEADS_PER_THREAD];
#pragma unroll
    for (int h = 0; h < HEADS_PER_THREAD; ++h) shares[h].load(x + first + h * kHeadGroups * DIM);
    alignas(16) float cosines[kPairs];
    alignas(16) float sines[kPairs];
    load_angles(cosine + token * (DIM / 2) + share * kPairs, cosines);
    load_angles(sine + token * (DIM / 2) + share * kPairs, sines);
#pragma unroll
    for (int h = 0; h < HEADS_PER_THREAD; ++h) {
      shares[h].turn(cosines, sines);
      shares[h].store(y + first + h * kHeadGroups * DIM);
    }
    if constexpr (BLOCKS_PER_SM == 0) break;
  }
}
