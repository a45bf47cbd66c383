extern "C" __global__ void reference(const float* x, double* y) {
  const int row = blockIdx.x;
  for (int i = threadIdx.x; i < N; i += blockDim.x) y[row * N + i] = 2.0 * x[row * PITCH + i];
}
