// What is right.

void transpose_reference(const double* in, long rows, long columns, double* out) {
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j) out[j * rows + i] = in[i * columns + j];
}
