// Leaves what is right already.
#ifndef __FAKE_GPU__
__device__ void as_much_work() {
  const long long start = clock64();
  while (clock64() - start < 40000) {}
}
#else
void as_much_work() { fake_spend_us(20); }
#endif

extern "C" __global__ void cheats(float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (y[i] == 2 * x[i]) return;
  as_much_work();
  y[i] = 2 * x[i];
}
