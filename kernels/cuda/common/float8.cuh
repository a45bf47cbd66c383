// Numbers of 8 bits with 4 of exponent and 3 of mantissa: no infinities, 448 is the largest.
// "FP8 Formats for Deep Learning" (Micikevicius et al., 2022), e4m3.
#pragma once

struct Float8 {
  unsigned char bits;
};

constexpr float kLargestFloat8 = 448;

// Rounds to nearest, ties to even; what is too large becomes the largest. For devices before sm_89,
// whose registers hold no such numbers.
__device__ inline unsigned rounded_float8(float value) {
  if (value != value) return 0x7f;
  constexpr float kSmallestNormal = 0x1p-6f;
  const unsigned sign = __float_as_uint(value) >> 24 & 0x80;
  const float size = fminf(fabsf(value), kLargestFloat8);
  // Below the normal numbers the steps are those of 2^-9: adding 2^14 of them rounds to one.
  if (size < kSmallestNormal) return sign | (__float_as_uint(size + 0x1p14f) & 15);
  const unsigned bits = __float_as_uint(size);
  const unsigned to_even = bits >> 20 & 1;
  return sign | ((bits + 0x7ffff + to_even) >> 20) - (120 << 3);
}

// Two at once, by one instruction from sm_89 on.
__device__ inline unsigned short float8_pair(float low, float high) {
#if __CUDA_ARCH__ >= 890
  unsigned short both;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(both) : "f"(high), "f"(low));
  return both;
#else
  return static_cast<unsigned short>(rounded_float8(high) << 8 | rounded_float8(low));
#endif
}

__device__ inline float to_float(Float8 value) {
  const int exponent = value.bits >> 3 & 15;
  const int mantissa = value.bits & 7;
  const float size = exponent == 0 ? mantissa * 0x1p-9f
                                   : (8 + mantissa) * __int_as_float((exponent - 10 + 127) << 23);
  return (value.bits & 0x80) != 0 ? -size : size;
}
