// What LayerNorm reduces over a row, by VARIANCE, a parameter that common/layer_norm.cuh explains.
#pragma once

#include "common/row_shape.cuh"

enum class Variance { two_pass, merged, shifted };

constexpr bool kMerged = Variance::VARIANCE == Variance::merged;
constexpr bool kShifted = Variance::VARIANCE == Variance::shifted;
static_assert(!kShifted || kInBulk || kResidence == Residence::registers);

// `squares` is the sum of the squared deviations of `count` values from their mean.
struct Moments {
  float count;
  float mean;
  float squares;
};

struct MergeMoments {
  __device__ Moments operator()(const Moments& a, const Moments& b) const {
    const float count = a.count + b.count;
    const float share = count > 0 ? __fdividef(b.count, count) : 0.0f;
    const float distance = b.mean - a.mean;
    // Written alike for both orders of a and b, so that all threads of a row agree to the bit.
    const float mean = count > 0 ? __fdividef(a.count * a.mean + b.count * b.mean, count) : 0.0f;
    return {count, mean, a.squares + b.squares + distance * distance * (a.count * share)};
  }
};

// Of deviations from a value.
struct Deviations {
  float sum;
  float squares;

  __device__ Deviations operator+(const Deviations& other) const {
    return {sum + other.sum, squares + other.squares};
  }
};

template <Variance>
struct ReducedOf {
  using Type = float;
};
template <>
struct ReducedOf<Variance::merged> {
  using Type = Moments;
};
template <>
struct ReducedOf<Variance::shifted> {
  using Type = Deviations;
};
using Reduced = ReducedOf<Variance::VARIANCE>::Type;
