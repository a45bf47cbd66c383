// Sums down the columns of a matrix, for references.
#pragma once

#include "common/reference.cuh"

// store(column, sum over r < rows of of_element(r, column)) for each column. Blocks are 32 x 32: a
// block has 32 columns, its threads take turns at the rows.
template <class OfElement, class Store>
__device__ void sum_columns(long long rows, long long columns, OfElement of_element, Store store) {
  __shared__ double sums[32][33];
  for (long long first = blockIdx.x * 32LL; first < columns; first += gridDim.x * 32LL) {
    const long long column = first + threadIdx.x;
    double sum = 0;
    if (column < columns) {
      for (long long r = threadIdx.y; r < rows; r += 32) sum += of_element(r, column);
    }
    __syncthreads();  // the sums of earlier columns have been read
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || column >= columns) continue;
    double total = 0;
    for (int part = 0; part < 32; ++part) total += sums[part][threadIdx.x];
    store(column, total);
  }
}
