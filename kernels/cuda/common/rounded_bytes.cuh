// Whole numbers of a byte from floats by additions: of floats of the size of kMiddle the last place is 1,
// and the lowest byte is the number.
//
// Rejected: conversions. They take the slow unit for special functions, which gating keeps busy.
#pragma once

constexpr float kMiddle = 0x1.8p23f;
constexpr float kLargestFloat = 0x1.fffffep127f;  // factors are finite, so that zeros stay zeros

// The number nearest to value * by, of two the even one, where it is at most 2^22 in size.
__device__ inline unsigned rounded_byte(float value, float by) {
  return __float_as_uint(fmaf(value, by, kMiddle));
}

// The same plus `zero`, and the nearest of -128 to 127 where that is none of them.
__device__ inline unsigned clamped_byte(float value, float by, int zero) {
  const float middle = kMiddle - static_cast<float>(zero);
  return __float_as_uint(fminf(fmaxf(fmaf(value, by, kMiddle), middle - 128), middle + 127)) + zero;
}

// Of the lowest bytes.
__device__ inline unsigned short joined_bytes(unsigned low, unsigned high) {
  return static_cast<unsigned short>(__byte_perm(low, high, 0x40));
}
