// The softmax of a row in double, one block a row.
extern "C" __global__ void reference(const float* x, double* y) {
  __shared__ double shared[256];
  const float* in = x + (long long)blockIdx.x * columns;
  const auto joined = [&](double mine, bool is_sum) {
    __syncthreads();
    shared[threadIdx.x] = mine;
    for (int half = 128; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) {
        const double other = shared[threadIdx.x + half];
        shared[threadIdx.x] = is_sum ? shared[threadIdx.x] + other : fmax(shared[threadIdx.x], other);
      }
    }
    __syncthreads();
    return shared[0];
  };
  double largest = in[0];
  for (int c = threadIdx.x; c < columns; c += 256) largest = fmax(largest, (double)in[c]);
  largest = joined(largest, false);
  double sum = 0;
  for (int c = threadIdx.x; c < columns; c += 256) sum += exp(in[c] - largest);
  sum = joined(sum, true);
  for (int c = threadIdx.x; c < columns; c += 256) {
    y[(long long)blockIdx.x * columns + c] = exp(in[c] - largest) / sum;
  }
}
