// The product of a matrix and a transposed one, as every linear layer computes it:
//
//   c[m][n] = sum over k of a[m][k] * b[n][k]
//
// a: M x K, b: N x K, c: M x N of bfloat16; sums in float32. 2 * M * N * K operations.
//
// For Hopper GPUs: one warpgroup orders tiles of a and b by the bulk copy engine, the others
// multiply them with wgmma. A ring of STAGES slabs lies between them, each with a barrier that says
// "full" and one that says "free". Blocks stay and walk over the tiles of c, so that the slabs of
// the next tile arrive while the sums of the last one are written.
//
// Where there are fewer tiles than multiprocessors, several blocks may share k of a tile: each
// writes its sums in float32 to `partials`, SPLIT_K x M x N, and a second kernel adds those in the
// order of k and rounds. The result is the same to the bit in every run.
//
// Parameters:
//
//   BLOCK_M, BLOCK_N  tile of a block, at most 256 x 256
//   CONSUMERS         warpgroups that multiply; each has BLOCK_M / CONSUMERS rows, 64 or 128
//   SLAB_BYTES        64 or 128 bytes of k in a slab, which is also the width of the swizzle
//   STAGES            slabs in shared memory
//   CLUSTER           1 or 2 blocks with neighbouring m, which bring each other half of b
//   GROUP_M           clusters of neighbouring m that follow one another in the order of tiles: they
//                     share their part of b in L2
//   SPLIT_K           parts of k, of as many slabs each, that different blocks have
//   BLOCKS_PER_SM     blocks on each multiprocessor
#include "common/cluster.cuh"
#include "common/element.cuh"
#include "common/tensor_copy.cuh"
#include "common/warpgroup_product.cuh"

constexpr int kWarpgroup = 128;  // threads
constexpr int kThreads = (CONSUMERS + 1) * kWarpgroup;
constexpr int kSlab = SLAB_BYTES / static_cast<int>(sizeof(bfloat16));  // elements of k
constexpr int kSlabs = (K + kSlab - 1) / kSlab;
constexpr int kStepK = 16;                              // of an instruction
constexpr int kStepM = 64;                              // of an instruction
constexpr int kPieces = BLOCK_M / CONSUMERS / kStepM;   // instructions of a warpgroup, by rows
constexpr int kSums = BLOCK_N / 2;                      // of a thread in one of them
constexpr int kBytesA = BLOCK_M * SLAB_BYTES;
constexpr int kBytesB = BLOCK_N * SLAB_BYTES;
constexpr int kShareB = BLOCK_N / CLUSTER;              // rows of b that one block brings
constexpr int kTilesM = (M + BLOCK_M * CLUSTER - 1) / (BLOCK_M * CLUSTER);  // of a cluster
constexpr int kTilesN = (N + BLOCK_N - 1) / BLOCK_N;
constexpr int kTiles = kTilesM * kTilesN;
constexpr int kUnits = kTiles * SPLIT_K;  // of work: a part of k of a tile
constexpr int kPartSlabs = kSlabs / SPLIT_K;
constexpr long long kResults = static_cast<long long>(M) * N;

static_assert(BLOCK_M % (CONSUMERS * kStepM) == 0);
static_assert(K % 8 == 0 && N % 8 == 0, "rows are multiples of 16 bytes");
static_assert(kShareB % 8 == 0 && BLOCK_M <= 256 && kShareB <= 256);
static_assert(kSlabs % SPLIT_K == 0);

// Registers that a warpgroup keeps: the one that copies needs few, the others hold sums.
constexpr bool kMovesRegisters = CONSUMERS * BLOCKS_PER_SM >= 2;
constexpr int kWarpgroups = (CONSUMERS + 1) * BLOCKS_PER_SM;  // of a multiprocessor
constexpr int kRegistersEach = 512 / kWarpgroups / 8 * 8;     // at the start, of each thread
constexpr int kProducerRegisters = 24;
constexpr int kConsumerRegisters =
    (kRegistersEach + (kRegistersEach - kProducerRegisters) / CONSUMERS) / 8 * 8 < 240
        ? (kRegistersEach + (kRegistersEach - kProducerRegisters) / CONSUMERS) / 8 * 8
        : 240;

template <int kRegisters>
__device__ inline void give_registers() {
  if constexpr (kMovesRegisters) asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ inline void take_registers() {
  if constexpr (kMovesRegisters) asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

// The place of a cluster's tile number `tile`, in elements: GROUP_M clusters go down m before n
// moves on.
struct Place {
  int m, n;
};
__device__ inline Place place_of(int tile, int rank) {
  const int band = tile / (GROUP_M * kTilesN);
  const int first = band * GROUP_M;
  const int height = min(GROUP_M, kTilesM - first);
  const int inside = tile - band * GROUP_M * kTilesN;
  const int down = first + inside % height;
  return {(down * CLUSTER + rank) * BLOCK_M, inside / height * BLOCK_N};
}

// All tiles' first parts come first, so that neighbours in time share slabs of a and b in L2.
__device__ inline int tile_of(int unit) { return SPLIT_K == 1 ? unit : unit % kTiles; }
__device__ inline int part_of(int unit) { return SPLIT_K == 1 ? 0 : unit / kTiles; }

// Where a warpgroup is in the ring: the stage, and how often it came round.
struct Turn {
  int stage = 0;
  unsigned parity = 0;
  __device__ void next() {
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
};

struct Ring {
  unsigned char* slabs;  // aligned to 1024 bytes
  BulkBarrier* full;
  BulkBarrier* free;

  __device__ unsigned char* a(int stage) const { return slabs + stage * (kBytesA + kBytesB); }
  __device__ unsigned char* b(int stage) const { return a(stage) + kBytesA; }
};

// By one thread.
__device__ inline void produce(const TensorMap& a_map, const TensorMap& b_map, const Ring& ring,
                               int rank) {
  Turn turn;
  for (int unit = blockIdx.x / CLUSTER; unit < kUnits; unit += gridDim.x / CLUSTER) {
    const Place place = place_of(tile_of(unit), rank);
    const int first_k = part_of(unit) * kPartSlabs * kSlab;
    for (int slab = 0; slab < kPartSlabs; ++slab, turn.next()) {
      ring.free[turn.stage].wait(turn.parity ^ 1);
      BulkBarrier& full = ring.full[turn.stage];
      full.expect(kBytesA + kBytesB);
      const int k = first_k + slab * kSlab;
      copy_tile(ring.a(turn.stage), a_map, k, place.m, full);
      if constexpr (CLUSTER == 1) {
        copy_tile(ring.b(turn.stage), b_map, k, place.n, full);
      } else {
        copy_tile_to_blocks(ring.b(turn.stage) + rank * kShareB * SLAB_BYTES, b_map, k,
                            place.n + rank * kShareB, full, (1 << CLUSTER) - 1);
      }
    }
  }
}

// One thread of each warpgroup tells every block that brings something into the stage.
__device__ inline void release(const Ring& ring, int stage) {
  if (threadIdx.x % kWarpgroup < CLUSTER) {
    ring.free[stage].arrive_in_block(threadIdx.x % kWarpgroup);
  }
}

__device__ inline void multiply(float (&sums)[kPieces][kSums], const Ring& ring, int row,
                                Turn& turn) {
#pragma unroll
  for (int p = 0; p < kPieces; ++p) {
#pragma unroll
    for (int i = 0; i < kSums; ++i) sums[p][i] = 0;
  }
  int last = -1;  // stage whose products may still be under way
#if SPLIT_K > 1
// A loop over few slabs would be unrolled, and the compiler then puts waits between the products.
#pragma unroll 1
#endif
  for (int slab = 0; slab < kPartSlabs; ++slab, turn.next()) {
    ring.full[turn.stage].wait(turn.parity);
    const unsigned long long a =
        tile_descriptor<SLAB_BYTES>(shared_address(ring.a(turn.stage)) + row * SLAB_BYTES);
    const unsigned long long b = tile_descriptor<SLAB_BYTES>(shared_address(ring.b(turn.stage)));
    products_begin();
#pragma unroll
    for (int k = 0; k < kSlab / kStepK; ++k) {
      constexpr int kStepUnits = kStepK * static_cast<int>(sizeof(bfloat16)) / 16;
#pragma unroll
      for (int p = 0; p < kPieces; ++p) {
        Product<BLOCK_N>::add(sums[p], a + k * kStepUnits + p * kStepM * SLAB_BYTES / 16,
                              b + k * kStepUnits);
      }
    }
    products_commit();
    products_wait<1>();
    if (last >= 0) release(ring, last);
    last = turn.stage;
  }
  products_wait<0>();
  release(ring, last);
}

// Four lanes with 4 words each exchange them: lane i gets word i of all, in the order of lanes.
__device__ inline void exchange(unsigned (&words)[4]) {
  const int lane = threadIdx.x % 4;
#pragma unroll
  for (int distance = 1; distance <= 2; distance *= 2) {
    const bool upper = (lane & distance) != 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if ((i & distance) != 0) continue;
      const unsigned received = __shfl_xor_sync(~0u, upper ? words[i] : words[i + distance], distance);
      (upper ? words[i] : words[i + distance]) = received;
    }
  }
}

__device__ inline unsigned rounded_pair(float low, float high) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const unsigned&>(both);
}

// Calls visit(m, p, half) for each row m of the result that this thread has sums of, in sums[p] at
// 2 * half and every 4 further on. `row` is the warpgroup's first.
template <class Visit>
__device__ inline void for_each_row_of_sums(int row, Visit visit) {
  const int warp = threadIdx.x % kWarpgroup / 32;
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int p = 0; p < kPieces; ++p) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      visit(row + p * kStepM + warp * 16 + half * 8 + lane / 4, p, half);
    }
  }
}

__device__ inline void write(const float (&sums)[kPieces][kSums], bfloat16* c, int row, int column) {
  const int lane = threadIdx.x % 32;
  for_each_row_of_sums(row, [&](int m, int p, int half) {
#pragma unroll
    for (int j = 0; j < BLOCK_N / 8; j += 4) {
      unsigned words[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int at = 4 * (j + i) + 2 * half;
        words[i] = rounded_pair(sums[p][at], sums[p][at + 1]);
      }
      exchange(words);
      const int n = column + 8 * (j + lane % 4);
      if (m < M && n < N) {
        *reinterpret_cast<uint4*>(c + static_cast<long long>(m) * N + n) =
            make_uint4(words[0], words[1], words[2], words[3]);
      }
    }
  });
}

// The same for the sums of a part of k, without rounding. Four lanes fill a sector of 32 bytes.
__device__ inline void write_part(const float (&sums)[kPieces][kSums], float* part, int row,
                                  int column) {
  const int first = column + threadIdx.x % 4 * 2;
  for_each_row_of_sums(row, [&](int m, int p, int half) {
    if (m >= M) return;
    auto* pairs = reinterpret_cast<float2*>(part + static_cast<long long>(m) * N + first);
#pragma unroll
    for (int j = 0; j < BLOCK_N / 8; ++j) {
      const int at = 4 * j + 2 * half;
      if (first + 8 * j < N) __stcg(pairs + 4 * j, make_float2(sums[p][at], sums[p][at + 1]));
    }
  });
}

__device__ inline void synchronise_all() {
  if constexpr (CLUSTER == 1) {
    __syncthreads();
  } else {
    cluster_arrive();
    cluster_wait();
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, BLOCKS_PER_SM)
    bf16_gemm_wgmma(const __grid_constant__ TensorMap a_map, const __grid_constant__ TensorMap b_map,
                    bfloat16* __restrict__ c, float* __restrict__ partials) {
  extern __shared__ __align__(1024) unsigned char slabs[];
  __shared__ BulkBarrier full[STAGES];
  __shared__ BulkBarrier free[STAGES];
  const Ring ring = {slabs, full, free};
  const int rank = CLUSTER == 1 ? 0 : static_cast<int>(cluster_rank());
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      full[s].initialise();
      free[s].initialise(CONSUMERS * CLUSTER);
    }
  }
  synchronise_all();

  const int warpgroup = threadIdx.x / kWarpgroup;
  if (warpgroup == CONSUMERS) {
    give_registers<kProducerRegisters>();
    if (threadIdx.x % kWarpgroup == 0) {
      prefetch(a_map);
      prefetch(b_map);
      produce(a_map, b_map, ring, rank);
    }
    __syncwarp();
  } else {
    take_registers<kConsumerRegisters>();
    Turn turn;
    const int row = warpgroup * (BLOCK_M / CONSUMERS);
    for (int unit = blockIdx.x / CLUSTER; unit < kUnits; unit += gridDim.x / CLUSTER) {
      const Place place = place_of(tile_of(unit), rank);
      float sums[kPieces][kSums];
      multiply(sums, ring, row, turn);
      if constexpr (SPLIT_K == 1) {
        write(sums, c, place.m + row, place.n);
      } else {
        write_part(sums, partials + part_of(unit) * kResults, place.m + row, place.n);
      }
    }
  }
  // No block leaves while another may still copy into it or arrive at its barriers.
  if constexpr (CLUSTER > 1) synchronise_all();
}

#if SPLIT_K > 1
constexpr int kFinishThreads = 128;  // 4 results each

extern "C" __global__ void __launch_bounds__(kFinishThreads)
    bf16_gemm_wgmma_finish(const float* __restrict__ partials, bfloat16* __restrict__ c) {
  const long long at = 4 * (static_cast<long long>(blockIdx.x) * kFinishThreads + threadIdx.x);
  if (at >= kResults) return;
  float4 parts[SPLIT_K];
#pragma unroll
  for (int i = 0; i < SPLIT_K; ++i) {
    parts[i] = __ldcs(reinterpret_cast<const float4*>(partials + i * kResults + at));
  }
  float4 sum = parts[0];
#pragma unroll
  for (int i = 1; i < SPLIT_K; ++i) {
    sum.x += parts[i].x;
    sum.y += parts[i].y;
    sum.z += parts[i].z;
    sum.w += parts[i].w;
  }
  *reinterpret_cast<uint2*>(c + at) =
      make_uint2(rounded_pair(sum.x, sum.y), rounded_pair(sum.z, sum.w));
}
#endif
