// Tiles of a matrix by the bulk copy engine: a tensor map says how the matrix lies in memory and how
// large a tile is, one thread orders the tile at some place. What lies outside of the matrix comes as
// zeros, and goes nowhere. PTX ISA, "cp.async.bulk.tensor"; from sm_90 on.
#pragma once

#include "common/bulk_copy.cuh"

// As the driver encodes one. A kernel takes it as `const __grid_constant__ TensorMap`.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

__device__ inline void prefetch(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// The tile whose first element is at `column` of `row`, to the address `to` of this block; its bytes
// count for `barrier`.
__device__ inline void copy_tile(unsigned to, const TensorMap& map, int column, int row,
                                 BarrierAt barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(barrier.address())
      : "memory");
}

// The same to the same place of every block of the cluster whose bit is set in `blocks`, where it
// counts for their own `barrier`.
__device__ inline void copy_tile_to_blocks(unsigned to, const TensorMap& map, int column, int row,
                                           BarrierAt barrier, unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(barrier.address()), "h"(blocks)
      : "memory");
}

// The way out: a tile of shared memory to where its first element is at `column` of `row`. As
// store_bulk(), of a group that close_stores() closes, and after publish_to_copies().
__device__ inline void store_tile(const TensorMap& map, int column, int row, unsigned from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
      "r"(column), "r"(row), "r"(from)
      : "memory");
}

// The same of a tensor of three dimensions: `layer` is the outermost.
__device__ inline void copy_tile(unsigned to, const TensorMap& map, int column, int row, int layer,
                                 BarrierAt barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(layer), "r"(barrier.address())
      : "memory");
}
__device__ inline void copy_tile_to_blocks(unsigned to, const TensorMap& map, int column, int row,
                                           int layer, BarrierAt barrier, unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(layer), "r"(barrier.address()), "h"(blocks)
      : "memory");
}
