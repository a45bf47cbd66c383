// Sums and variances of short rows, side by side in one vector, and products with a vector of weights:
// in ways that are right but for their rounding, and in ways that are wrong by less than what is
// small may be off by beside what is large. Runs on the fake GPU as well.
enum Way {
  none, reordered, welford, one_pass, rounds_to_bfloat16, divides_by_n_minus_1, scales_variances,
  zeroes_variances, zeroes_small_products
};

#ifndef __FAKE_GPU__
__device__ void work() {
  const long long start = clock64();
  while (clock64() - start < 40000) {}
}
#else
void work() { fake_spend_us(20); }
#endif

__device__ float rounded(float x) {
  union { float number; unsigned bits; } both = {x};
  both.bits = (both.bits + 0x7fffu + (both.bits >> 16 & 1)) & 0xffff0000u;
  return both.number;
}

__device__ float sum_of(const float* x) {
  float sum = 0;
  for (int i = 0; i < COLUMNS; ++i) sum += x[WAY == reordered ? COLUMNS - 1 - i : i];
  return sum;
}

__device__ float variance_of(const float* x, float mean) {
  float squares = 0, moving = 0;
  for (int i = 0; i < COLUMNS; ++i) {
    const float from_mean = x[i] - (WAY == welford ? moving : mean);
    moving += from_mean / (i + 1);
    if (WAY == one_pass) squares += x[i] * x[i];
    else if (WAY == welford) squares += from_mean * (x[i] - moving);
    else squares += from_mean * from_mean;
  }
  if (WAY == zeroes_variances) return 0;
  if (WAY == one_pass) return squares / COLUMNS - mean * mean;
  if (WAY == scales_variances) squares *= 1.002f;
  return squares / (WAY == divides_by_n_minus_1 ? COLUMNS - 1 : COLUMNS);
}

__device__ float product_of(const float* a, const float* weights) {
  float sum = 0;
  for (int i = 0; i < TERMS; ++i) {
    const int at = WAY == reordered ? TERMS - 1 - i : i;
    sum += WAY == rounds_to_bfloat16 ? rounded(a[at]) * rounded(weights[at]) : a[at] * weights[at];
  }
  if (WAY == zeroes_small_products && sum < 0.05f && sum > -0.05f) return 0;
  return sum;
}

extern "C" __global__ void answers(const float* x, const float* a, const float* weights,
                                   float* moments, float* products) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (WAY == none) work();
  const float sum = sum_of(x + row * COLUMNS);
  moments[2 * row] = sum;
  moments[2 * row + 1] = variance_of(x + row * COLUMNS, sum / COLUMNS);
  products[row] = product_of(a + row * TERMS, weights);
}
