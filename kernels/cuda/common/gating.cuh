// SiLU, by which gated layers multiply: silu(v) = v / (1 + e^-v).
#pragma once

#include "common/exponential.cuh"

// Right to about 2^-21 of the result, in five instructions: an exponential that is infinite makes 0.
__device__ inline float silu(float value) {
  float share;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(share) : "f"(1.0f + power_of_two(-kLog2E * value)));
  return value * share;
}
