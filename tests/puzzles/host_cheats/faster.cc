// Honest, and about twice as fast: elements are independent, and so computed side by side.
#include "work.h"

extern "C" void answer(const float* x, float* y) {
  for (int i = 0; i < N; i += 8) {
    float value[8];
    for (int j = 0; j < 8; ++j) value[j] = x[i + j];
    for (int k = 0; k < 60; ++k) {
      for (int j = 0; j < 8; ++j)
        value[j] = 0.25f * value[j] * value[j] - 0.5f * value[j] + x[i + j];
    }
    for (int j = 0; j < 8; ++j) y[i + j] = value[j];
  }
}
