// Activations of bfloat16, M x K, quantised to int8 with one scale for all of them:
//
//   q[m][k] = clamp(round(x[m][k] / scale) + zero, -128, 127)
//
// Three kernels in a row: `histogram` counts the values of x, `calibrate` finds what range keeps
// PERCENTILE of them, and `quantise` quantises. Counts are integers, so everything is repeatable to
// the bit.
//
// Parameters:
//
//   PERCENTILE      of the values that the range holds; the others are clamped. 100 clamps nothing.
//   SCALING         `symmetric`: the range is of absolute values and zero is 0; `asymmetric`: as
//                   much may be cut off at either end
//   COUNT_THREADS   threads of a block of `histogram`
//   COUNT_BLOCKS    blocks of it on each multiprocessor
//   QUANTISE_THREADS  threads of a block of `quantise`
#pragma once

#include "common/element.cuh"
#include "common/rounded_bytes.cuh"

enum class Scaling { symmetric, asymmetric };
constexpr bool kSymmetric = Scaling::SCALING == Scaling::symmetric;

// A value's bin: its leading bits, in the order of the values. For absolute values the sign is
// left out.
constexpr int kBins = 4096;
constexpr int kLanes = 32;
constexpr int kValues = 8;  // of one load
constexpr long long kLoads = static_cast<long long>(M) * K / kValues;
using Values = Vector<bfloat16, kValues>;
static_assert(static_cast<long long>(M) * K % kValues == 0);

__device__ inline int bin_of(bfloat16 value) {
  const unsigned bits = __bfloat16_as_ushort(value);
  if (kSymmetric) return (bits & 0x7fffu) >> 3;
  return ((bits & 0x8000u) != 0 ? ~bits & 0xffffu : bits | 0x8000u) >> 4;
}

// The value at the outer end of a bin: nothing in the bin has a larger absolute value.
__device__ inline float end_of(int bin) {
  unsigned bits;
  if (kSymmetric) {
    bits = static_cast<unsigned>(bin) << 3 | 7u;
  } else if (bin >= kBins / 2) {
    bits = (static_cast<unsigned>(bin) << 4 | 15u) & 0x7fffu;
  } else {
    bits = ~(static_cast<unsigned>(bin) << 4) & 0xffffu;
  }
  return to_float(__ushort_as_bfloat16(static_cast<unsigned short>(bits)));
}

// counts: kBins, zero before the launch.
extern "C" __global__ void __launch_bounds__(COUNT_THREADS)
    histogram(const bfloat16* __restrict__ x, unsigned* counts) {
  __shared__ unsigned own[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += COUNT_THREADS) own[bin] = 0;
  __syncthreads();
  const long long stride = static_cast<long long>(gridDim.x) * COUNT_THREADS;
  for (long long at = static_cast<long long>(blockIdx.x) * COUNT_THREADS + threadIdx.x; at < kLoads;
       at += stride) {
    const Values values = Values::load<CacheHint::standard>(x + at * kValues);
#pragma unroll
    for (bfloat16 value : values.elements) atomicAdd(&own[bin_of(value)], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += COUNT_THREADS) {
    if (own[bin] != 0) atomicAdd(&counts[bin], own[bin]);
  }
}

struct Quantisation {
  float scale;
  int zero;
};

// For values between the two; of the absolute ones, or zero among them.
__device__ inline Quantisation quantisation_of(float low, float high) {
  low = fminf(low, 0.0f);
  high = fmaxf(high, 0.0f);
  const float scale = kSymmetric ? fmaxf(-low, high) / 127.0f : (high - low) / 255.0f;
  if (!(scale > 0)) return {1.0f, 0};  // all values are zero
  return {scale, kSymmetric ? 0 : static_cast<int>(rintf(-128.0f - low / scale))};
}

__device__ inline Vector<signed char, kValues> quantised(const Values& values,
                                                         const Quantisation& how) {
  const float by = fminf(1 / how.scale, kLargestFloat);
  float floats[kValues];
  values.to_floats(floats);
  Vector<signed char, kValues> result;
#pragma unroll
  for (int i = 0; i < kValues; i += 2) {
    reinterpret_cast<unsigned short*>(&result)[i / 2] = joined_bytes(
        clamped_byte(floats[i], by, how.zero), clamped_byte(floats[i + 1], by, how.zero));
  }
  return result;
}

// The first bin, counted from the lower end or the upper, up to which more than `cut` values lie.
// By one warp: lanes take neighbouring bins.
__device__ inline int bin_beyond(const unsigned* counts, double cut, bool from_above) {
  const int lane = threadIdx.x;
  double before = 0;
  for (int first = 0; first < kBins; first += kLanes) {
    const int bin = from_above ? kBins - 1 - first - lane : first + lane;
    unsigned up_to = counts[bin];
#pragma unroll
    for (int distance = 1; distance < kLanes; distance *= 2) {
      const unsigned other = __shfl_up_sync(0xffffffffu, up_to, distance);
      if (lane >= distance) up_to += other;
    }
    const unsigned found = __ballot_sync(0xffffffffu, before + up_to > cut);
    if (found != 0) return __shfl_sync(0xffffffffu, bin, __ffs(found) - 1);
    before += __shfl_sync(0xffffffffu, up_to, kLanes - 1);
  }
  return from_above ? 0 : kBins - 1;
}

// One warp. Clears the counts for the next launch.
extern "C" __global__ void calibrate(unsigned* counts, Quantisation* quantisation) {
  const double outside = static_cast<double>(M) * K * (1.0 - PERCENTILE / 100.0);
  const float low = kSymmetric ? 0.0f : end_of(bin_beyond(counts, outside / 2, false));
  const float high = end_of(bin_beyond(counts, kSymmetric ? outside : outside / 2, true));
  __syncwarp();
  for (int bin = threadIdx.x; bin < kBins; bin += kLanes) counts[bin] = 0;
  if (threadIdx.x == 0) *quantisation = quantisation_of(low, high);
}

extern "C" __global__ void __launch_bounds__(QUANTISE_THREADS)
    quantise(const bfloat16* __restrict__ x, const Quantisation* __restrict__ quantisation,
             signed char* __restrict__ q) {
  const long long at = static_cast<long long>(blockIdx.x) * QUANTISE_THREADS + threadIdx.x;
  if (at >= kLoads) return;
  quantised(Values::load<CacheHint::standard>(x + at * kValues), *quantisation)
      .store<CacheHint::standard>(q + at * kValues);
}
