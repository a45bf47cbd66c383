// Attention in tiles of queries: which of them a block does, in which order. Parameters:
//
//   CLUSTER        1 or 2 blocks with neighbouring queries of a head, which go through its keys together
//   WORKS          `each`: a block for each tile of queries; `fixed`: as many blocks as run at once, which
//                  stay, and go through the tiles in turn; `taken`: such blocks, and each takes the next
//                  tile when it comes to it
//   HEADS_AT_ONCE  heads that neighbours in the order of work are of
//   GRID           of blocks that stay `full`: as many as fit; `even`: as few as go through all in as many
//                  rounds. Of the launch alone.
#pragma once

#include "common/warp_values.cuh"

enum class Order { each, fixed, taken };
constexpr bool kTaken = Order::WORKS == Order::taken;

constexpr int kRows = 64;  // queries of a warpgroup
constexpr int kBlockM = CONSUMERS * kRows;
constexpr int kWorkM = kBlockM * CLUSTER;
constexpr int kTilesM = (QUERIES + kWorkM - 1) / kWorkM;
constexpr int kHeads = BATCH * HEADS;
constexpr int kWorks = kTilesM * kHeads;

// What a cluster does at a time: kBlockM queries of a head for each block, from `query` on for this one,
// against so many tiles of keys.
struct Work {
  int head, query, tiles;
};
__device__ inline Work work_of(int index, int rank) {
  const int band = index / (HEADS_AT_ONCE * kTilesM), first = band * HEADS_AT_ONCE;
  const int inside = index - first * kTilesM;
  const int heads = min(HEADS_AT_ONCE, kHeads - first);
  const int m = inside / heads;
  const int query = (CAUSAL ? kTilesM - 1 - m : m) * kWorkM;  // the longest first
  const int seen = CAUSAL ? min(KEYS, query + kWorkM + KEYS - QUERIES) : KEYS;
  return {first + inside % heads, query + rank * kBlockM, max(1, (seen + BLOCK_N - 1) / BLOCK_N)};
}

// The numbers of the cluster's works, one after another; for a whole warp.
class Works {
 public:
  static constexpr int kNone = -1;

  // `taken`: how many all blocks together took behind their first ones; zero before and after.
  __device__ explicit Works(unsigned* taken) : taken_(taken) {}

  __device__ int next() {
    const int index = kTaken && round_ > 0 ? take() : in_turn();
    ++round_;
    return index < kWorks ? index : kNone;
  }

 private:
  // Where works differ in length it goes to and fro, so that each block has long and short ones.
  __device__ int in_turn() const {
    const int blocks = gridDim.x / CLUSTER, block = blockIdx.x / CLUSTER;
    const bool is_back = CAUSAL && round_ % 2 == 1;
    return round_ * blocks + (is_back ? blocks - 1 - block : block);
  }
  // Each block is refused once, so that as many are taken as there are works, and the last one is known.
  __device__ int take() const {
    unsigned before = 0;
    if (threadIdx.x % 32 == 0) {
      before = atomicAdd(taken_, 1u);
      if (before == kWorks - 1) *taken_ = 0;
    }
    return gridDim.x + of_warp(before);
  }

  unsigned* const taken_;
  int round_ = 0;
};
