// Transposes a matrix of any size, tile by tile: the kernel that is tuned, and that a program calls
// with the template arguments that a table names for its sizes.
//
// TILE_ROWS, TILE_COLUMNS  of a tile of `in`; what does not fill one is done as a smaller one
// ALONG_OUT                1 = the inner loop goes along a row of `out`, 0 = along a row of `in`
// BLOCK                    B > 1 = B x B elements are moved by way of registers
#pragma once

namespace transpose_kernel {

template <int kBlock>
inline void move_block(const float* in, long rows, long columns, float* out) {
  float held[kBlock][kBlock];
#pragma GCC unroll 16
  for (int i = 0; i < kBlock; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < kBlock; ++j) held[j][i] = in[i * columns + j];
  }
#pragma GCC unroll 16
  for (int j = 0; j < kBlock; ++j) {
#pragma GCC unroll 16
    for (int i = 0; i < kBlock; ++i) out[j * rows + i] = held[j][i];
  }
}

// Elements [i, i_end) x [j, j_end) one by one.
template <bool kAlongOut>
inline void move_each(const float* in, long rows, long columns, float* out, long i, long i_end,
                      long j, long j_end) {
  if constexpr (kAlongOut) {
    for (long c = j; c < j_end; ++c)
      for (long r = i; r < i_end; ++r) out[c * rows + r] = in[r * columns + c];
  } else {
    for (long r = i; r < i_end; ++r)
      for (long c = j; c < j_end; ++c) out[c * rows + r] = in[r * columns + c];
  }
}

template <int kTileRows, int kTileColumns, bool kAlongOut, int kBlock>
void transpose(const float* in, long rows, long columns, float* out) {
  for (long i = 0; i < rows; i += kTileRows) {
    const long i_end = i + kTileRows < rows ? i + kTileRows : rows;
    for (long j = 0; j < columns; j += kTileColumns) {
      const long j_end = j + kTileColumns < columns ? j + kTileColumns : columns;
      if constexpr (kBlock == 1) {
        move_each<kAlongOut>(in, rows, columns, out, i, i_end, j, j_end);
      } else {
        const long whole_i = i + (i_end - i) / kBlock * kBlock;
        const long whole_j = j + (j_end - j) / kBlock * kBlock;
        for (long r = i; r < whole_i; r += kBlock)
          for (long c = j; c < whole_j; c += kBlock)
            move_block<kBlock>(in + r * columns + c, rows, columns, out + c * rows + r);
        move_each<kAlongOut>(in, rows, columns, out, whole_i, i_end, j, j_end);
        move_each<kAlongOut>(in, rows, columns, out, i, whole_i, whole_j, j_end);
      }
    }
  }
}

}  // namespace transpose_kernel
