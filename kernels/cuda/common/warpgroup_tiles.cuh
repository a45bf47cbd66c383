// The tiles of warpgroup_gemm.cuh: how large they are, in what parts they are worked on, and in what
// order.
//
// Parameters, besides M, N, K and OPERAND, the type:
//
//   BLOCK_M, BLOCK_N  a tile, at most 384 x 256
//   CONSUMERS         warpgroups that multiply
//   SCHEDULE          `together`: they share a tile, each with a part of its rows; `alternate`:
//                     each has tiles of its own, and one multiplies while another writes. Either way a
//                     warpgroup has 64, 128 or 192 rows of a tile.
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
//   GRID              `full`: as many blocks as fit; `even`: as few as go through the tiles in as many
//                     rounds, so that the last round is as full as the others. Of the launch alone.
//
// Rejected: 5 warpgroups with 64 rows each. At the start each thread has 80 registers, and instructions
// of 112 columns need 82. Tiles of few rows handed to another block in each round, to spread the work of
// 300 rows in tiles of 128 x 224: as slow as tiles of 64 rows.
// Tiles of the last round cut along k and shared by all clusters, with the round before it or without
// (Osama et al., "Stream-K", 2023): in none of 25 shapes the fastest, 0.1 to 50 % slower with all else
// equal. Handing sums over takes 3 us, and clusters that are at different k read a and b more often.
#pragma once

#include "common/element.cuh"
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
constexpr int kMostBoxRows = 256;  // that one copy brings
constexpr int kCopiesA = (kShareA + kMostBoxRows - 1) / kMostBoxRows;
constexpr int kTilesM = (M + BLOCK_M * kClusterM - 1) / (BLOCK_M * kClusterM);  // of a cluster
constexpr int kTilesN = (N + BLOCK_N * kClusterN - 1) / (BLOCK_N * kClusterN);
constexpr int kTiles = kTilesM * kTilesN;
// Whether pieces of the last tile of m that have no rows of a are left out. The branches that it takes
// cost 0.4 % where those are 3 % of all pieces. With parts of k the compiler then serialises products
// (C7514).
constexpr int kPiecesOfTiles = (M + BLOCK_M - 1) / BLOCK_M * (BLOCK_M / kStepM);  // along m
constexpr int kIdlePieces = kPiecesOfTiles - (M + kStepM - 1) / kStepM;
constexpr bool kLeavesOut = SPLIT_K == 1 && kIdlePieces * 16 >= kPiecesOfTiles;
constexpr int kUnits = kTiles * SPLIT_K;  // of work: a part of k of a tile
constexpr int kPartSlabs = kSlabs / SPLIT_K;
constexpr long long kResults = static_cast<long long>(M) * N;

static_assert(kRows % kStepM == 0);
static_assert(K * sizeof(Operand) % 16 == 0 && N % 8 == 0, "rows are multiples of 16 bytes");
static_assert(kShareA % (8 * kCopiesA) == 0 && kShareB % 8 == 0 && kShareB <= kMostBoxRows);
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

// A unit's place, the part of k, and the warpgroup's first row in the tile.
struct Unit {
  Place place;
  int part;
  int row;
};
