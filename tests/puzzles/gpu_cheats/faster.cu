// Honest, and with less work than the baseline.
#ifndef __FAKE_GPU__
__device__ void less_work() {
  const long long start = clock64();
  while (clock64() - start < 20000) {}
}
#else
void less_work() { fake_spend_us(12); }
#endif

extern "C" __global__ void cheats(float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  less_work();
  y[i] = 2 * x[i];
}
