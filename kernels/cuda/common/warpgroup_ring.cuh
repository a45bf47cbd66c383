// Slabs of a and b on their way from global memory to the tensor cores: a ring of them in shared
// memory, which one warp fills and warpgroups empty, of all blocks of a cluster.
#pragma once

#include "common/cluster.cuh"
#include "common/tensor_copy.cuh"
#include "common/warpgroup_tiles.cuh"

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
  __device__ const Barriers& all_free() const { return free_; }

 private:
  unsigned slabs_;
  Barriers full_, free_;
};

// What comes with a slab besides a and b: nothing.
struct NothingBeside {
  // Of each slab of the tile at this place.
  __device__ static int bytes(const Place&) { return 0; }
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
      full.expect(kStageBytes + beside.bytes(place));
      beside.copy(slab, place, turn.stage, full);
#pragma unroll
      for (int i = 0; i < kCopiesA; ++i) {
        constexpr int kRowsEach = kShareA / kCopiesA;
        bring<kClusterN>(ring.a(turn.stage) + i * kRowsEach * SLAB_BYTES, a_map, slab * kSlab,
                         place.m + i * kRowsEach, kShareA, rank, full);
      }
      bring<kClusterM>(ring.b(turn.stage), b_map, slab * kSlab, place.n, kShareB, rank, full);
    }
  }
  if constexpr (CLUSTER > 1) await_all_free(ring.all_free(), turn);
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
  // Leaves a unit's slabs to the other warpgroups.
  __device__ void pass(Turn& turn) const {
    const int own = of_warp(static_cast<int>(threadIdx.x / kWarpgroup));
    for (int slab = 0; slab < kPartSlabs; ++slab, turn.next()) {
      await(turn);
      gather_warpgroup(own);
      release(turn.stage);
    }
  }
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
