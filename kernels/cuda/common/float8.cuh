// Numbers of 8 bits with 4 of exponent and 3 of mantissa: no infinities, 448 is the largest.
// "FP8 Formats for Deep Learning" (Micikevicius et al., 2022), e4m3.
#pragma once

struct Float8 {
  unsigned char bits;
};

constexpr float kLargestFloat8 = 448;

// Rounds both to nearest, ties to even; what is too large becomes the largest. From sm_89 on.
__device__ inline unsigned short float8_pair(float low, float high) {
  unsigned short both;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(both) : "f"(high), "f"(low));
  return both;
}

__device__ inline float to_float(Float8 value) {
  const int exponent = value.bits >> 3 & 15;
  const int mantissa = value.bits & 7;
  const float size = exponent == 0 ? mantissa * 0x1p-9f
                                   : (8 + mantissa) * __int_as_float((exponent - 10 + 127) << 23);
  return (value.bits & 0x80) != 0 ? -size : size;
}
