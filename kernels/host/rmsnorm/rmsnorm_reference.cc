// What the answer should be, in double precision: the same arguments as the kernel's, every float
// a double. It is called once, so it is written to be read.

#include <cmath>

void rmsnorm_reference(const double* x, const double* weight, double epsilon, double* y) {
  for (int row = 0; row < ROWS; ++row) {
    double sum = 0;
    for (int c = 0; c < COLUMNS; ++c) sum += x[row * COLUMNS + c] * x[row * COLUMNS + c];
    const double scale = 1 / std::sqrt(sum / COLUMNS + epsilon);
    for (int c = 0; c < COLUMNS; ++c) {
      y[row * COLUMNS + c] = x[row * COLUMNS + c] * scale * weight[c];
    }
  }
}
