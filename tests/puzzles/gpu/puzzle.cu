// y[i] = 2 * x[i], faster with larger blocks, by a kernel that can die in every way that a GPU has.
// Runs on the fake GPU as well, where each death is played with the code that the real one gives.
enum Death { none, illegal_address, misaligned_address, device_assert, trap, endless, wrong, no_memory };

#ifndef __FAKE_GPU__
extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*,
                                        unsigned long);
__device__ void die(Death death, float* y) {
  if (death == illegal_address) y[1ll << 44] = 1;
  if (death == misaligned_address) *(double*)((char*)y + 4) = 1;
  if (death == device_assert) __assertfail("alive", "puzzle.cu", 1, "die", 1);
  if (death == trap) __trap();
  if (death == endless) while (*(volatile float*)y != 12345.0f) {}
}
__device__ void work() {
  const long long start = clock64();
  while (clock64() - start < 3200000 / BLOCK) {}
}
#else
void die(Death death, float* y) {
  if (death == illegal_address) fake_fail(700);
  if (death == misaligned_address) fake_fail(716);
  if (death == device_assert) fake_fail(710);
  if (death == trap) __trap();
  if (death == endless) while (*(volatile float*)y != 12345.0f) {}
}
void work() { fake_spend_us(1600.0 / BLOCK); }
#endif

extern "C" __global__ void puzzle(const float* x, float* y, char* memory) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = (DEATH == wrong && i == 5 ? 3 : 2) * x[i];
  if (i == 0 && memory == nullptr) y[0] = 0;
  if (i == 3) die(DEATH, y);
  work();
}
