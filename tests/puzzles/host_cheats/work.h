// y[i] depends on x[i] alone, by a loop that takes a few hundred nanoseconds.
inline float work(float x) {
  float y = x;
  for (int k = 0; k < 60; ++k) y = 0.25f * y * y - 0.5f * y + x;
  return y;
}
