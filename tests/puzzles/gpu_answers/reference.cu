extern "C" __global__ void answers(const float* x, const float* a, const float* weights,
                                   double* moments, double* products) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0, squares = 0, product = 0;
  for (int i = 0; i < COLUMNS; ++i) sum += x[row * COLUMNS + i];
  for (int i = 0; i < COLUMNS; ++i) {
    const double from_mean = x[row * COLUMNS + i] - sum / COLUMNS;
    squares += from_mean * from_mean;
  }
  for (int i = 0; i < TERMS; ++i) product += (double)a[row * TERMS + i] * weights[i];
  moments[2 * row] = sum;
  moments[2 * row + 1] = squares / COLUMNS;
  products[row] = product;
}
