#pragma once

// The least of the toolkit's header of this name: storage and conversion, for libfakenvrtc.so.

namespace fake_gpu {

// Rounds to nearest, ties to even; NaN stays NaN.
inline unsigned short bfloat16_bits(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return 0x7fffU;
  return static_cast<unsigned short>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

inline float bfloat16_value(unsigned short half) {
  const unsigned bits = static_cast<unsigned>(half) << 16;
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace fake_gpu

struct __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  __nv_bfloat16(float value) : bits(fake_gpu::bfloat16_bits(value)) {}
  operator float() const { return fake_gpu::bfloat16_value(bits); }
};
using nv_bfloat16 = __nv_bfloat16;
inline __nv_bfloat16 __float2bfloat16(float value) { return value; }
inline __nv_bfloat16 __float2bfloat16_rn(float value) { return value; }
inline float __bfloat162float(__nv_bfloat16 value) { return value; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  __nv_bfloat16 value;
  value.bits = bits;
  return value;
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) { return value.bits; }

struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};
using nv_bfloat162 = __nv_bfloat162;
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
inline __nv_bfloat162 __float2bfloat162_rn(float both) { return {both, both}; }
inline __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {static_cast<float>(a.x) - static_cast<float>(b.x),
          static_cast<float>(a.y) - static_cast<float>(b.y)};
}
