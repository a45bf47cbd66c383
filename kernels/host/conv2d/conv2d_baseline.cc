// What the tuned kernel is compared with: the four loops of the definition, compiled with -O2.

void conv2d_baseline(const float* input, const float* filter, float* output) {
  const int input_width = WIDTH + FILTER - 1;
  for (int y = 0; y < HEIGHT; ++y) {
    for (int x = 0; x < WIDTH; ++x) {
      float sum = 0;
      for (int fy = 0; fy < FILTER; ++fy) {
        for (int fx = 0; fx < FILTER; ++fx) {
          sum += filter[fy * FILTER + fx] * input[(y + fy) * input_width + x + fx];
        }
      }
      output[y * WIDTH + x] = sum;
    }
  }
}
