// How rows are handed out: each block works on one tile of rows, or stays and walks over several
// while the next are on their way.
//
// Rejected, since rows of 65536 and 131072 columns became no faster by it: visiting the next tile
// before the present one is stored, so that no block of a cluster waits for the others.
#pragma once

#include "common/row_tiles.cuh"

// Tile is RegisterTile or RegisterPair, `from` what it loads from. With two stages the loads of the
// next tile are issued before the present one is worked on.
template <class Tile, class From, class Body>
__device__ void for_each_register_tile(const From& from, Body body) {
  const int first = blockIdx.x / CLUSTER;
  const int stride = gridDim.x / CLUSTER;
  Tile current;
  // Where rows are not aligned there may be more blocks than tiles.
  if (kAligned || first < kTiles) current.load(from, first);
  if constexpr (BLOCKS_PER_SM == 0) {
    body(current, first);
  } else if constexpr (STAGES == 1) {
    for (int tile = first; tile < kTiles; tile += stride) {
      if (tile != first) current.load(from, tile);
      body(current, tile);
    }
  } else {
    for (int tile = first; tile < kTiles; tile += stride) {
      Tile next;
      if (tile + stride < kTiles) next.load(from, tile + stride);
      body(current, tile);
      current = next;
    }
  }
}

// Tile is SharedTile or, of two matrices, SharedPair, and From what its edges are loaded from, those
// of the next tile before the present one is worked on.
// Dynamic shared memory: STAGES * kMatrices * kStageVectors * VEC_BYTES.
template <class Tile, class Reach = WholeRows, class From, int kMatrices, class Body>
__device__ void for_each_shared_tile(const From& from, const DTYPE* const (&matrices)[kMatrices],
                                     Body body) {
  const int first = blockIdx.x / CLUSTER;
  const int stride = gridDim.x / CLUSTER;
  __shared__ BulkBarrier barriers[STAGES];
  SharedRing<kMatrices, Reach> ring(dynamic_stages(), barriers);
  for (int s = 0; s < STAGES; ++s) {
    if (first + s * stride < kTiles) ring.request(s, first + s * stride, matrices);
  }
  int stage = 0;
  unsigned parity = 0;
  typename Tile::Edges edges;
  if (first < kTiles) edges.load(from, first);
  for (int tile = first; tile < kTiles; tile += stride) {
    const Tile held(ring.at(stage), edges, tile);
    if (BLOCKS_PER_SM > 0 && tile + stride < kTiles) edges.load(from, tile + stride);
    ring.receive(stage, parity);
    body(held, tile);
    if (BLOCKS_PER_SM == 0) break;
    __syncthreads();  // all have read the stage
    if (tile + STAGES * stride < kTiles) ring.request(stage, tile + STAGES * stride, matrices);
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
}

template <class Tile, class From, class Body>
__device__ void for_each_reread_tile(const From& from, Body body) {
  for (int tile = blockIdx.x / CLUSTER; tile < kTiles; tile += gridDim.x / CLUSTER) {
    body(Tile(from, tile), tile);
    if (BLOCKS_PER_SM == 0) break;
  }
}

// Calls body(tile, index) for each tile of this block's share. Every thread of the block takes
// part, also for rows beyond the last, whose values are arbitrary: body does not store them, nor
// adds them to what other rows have. The same holds beyond a row's Reach.
template <class Reach = WholeRows, class Body>
__device__ void for_each_tile(const DTYPE* x, Body body) {
  if constexpr (kResidence == Residence::registers) {
    for_each_register_tile<RegisterTileOf<Reach>>(x, body);
  } else if constexpr (kResidence == Residence::shared) {
    const DTYPE* const matrices[] = {x};
    for_each_shared_tile<SharedTile, Reach>(x, matrices, body);
  } else {
    for_each_reread_tile<RereadTileOf<Reach>>(x, body);
  }
}

// Reads both from memory.
struct RereadPair {
  __device__ RereadPair(const Matrices& from, int tile) : a(from.a, tile), b(from.b, tile) {}

  RereadTile a;
  RereadTile b;
};

// The same for two matrices in step: body(pair, index), with pair.a and pair.b as tiles.
template <class Body>
__device__ void for_each_pair(const Matrices& from, Body body) {
  if constexpr (kResidence == Residence::registers) {
    for_each_register_tile<RegisterPair>(from, body);
  } else if constexpr (kResidence == Residence::shared) {
    const DTYPE* const matrices[] = {from.a, from.b};
    for_each_shared_tile<SharedPair>(from, matrices, body);
  } else {
    for_each_reread_tile<RereadPair>(from, body);
  }
}
