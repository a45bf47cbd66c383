// SiLU, by which gated layers multiply: silu(v) = v / (1 + e^-v).
#pragma once

// Right to about 2^-21 of the result, by a fast exponential and division. The latter gives 0 for
// divisors above 2^126, and a NaN where it is infinite, which is left out here.
__device__ inline float silu(float value) {
  const float power = __expf(-value);
  return power > 1e37f ? 0.0f : __fdividef(value, 1.0f + power);
}
