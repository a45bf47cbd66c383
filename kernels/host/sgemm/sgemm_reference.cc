// What the answer should be, in double precision.

void sgemm_reference(const double* a, const double* b, double* c) {
  for (int i = 0; i < M * N; ++i) c[i] = 0;
  for (int i = 0; i < M; ++i) {
    for (int k = 0; k < K; ++k) {
      for (int j = 0; j < N; ++j) c[i * N + j] += a[i * K + k] * b[k * N + j];
    }
  }
}
