// Which slabs of which tiles a cluster of warpgroup_gemm.cuh multiplies, one share after another, and
// with STREAM_K what becomes of a tile that several clusters have a share of.
//
// Tiles that are left when every cluster has had as many as the others are then cut in as many pieces of
// k, one behind another, as there are clusters: each has at most the end of one tile and the beginning of
// the next (Osama et al., "Stream-K", 2023; its hybrid of whole tiles and one round that is cut). Sums of
// an end, or of a piece from the middle, go to the cluster that has the tile's beginning: that has it at
// last, when those of the others are about to be there, and adds them in the order of k, so that results
// are the same to the bit in every run.
#pragma once

#include "common/warpgroup_roles.cuh"
#include "common/warpgroup_tiles.cuh"

// Slabs of a tile, from number `first` on; of the unit with this number where it is none of those cut.
struct Share {
  int unit, tile, first, slabs;
};

__device__ inline int clusters() { return gridDim.x / CLUSTER; }
__device__ inline int own_cluster() { return blockIdx.x / CLUSTER; }

// How tiles are cut that are left when each cluster has had as many whole ones as the others. Clusters
// have pieces against the order of their numbers: who waits for others has a higher number than these,
// which have begun, since blocks begin in that order.
class Cut {
 public:
  __device__ Cut() : whole_(kTiles / clusters() * clusters()) {}

  __device__ int whole() const { return whole_; }  // tiles before
  // Places are counted in groups of SLABS_AT_ONCE through all that are cut.
  __device__ int begin_of(int cluster) const { return end_of(cluster + 1); }
  __device__ int end_of(int cluster) const {
    return (clusters() - cluster) * ((kTiles - whole_) * kGroupsOfTile) / clusters();
  }
  // From `at` on, and before `end`: a part of one tile.
  __device__ Share share(int at, int end) const {
    const int tile = at / kGroupsOfTile, first = at - tile * kGroupsOfTile;
    const int groups = min(end - at, kGroupsOfTile - first);
    return {kUnits, whole_ + tile, first * SLABS_AT_ONCE, groups * SLABS_AT_ONCE};
  }
  __device__ int begin_of_tile(int tile) const { return (tile - whole_) * kGroupsOfTile; }

  static constexpr int kGroupsOfTile = kSlabs / SLABS_AT_ONCE;

 private:
  int whole_;
};

// The shares of one of `teams` that take those of a cluster in turn.
class Shares {
 public:
  __device__ Shares(int team, int teams)
      : unit_(own_cluster() + team * clusters()), step_(teams * clusters()) {
    if constexpr (STREAM_K) {
      at_ = cut_.begin_of(own_cluster());
      end_ = cut_.end_of(own_cluster());
    }
  }

  // False where there is none left.
  __device__ bool next(Share& share) {
    if (unit_ < (STREAM_K ? cut_.whole() : kUnits)) {
      share = {unit_, tile_of(unit_), part_of(unit_) * kPartSlabs, kPartSlabs};
      unit_ += step_;
      return true;
    }
    if (!STREAM_K || at_ >= end_) return false;
    share = cut_.share(at_, end_);
    at_ += share.slabs / SLABS_AT_ONCE;
    return true;
  }

 private:
  Cut cut_;
  int unit_, step_;
  int at_, end_;  // of the cluster's place in what is cut
};

// Where warpgroups leave sums for others, kPieces * kSums of each thread, and say that they are there: 0
// before the first launch, and each launch leaves 0.
struct Handed {
  Sum* sums;
  unsigned* are_there;

  // Gives away what the warpgroup has of a tile that another cluster has begun.
  __device__ void give(const Sum (&own)[kPieces][kSums], int warpgroup) const {
    uint4* const to = slot_of(blockIdx.x, warpgroup);
    for_each_four([&](int p, int i, int at) {
      __stcg(to + at, *reinterpret_cast<const uint4*>(&own[p][i]));
    });
    gather_warpgroup(warpgroup);
    if (threadIdx.x % kWarpgroup > 0) return;
    __threadfence();
    *flag_of(blockIdx.x, warpgroup) = 1;
  }

  // Adds what other clusters have of a tile that this one has begun.
  __device__ void collect(Sum (&own)[kPieces][kSums], const Share& share, int warpgroup) const {
    const Cut cut;
    const int begin = cut.begin_of_tile(share.tile), end = begin + Cut::kGroupsOfTile;
    int at = begin + share.slabs / SLABS_AT_ONCE;
    for (int cluster = own_cluster() - 1; at < end; --cluster) {
      if (cut.end_of(cluster) == at) continue;  // has none
      add(own, cluster * CLUSTER + blockIdx.x % CLUSTER, warpgroup);
      at = cut.end_of(cluster);
    }
  }

 private:
  __device__ uint4* slot_of(int block, int warpgroup) const {
    return reinterpret_cast<uint4*>(sums) +
           (block * CONSUMERS + warpgroup) * (kPieces * kSums / 4 * kWarpgroup);
  }
  __device__ volatile unsigned* flag_of(int block, int warpgroup) const {
    return are_there + block * CONSUMERS + warpgroup;
  }
  // Neighbouring threads have neighbouring words.
  template <class Visit>
  __device__ static void for_each_four(Visit visit) {
#pragma unroll
    for (int p = 0; p < kPieces; ++p) {
#pragma unroll
      for (int i = 0; i < kSums; i += 4) {
        visit(p, i, (p * kSums + i) / 4 * kWarpgroup + threadIdx.x % kWarpgroup);
      }
    }
  }
  __device__ void add(Sum (&own)[kPieces][kSums], int block, int warpgroup) const {
    volatile unsigned* const flag = flag_of(block, warpgroup);
    if (threadIdx.x % kWarpgroup == 0) {
      while (*flag == 0) {
      }
      *flag = 0;
      __threadfence();
    }
    gather_warpgroup(warpgroup);
    const uint4* const from = slot_of(block, warpgroup);
    for_each_four([&](int p, int i, int at) {
      const uint4 words = __ldcg(from + at);
      const Sum* const those = reinterpret_cast<const Sum*>(&words);
#pragma unroll
      for (int j = 0; j < 4; ++j) own[p][i + j] += those[j];
    });
  }
};
