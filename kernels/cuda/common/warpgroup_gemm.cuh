// Products of a matrix and a transposed one for Hopper GPUs:
//
//   sum[m][n] = sum over k of a[m][k] * b[n][k]
//
// a: M x K, b: N x K of Operand. One warpgroup orders tiles of a and b by the bulk copy engine, the
// others multiply them with wgmma. A ring of STAGES slabs lies between them, each with a barrier
// that says "full" and one that says "free". Blocks stay and walk over the tiles, so that the slabs
// of the next tile arrive while the sums of the last one are written. What becomes of the sums is
// the kernel's.
//
// Parameters, besides M, N, K and OPERAND, the type:
//
//   BLOCK_M, BLOCK_N  a tile, at most 256 x 256
//   CONSUMERS         warpgroups that multiply
//   SCHEDULE          `together`: they share a tile, each with a part of its rows; `alternate`:
//                     each has tiles of its own, and one multiplies while another writes. Either way a
//                     warpgroup has 64 or 128 rows of a tile.
//   SLAB_BYTES        64 or 128 bytes of k in a slab, which is also the width of the swizzle
//   STAGES            slabs in shared memory, of a and b each
//   CLUSTER           1 or 2 blocks, which bring each other half of what they share
//   SHARED            `b`: they have neighbouring m, and the same part of b; `a`: neighbouring n. The
//                     longer side of a tile is worth more: L2 delivers it once instead of twice.
//   L2_PROMOTION      bytes that L2 fetches at least for a copy, 0: what it asks for. Of the tensor
//                     maps alone.
//   GROUP_M           clusters of neighbouring m that follow one another in the order of tiles:
//                     they share their part of b in L2
//   SPLIT_K           parts of k, of as many slabs each, that different blocks have
//   BLOCKS_PER_SM     blocks on each multiprocessor
#pragma once

#include "common/cluster.cuh"
#include "common/element.cuh"
#include "common/tensor_copy.cuh"
#include "common/warpgroup_product.cuh"
#include "common/warpgroup_roles.cuh"

using Operand = OPERAND;
using Sum = SumOf<Operand>::Type;

enum class Schedule { together, alternate };
enum class Shared { a, b };

constexpr bool kAlternate = Schedule::SCHEDULE == Schedule::alternate;
constexpr int kTeams = kAlternate ? CONSUMERS : 1;                     // that take tiles in turn
constexpr int kTeam = CONSUMERS / kTeams;                              // warpgroups
constexpr int kSlab = SLAB_BYTES / static_cast<int>(sizeof(Operand));  // elements of k
constexpr int kSlabs = (K + kSlab - 1) / kSlab;
constexpr int kStepBytes = 32;           // of k in an instruction
constexpr int kStepM = 64;               // of an instruction
constexpr int kRows = BLOCK_M / kTeam;   // of a warpgroup
constexpr int kPieces = kRows / kStepM;  // instructions of a warpgroup, by rows
constexpr int kSums = BLOCK_N / 2;       // of a thread in one of them
// Rows of a that a slab has: where a itself has fewer than a tile, what lies behind them is left as it
// is, since rows of the result are of their own rows of a only. Rows that the copy engine fills with
// zeros would cost it as much as others.
constexpr int kRowsA = M < BLOCK_M ? (M + 15) / 16 * 16 : BLOCK_M;
constexpr int kBytesA = kRowsA * SLAB_BYTES;
constexpr int kBytesB = BLOCK_N * SLAB_BYTES;
constexpr int kStageBytes = kBytesA + kBytesB;
constexpr int kRingBytes = STAGES * kStageBytes + (BLOCK_M - kRowsA) * SLAB_BYTES;  // all are read
constexpr int kClusterM = Shared::SHARED == Shared::b ? CLUSTER : 1;  // blocks along m
constexpr int kClusterN = CLUSTER / kClusterM;
constexpr int kShareA = kRowsA / kClusterN;  // rows of a that one block brings
constexpr int kShareB = BLOCK_N / kClusterM;
constexpr int kTilesM = (M + BLOCK_M * kClusterM - 1) / (BLOCK_M * kClusterM);  // of a cluster
constexpr int kTilesN = (N + BLOCK_N * kClusterN - 1) / (BLOCK_N * kClusterN);
constexpr int kTiles = kTilesM * kTilesN;
constexpr int kUnits = kTiles * SPLIT_K;  // of work: a part of k of a tile
constexpr int kPartSlabs = kSlabs / SPLIT_K;
constexpr long long kResults = static_cast<long long>(M) * N;

static_assert(kRows % kStepM == 0);
static_assert(K * sizeof(Operand) % 16 == 0 && N % 8 == 0, "rows are multiples of 16 bytes");
static_assert(kShareA % 8 == 0 && kShareB % 8 == 0 && kShareA <= 256 && kShareB <= 256);
static_assert(kRowsA % kClusterN == 0);
static_assert(kSlabs % SPLIT_K == 0);
static_assert(L2_PROMOTION >= 0, "is of the tensor maps");

// The place of a block's part of its cluster's tile number `tile`, in elements: GROUP_M clusters go
// down m before n moves on.
struct Place {
  int m, n;
};
__device__ inline Place place_of(int tile, int rank) {
  constexpr int kLastHeight = kTilesM % GROUP_M;  // of a band that is no whole one
  const int band = tile / (GROUP_M * kTilesN);
  const int first = band * GROUP_M;
  const int inside = tile - band * GROUP_M * kTilesN;
  int across = inside / GROUP_M, down = inside % GROUP_M;
  if (kLastHeight > 0 && first + GROUP_M > kTilesM) {  // divided by a constant, too
    across = inside / max(kLastHeight, 1);
    down = inside % max(kLastHeight, 1);
  }
  down += first;
  return {(down * kClusterM + (kClusterM > 1 ? rank : 0)) * BLOCK_M,
          (across * kClusterN + (kClusterN > 1 ? rank : 0)) * BLOCK_N};
}

// All tiles' first parts come first, so that neighbours in time share slabs of a and b in L2.
__device__ inline int tile_of(int unit) { return SPLIT_K == 1 ? unit : unit % kTiles; }
__device__ inline int part_of(int unit) { return SPLIT_K == 1 ? 0 : unit / kTiles; }

// What teams hand on, so that their products follow one another. A team may also not wait for a
// slab of its own before those of others have been used: barriers know two phases apart, not more.
class Baton {
 public:
  __device__ explicit Baton(int team) : team_(team) {
    if (kTeams > 1 && team == kTeams - 1) hand_turn_to(0);
  }
  // Before the products of a unit.
  __device__ void take() const {
    if constexpr (kTeams > 1) await_turn(team_);
  }
  // When their slabs are there; `unit` is the next team's, if there is one.
  __device__ void hand_on(int unit) const {
    if (kTeams > 1 && unit < kUnits) hand_turn_to((team_ + 1) % kTeams);
  }

 private:
  int team_;
};

// A unit's place, the part of k, and the warpgroup's first row in the tile.
struct Unit {
  Place place;
  int part;
  int row;
};

// By addresses of shared memory. Made by whole warps.
class Ring {
 public:
  // `slabs` are aligned to 1024 bytes.
  __device__ Ring(unsigned char* slabs, const BulkBarrier* full, const BulkBarrier* free)
      : slabs_(of_warp(shared_address(slabs))), full_(full), free_(free) {}

  __device__ unsigned a(int stage) const { return slabs_ + stage * kStageBytes; }
  __device__ unsigned b(int stage) const { return a(stage) + kBytesA; }
  __device__ BarrierAt full(int stage) const { return full_[stage]; }
  __device__ BarrierAt free(int stage) const { return free_[stage]; }

 private:
  unsigned slabs_;
  Barriers full_, free_;
};

// What comes with a slab besides a and b: nothing.
struct NothingBeside {
  // Of a slab of the tile at this place.
  __device__ static int bytes(int /*slab*/, const Place&) { return 0; }
  // Orders them; they count for `full`.
  __device__ static void copy(int /*slab*/, const Place&, int /*stage*/, BarrierAt /*full*/) {}
};

// Orders rows of a slab from `row` on: all, or this block's share of them for all kBlocks that have
// the same ones.
template <int kBlocks>
__device__ inline void bring(unsigned to, const TensorMap& map, int column, int row, int share,
                             int rank, BarrierAt full) {
  if constexpr (kBlocks == 1) {
    copy_tile(to, map, column, row, full);
  } else {
    copy_tile_to_blocks(to + rank * share * SLAB_BYTES, map, column, row + rank * share, full,
                        (1 << kBlocks) - 1);
  }
}

// By one warp: all lanes go through the slabs together, so that all but the copies' order is computed
// once for the warp. A loop of one thread takes longer for a slab than tensor cores do.
template <class Beside>
__device__ inline void produce(const TensorMap& a_map, const TensorMap& b_map, const Ring& ring,
                               int rank, Beside beside) {
  const bool orders = is_elected();
  Turn turn;
  for (int unit = blockIdx.x / CLUSTER; unit < kUnits; unit += gridDim.x / CLUSTER) {
    const Place place = place_of(tile_of(unit), rank);
    const int first = part_of(unit) * kPartSlabs;
    for (int slab = first; slab < first + kPartSlabs; ++slab, turn.next()) {
      ring.free(turn.stage).wait(turn.parity ^ 1);
      if (!orders) continue;
      BarrierAt full = ring.full(turn.stage);
      full.expect(kStageBytes + beside.bytes(slab, place));
      beside.copy(slab, place, turn.stage, full);
      bring<kClusterN>(ring.a(turn.stage), a_map, slab * kSlab, place.m, kShareA, rank, full);
      bring<kClusterM>(ring.b(turn.stage), b_map, slab * kSlab, place.n, kShareB, rank, full);
    }
  }
  // No block leaves while another may still arrive at its barriers.
  if constexpr (CLUSTER > 1) {
    for (int stage = 0; stage < STAGES; ++stage, turn.next()) {
      ring.free(turn.stage).wait(turn.parity ^ 1);
    }
  }
}

// The ring as warpgroups that multiply use it.
class Stages {
 public:
  // `row` is the warpgroup's first in a tile.
  __device__ Stages(const Ring& ring, int row)
      : ring_(ring), a_(ring.a(0) + row * SLAB_BYTES), b_(ring.b(0)) {
    const unsigned free = ring.free(0).address();
    const int thread = threadIdx.x % kWarpgroup;
    free_ = kept(CLUSTER == 1 || thread >= CLUSTER ? free : address_in_block(free, thread));
  }

  // The warpgroup's rows of a, and b.
  __device__ TileDescriptor<SLAB_BYTES> a(int stage) const { return a_ + stage * kStageBytes; }
  __device__ TileDescriptor<SLAB_BYTES> b(int stage) const { return b_ + stage * kStageBytes; }

  __device__ void await(const Turn& turn) const { ring_.full(turn.stage).wait(turn.parity); }
  // One thread of each warpgroup tells every block that brings something into the stage.
  __device__ void release(int stage) const {
    if (threadIdx.x % kWarpgroup >= CLUSTER) return;
    BarrierAt free(free_ + stage * sizeof(BulkBarrier));
    if constexpr (CLUSTER == 1) {
      free.arrive();
    } else {
      free.arrive_in_cluster();
    }
  }

 private:
  Ring ring_;
  TileDescriptor<SLAB_BYTES> a_, b_;  // of stage 0
  unsigned free_;                     // of stage 0, in the block that this thread tells
};

constexpr int kSteps = SLAB_BYTES / kStepBytes;

// Orders sums += the slab's products; of the first slab the sums begin there.
__device__ inline void multiply_slab(Sum (&sums)[kPieces][kSums], const Stages& stages, int stage,
                                     bool is_first) {
  const auto a = stages.a(stage), b = stages.b(stage);
  products_begin();
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int p = 0; p < kPieces; ++p) {
      Product<Operand, BLOCK_N>::add(sums[p],
                                     (a + (p * kStepM * SLAB_BYTES + step * kStepBytes)).words(),
                                     (b + step * kStepBytes).words(), step == 0 && is_first);
    }
  }
  products_commit();
}

// Orders sums = the products of the slab's piece number p.
__device__ inline void multiply_piece(Sum (&sums)[kSums], const Stages& stages, int stage, int p) {
  const auto a = stages.a(stage) + p * kStepM * SLAB_BYTES, b = stages.b(stage);
  products_begin();
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    Product<Operand, BLOCK_N>::add(sums, (a + step * kStepBytes).words(),
                                   (b + step * kStepBytes).words(), step == 0);
  }
  products_commit();
}

// The sums over the slabs of a unit, in the order of k.
__device__ inline void multiply(Sum (&sums)[kPieces][kSums], const Unit&, const Stages& stages,
                                Turn& turn) {
  int last = -1;  // stage whose products may still be under way
#if SPLIT_K > 1
// A loop over few slabs would be unrolled, and the compiler then puts waits between the products.
#pragma unroll 1
#endif
  for (int slab = 0; slab < kPartSlabs; ++slab, turn.next()) {
    stages.await(turn);
    multiply_slab(sums, stages, turn.stage, slab == 0);
    products_wait<1>();
    if (last >= 0) stages.release(last);
    last = turn.stage;
  }
  products_wait<0>();
  stages.release(last);
}

// All barriers are there. initialise() has published them to the cluster: a release of everything else
// that was written costs a microsecond.
__device__ inline void start_together() {
  if constexpr (CLUSTER == 1) {
    __syncthreads();
  } else {
    cluster_arrive_relaxed();
    cluster_wait();
  }
}

// The whole of a kernel of kThreads threads. `slabs` are kRingBytes of shared memory, aligned to
// 1024. For each of its units a warpgroup calls multiply(sums, unit, stages, turn), which uses the
// unit's slabs, and then write(sums, unit). `beside` is like NothingBeside.
template <class Multiply, class Write, class Beside = NothingBeside>
__device__ inline void for_each_unit(const TensorMap& a_map, const TensorMap& b_map,
                                     unsigned char* slabs, Multiply multiply, Write write,
                                     Beside beside = {}) {
  __shared__ BulkBarrier full[STAGES];
  __shared__ BulkBarrier free[STAGES];
  const Ring ring(slabs, full, free);
  const int rank = CLUSTER == 1 ? 0 : of_warp(static_cast<int>(cluster_rank()));
  if (threadIdx.x == 0) {
    prefetch(a_map);
    prefetch(b_map);
    for (int s = 0; s < STAGES; ++s) {
      full[s].initialise();
      free[s].initialise(kTeam * CLUSTER);
    }
  }
  start_together();

  in_roles([&] { produce(a_map, b_map, ring, rank, beside); },
           [&](int warpgroup) {
             Turn turn;
             const int team = kAlternate ? warpgroup : 0;
             const int row = kAlternate ? 0 : warpgroup * kRows;
             const int stride = gridDim.x / CLUSTER;
             const Stages stages(ring, row);
             const Baton baton(team);
             turn.skip(team * kPartSlabs);
             for (int unit = blockIdx.x / CLUSTER + team * stride; unit < kUnits;
                  unit += kTeams * stride) {
               const Unit here = {place_of(tile_of(unit), rank), part_of(unit), row};
               Sum sums[kPieces][kSums];
               baton.take();
               multiply(sums, here, stages, turn);
               baton.hand_on(unit + stride);
               write(sums, here);
               turn.skip((kTeams - 1) * kPartSlabs);
             }
           });
}
