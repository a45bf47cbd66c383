// Element types, and vectors of elements as they travel between memory and registers.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "common/cached_access.cuh"

// The names that problem files use: -DDTYPE=bfloat16 makes DTYPE a type.
using bfloat16 = __nv_bfloat16;
using float16 = __half;
using float32 = float;

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(float16 value) { return __half2float(value); }
__device__ inline float to_float(bfloat16 value) { return __bfloat162float(value); }

// Rounds to nearest, ties to even.
template <class T>
__device__ inline T from_float(float value);
template <>
__device__ inline float from_float<float>(float value) {
  return value;
}
template <>
__device__ inline float16 from_float<float16>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ inline bfloat16 from_float<bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}

// Two roundings in one instruction. The compiler does not find the pairs by itself.
__device__ inline void round_pair(float low, float high, float (&to)[2]) {
  to[0] = low;
  to[1] = high;
}
__device__ inline void round_pair(float low, float high, float16 (&to)[2]) {
  const __half2 both = __floats2half2_rn(low, high);
  to[0] = both.x;
  to[1] = both.y;
}
__device__ inline void round_pair(float low, float high, bfloat16 (&to)[2]) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
  to[0] = both.x;
  to[1] = both.y;
}

// The floats of two elements, which are aligned as a vector of two.
template <class T>
__device__ inline void split_pair(const T* pair, float& low, float& high) {
  low = to_float(pair[0]);
  high = to_float(pair[1]);
}
// The upper half of a word is a float once the lower is masked out.
__device__ inline void split_pair(const bfloat16* pair, float& low, float& high) {
  const unsigned word = *reinterpret_cast<const unsigned*>(pair);
  low = __uint_as_float(word << 16);
  high = __uint_as_float(word & 0xffff0000u);
}

// Memory words by size in bytes: what one load or store instruction moves.
template <int kBytes>
struct WordOf;
template <>
struct WordOf<2> {
  using Type = unsigned short;
};
template <>
struct WordOf<4> {
  using Type = unsigned;
};
template <>
struct WordOf<8> {
  using Type = uint2;
};
template <>
struct WordOf<16> {
  using Type = uint4;
};

// The same where they wait in registers.
template <int kBytes>
struct HeldOf : WordOf<kBytes> {};
template <>
struct HeldOf<2> {
  using Type = unsigned;
};

// kCount elements that are loaded and stored by one instruction: 2, 4, 8 or 16 bytes.
template <class T, int kCount>
struct alignas(sizeof(T) * kCount) Vector {
  static constexpr int kBytes = sizeof(T) * kCount;
  using Word = typename WordOf<kBytes>::Type;

  T elements[kCount];

  // From pairs: the compiler takes two instructions for the upper element of a word.
  __device__ void to_floats(float (&values)[kCount]) const {
    if constexpr (kCount % 2 == 0) {
#pragma unroll
      for (int i = 0; i < kCount; i += 2) split_pair(elements + i, values[i], values[i + 1]);
    } else {
#pragma unroll
      for (int i = 0; i < kCount; ++i) values[i] = to_float(elements[i]);
    }
  }

  __device__ static Vector from_floats(const float (&values)[kCount]) {
    Vector vector;
    if constexpr (kCount % 2 == 0) {
#pragma unroll
      for (int i = 0; i < kCount; i += 2) {
        T pair[2];
        round_pair(values[i], values[i + 1], pair);
        vector.elements[i] = pair[0];
        vector.elements[i + 1] = pair[1];
      }
    } else {
#pragma unroll
      for (int i = 0; i < kCount; ++i) vector.elements[i] = from_float<T>(values[i]);
    }
    return vector;
  }

  __device__ static Vector zero() {
    Vector vector;
#pragma unroll
    for (int i = 0; i < kCount; ++i) vector.elements[i] = from_float<T>(0.0f);
    return vector;
  }

  // `from` is aligned to the vector and is not written while the kernel runs.
  template <CacheHint kHint>
  __device__ static Vector load(const T* from) {
    Vector vector;
    reinterpret_cast<Word&>(vector) = load_word<kHint>(reinterpret_cast<const Word*>(from));
    return vector;
  }

  // What waits in registers does so as whole registers: of vectors that are loaded under a condition, or go
  // from one turn of a loop to the next, the compiler makes registers of 16 bits, waits for them and puts
  // them together by several instructions each. Zeros where `from` is not to be read.
  using Held = typename HeldOf<kBytes>::Type;
  template <CacheHint kHint>
  __device__ static Held load_if(bool is_there, const T* from) {
    Held held = {};
    if (is_there) held = load_word<kHint>(reinterpret_cast<const Word*>(from));
    return held;
  }
  __device__ static Vector of(const Held& held) {
    Vector vector;
    reinterpret_cast<Word&>(vector) = static_cast<Word>(held);
    return vector;
  }

  // The same for memory that the kernel writes: no read-only cache.
  __device__ static Vector read_back(const T* from) {
    Vector vector;
    reinterpret_cast<Word&>(vector) = *reinterpret_cast<const Word*>(from);
    return vector;
  }

  // `to` is aligned to the vector.
  template <CacheHint kHint>
  __device__ void store(T* to) const {
    store_word<kHint>(reinterpret_cast<Word*>(to), reinterpret_cast<const Word&>(*this));
  }
};
