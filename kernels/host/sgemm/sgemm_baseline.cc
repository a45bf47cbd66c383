// What the tuned kernel is compared with: three plain loops in the order that reads B and C along
// their rows, compiled with -O2.

void sgemm_baseline(const float* __restrict a, const float* __restrict b, float* __restrict c) {
  for (int i = 0; i < M * N; ++i) c[i] = 0;
  for (int i = 0; i < M; ++i) {
    for (int k = 0; k < K; ++k) {
      const float a_ik = a[i * K + k];
      for (int j = 0; j < N; ++j) c[i * N + j] += a_ik * b[k * N + j];
    }
  }
}
