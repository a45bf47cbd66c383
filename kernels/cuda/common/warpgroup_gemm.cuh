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
// Parameters: those of common/warpgroup_tiles.cuh.
#pragma once

#include "common/warpgroup_ring.cuh"

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

constexpr int kSteps = SLAB_BYTES / kStepBytes;

// Orders sums += the slab's products, of the first kActive pieces; of the first slab the sums begin there.
template <int kActive>
__device__ inline void multiply_slab(Sum (&sums)[kPieces][kSums], const Stages& stages, int stage,
                                     bool is_first) {
  const auto a = stages.a(stage), b = stages.b(stage);
  products_begin();
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int p = 0; p < kActive; ++p) {
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

// The sums over the slabs of a unit, in the order of k, of the first kActive pieces.
template <int kActive>
__device__ inline void multiply_pieces(Sum (&sums)[kPieces][kSums], const Stages& stages,
                                       Turn& turn) {
  int last = -1;  // stage whose products may still be under way
#if SPLIT_K > 1
// A loop over few slabs would be unrolled, and the compiler then puts waits between the products.
#pragma unroll 1
#endif
  for (int slab = 0; slab < kPartSlabs; ++slab, turn.next()) {
    stages.await(turn);
    multiply_slab<kActive>(sums, stages, turn.stage, slab == 0);
    products_wait<1>();
    if (last >= 0) stages.release(last);
    last = turn.stage;
  }
  products_wait<0>();
  stages.release(last);
}

// Of pieces that have rows of a: nothing is multiplied for those behind it.
template <int kActive = kPieces>
__device__ inline void multiply(Sum (&sums)[kPieces][kSums], const Unit& unit, const Stages& stages,
                                Turn& turn) {
  if constexpr (kActive == 0) {
    stages.pass(turn);
  } else {
    if constexpr (kLeavesOut) {
      if (unit.place.m + unit.row + (kActive - 1) * kStepM >= M) {
        return multiply<kActive - 1>(sums, unit, stages, turn);
      }
    }
    multiply_pieces<kActive>(sums, stages, turn);
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
  start_together<CLUSTER>();

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
