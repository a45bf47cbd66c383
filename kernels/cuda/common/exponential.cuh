// Sums of exponentials without overflow: a maximum and a sum relative to it, which merge.
#pragma once

// 2^x in one instruction of the special function unit; relative error below 2^-22.
__device__ inline float power_of_two(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

constexpr float kLog2E = 1.4426950408889634f;
constexpr float kLn2 = 0.6931471805599453f;

__device__ inline float minus_infinity() { return __int_as_float(static_cast<int>(0xff800000)); }

// What exponents are relative to: exponents of two are values times `unit`. A share of minus
// infinities alone has no maximum to subtract.
__device__ inline float base_of(float maximum, float unit = kLog2E) {
  return maximum == minus_infinity() ? 0.0f : maximum * unit;
}

// sum of e^(value - maximum) over the values so far (Milakov and Gimelshein, 2018).
struct ExponentialSum {
  float maximum;
  float sum;
};

struct MergeExponentialSums {
  float unit = kLog2E;

  __device__ ExponentialSum operator()(const ExponentialSum& a, const ExponentialSum& b) const {
    const float maximum = fmaxf(a.maximum, b.maximum);
    const float base = base_of(maximum, unit);
    return {maximum, a.sum * power_of_two(a.maximum * unit - base) +
                         b.sum * power_of_two(b.maximum * unit - base)};
  }
};

// The logarithm of the sum of e^value over all values.
__device__ inline float log_of(const ExponentialSum& sum) {
  return sum.maximum + kLn2 * __log2f(sum.sum);
}
