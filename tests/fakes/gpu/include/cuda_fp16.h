#pragma once

// The least of the toolkit's header of this name: storage and conversion, for libfakenvrtc.so.

namespace fake_gpu {

// Rounds to nearest, ties to even; NaN stays NaN.
inline unsigned short half_bits(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const unsigned sign = bits >> 16 & 0x8000U;
  const unsigned magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return static_cast<unsigned short>(sign | 0x7e00U);
  if (magnitude >= 0x477ff000U) return static_cast<unsigned short>(sign | 0x7c00U);
  if (magnitude < 0x38800000U) {  // subnormal: adding 0.5 lets the hardware round at 2^-24
    float shifted;
    __builtin_memcpy(&shifted, &magnitude, sizeof shifted);
    shifted += 0.5F;
    unsigned rounded;
    __builtin_memcpy(&rounded, &shifted, sizeof rounded);
    return static_cast<unsigned short>(sign | (rounded - 0x3f000000U));
  }
  const unsigned odd = magnitude >> 13 & 1U;
  return static_cast<unsigned short>(sign | ((magnitude - 0x38000000U + 0xfffU + odd) >> 13));
}

inline float half_value(unsigned short half) {
  const unsigned magnitude = half & 0x7fffU;
  float value;
  if (magnitude < 0x400U) {
    value = static_cast<float>(magnitude) * 0x1p-24F;
  } else {
    const unsigned exponent = magnitude >= 0x7c00U ? 0x70000000U : 0x38000000U;
    const unsigned bits = (magnitude << 13) + exponent;
    __builtin_memcpy(&value, &bits, sizeof value);
  }
  return (half & 0x8000U) != 0 ? -value : value;
}

}  // namespace fake_gpu

struct __half {
  unsigned short bits;
  __half() = default;
  __half(float value) : bits(fake_gpu::half_bits(value)) {}
  operator float() const { return fake_gpu::half_value(bits); }
};
using half = __half;
inline __half __float2half(float value) { return value; }
inline __half __float2half_rn(float value) { return value; }
inline float __half2float(__half value) { return value; }

struct alignas(4) __half2 {
  __half x, y;
};
using half2 = __half2;
inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
