// What is tuned: one instance of the template in transpose.h. The sizes are arguments, so that all
// sizes have the same machine code.

#include "transpose.h"

template <int kTileRows, int kTileColumns, int kAlongOut, int kBlock>
void transpose(const float* in, long rows, long columns, float* out) {
  transpose_kernel::transpose<kTileRows, kTileColumns, kAlongOut != 0, kBlock>(in, rows, columns,
                                                                               out);
}
