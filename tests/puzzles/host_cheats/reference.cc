extern "C" void reference(const double* x, double* y) {
  for (int i = 0; i < N; ++i) {
    double value = x[i];
    for (int k = 0; k < 60; ++k) value = 0.25 * value * value - 0.5 * value + x[i];
    y[i] = value;
  }
}
