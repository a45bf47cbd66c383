// Tiles of queries, keys and values in shared memory, and the warp that brings them, for attention by
// warpgroups (attention_forward.cu). Parameters besides those of attention_works.cuh and
// warpgroup_roles.cuh, where a stage is a tile of k or of v:
//
//   BLOCK_N        keys of a tile
#pragma once

#include "common/attention_works.cuh"
#include "common/tensor_copy.cuh"
#include "common/warpgroup_roles.cuh"

constexpr int kSlabs = (D + 63) / 64;  // of 64 columns, which is how wide a swizzled tile is
constexpr int kRowBytes = 128;
constexpr int kQuerySlab = kRows * kRowBytes, kQueryBytes = kSlabs * kQuerySlab;
constexpr int kTileSlab = BLOCK_N * kRowBytes, kTileBytes = kSlabs * kTileSlab;
constexpr int kShare = BLOCK_N / CLUSTER;  // rows of a tile that each block brings to all

static_assert(HEADS % KV_HEADS == 0, "heads share keys and values in groups of as many");
static_assert(kTileSlab % 1024 == 0, "swizzled tiles begin at multiples of 1024 bytes");
static_assert(CLUSTER == 1 || !kTaken, "who takes works takes them for itself alone");

// Shared memory of a block, by address. Of q each warpgroup has a tile of its own, and beside it the number
// of the work whose queries these are, or none, which ends it.
struct Tiles {
  unsigned queries, ring;
  int* works;
  Barriers full, free, queries_full, queries_free;
  int rank;  // of the block in its cluster

  __device__ unsigned query(int warpgroup) const { return queries + warpgroup * kQueryBytes; }
  __device__ unsigned stage(const Turn& turn) const { return ring + turn.stage * kTileBytes; }
  __device__ void await(const Turn& turn) const { full[turn.stage].wait(turn.parity); }
  // By a warpgroup, of which one thread for each block of the cluster tells it: all have waited for the same
  // products.
  __device__ void release(const Turn& turn) const {
    BarrierAt own = free[turn.stage];
    const unsigned thread = threadIdx.x % kWarpgroup;
    if constexpr (CLUSTER == 1) {
      if (thread == 0) own.arrive();
    } else if (thread < CLUSTER) {
      BarrierAt(address_in_block(own.address(), thread)).arrive_in_cluster();
    }
  }
};

// The warp that orders copies. All lanes go through the tiles together.
class Producer {
 public:
  __device__ Producer(const Tiles& tiles, const TensorMap& q, const TensorMap& k,
                      const TensorMap& v, unsigned* taken)
      : tiles_(tiles), q_(q), k_(k), v_(v), works_(taken), orders_(is_elected()) {}

  // Keys of a tile come before the values of the last one; queries, whose place is free later than a
  // stage, behind the first keys.
  __device__ void run() {
    int last = -1;
    for (int index = works_.next(); index != Works::kNone; index = works_.next()) {
      const Work work = work_of(index, tiles_.rank);
      const int layer = work.head / (HEADS / KV_HEADS);
      bring(k_, work.tiles - 1, layer);
      bring_queries(index, work);
      if (last >= 0) bring(v_, 0, last);
      for (int tile = work.tiles - 2; tile >= 0; --tile) {
        bring(k_, tile, layer);
        bring(v_, tile + 1, layer);
      }
      last = layer;
    }
    bring_queries(Works::kNone, {});
    bring(v_, 0, last);
    if constexpr (CLUSTER > 1) await_all_free(tiles_.free, turn_);
  }

 private:
  // `layer`: the head of k and v.
  __device__ void bring(const TensorMap& map, int tile, int layer) {
    tiles_.free[turn_.stage].wait(turn_.parity ^ 1);
    if (orders_) {
      copy<CLUSTER, kTileBytes>(tiles_.stage(turn_), map, tile * BLOCK_N, layer,
                                tiles_.full[turn_.stage]);
    }
    turn_.next();
  }
  __device__ void bring_queries(int index, const Work& work) {
    parity_ ^= 1;
    for (int c = 0; c < CONSUMERS; ++c) {
      tiles_.queries_free[c].wait(parity_);
      if (!orders_) continue;
      tiles_.works[c] = index;
      if (index == Works::kNone) {
        tiles_.queries_full[c].arrive();
      } else {
        copy<1, kQueryBytes>(tiles_.query(c), q_, work.query + c * kRows, work.head,
                             tiles_.queries_full[c]);
      }
    }
  }
  // A tile that kBlocks have the same of: each of them brings all of them its share.
  template <int kBlocks, int kBytes>
  __device__ void copy(unsigned to, const TensorMap& map, int row, int layer,
                       BarrierAt full) const {
    full.expect(kBytes);
    for (int slab = 0; slab < kSlabs; ++slab) {
      const unsigned at = to + slab * (kBytes / kSlabs);
      if constexpr (kBlocks == 1) {
        copy_tile(at, map, 64 * slab, row, layer, full);
      } else {
        const int own = tiles_.rank * kShare;
        copy_tile_to_blocks(at + own * kRowBytes, map, 64 * slab, row + own, layer, full,
                            (1 << kBlocks) - 1);
      }
    }
  }

  const Tiles& tiles_;
  const TensorMap &q_, &k_, &v_;
  Works works_;
  const bool orders_;
  Turn turn_;
  unsigned parity_ = 0;
};
