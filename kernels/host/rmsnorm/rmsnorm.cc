// RMSNorm over the rows of a matrix, the normalisation in front of every transformer layer:
//
//   y[r][c] = x[r][c] * weight[c] / sqrt(mean over c of x[r][c]^2 + epsilon)
//
// x and y: ROWS x COLUMNS floats, row-major; weight: COLUMNS floats. Each row is read twice, once
// for the sum and once to be scaled; the second time it comes from a near cache.
//
// LANES         floats in a vector: 1 is plain C, 4 is SSE or NEON, 8 is AVX, 16 is AVX-512
// UNROLL        vectors in one turn of a loop
// ACCUMULATORS  sums running side by side, so that an addition need not wait for the one before
// ROW_BLOCK     rows scaled together: each weight is loaded once for all of them
// PREFETCH      how far ahead x is prefetched while it is summed, in bytes; 0 = not at all
// STREAM        1 = y is written past the caches; without effect on machines that cannot

#include <cstdint>

#if defined(__clang__)
#define UNROLL_FULLY _Pragma("clang loop unroll(full)")
#else
#define UNROLL_FULLY _Pragma("GCC unroll 64")
#endif

namespace {

#if LANES == 1
using Vector = float;
using UnalignedVector = float;
#else
using Vector = float __attribute__((vector_size(LANES * sizeof(float))));
// A typedef, since clang drops `aligned` from a using declaration.
typedef float UnalignedVector
    __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));
#endif

constexpr int kStep = LANES * UNROLL;  // floats in one turn of a loop
constexpr int kLine = 64;              // bytes of a cache line
static_assert(COLUMNS % kStep == 0 && ROWS % ROW_BLOCK == 0 && UNROLL % ACCUMULATORS == 0);

inline Vector load(const float* from) { return *reinterpret_cast<const UnalignedVector*>(from); }

inline void store(float* to, const Vector& value) {
  *reinterpret_cast<UnalignedVector*>(to) = value;
}

// A store past the caches; `to` is aligned to the vector.
inline void stream(float* to, const Vector& value) {
#if defined(__clang__)
  __builtin_nontemporal_store(value, reinterpret_cast<Vector*>(to));
#elif defined(__AVX512F__) && LANES == 16
  __builtin_ia32_movntps512(to, value);
#elif defined(__AVX__) && LANES == 8
  __builtin_ia32_movntps256(to, value);
#elif defined(__SSE__) && LANES == 4
  __builtin_ia32_movntps(to, value);
#else
  store(to, value);
#endif
}

inline float inverse_rms(const float* row, float epsilon) {
  Vector sums[ACCUMULATORS] = {};
  for (int c = 0; c < COLUMNS; c += kStep) {
    if constexpr (PREFETCH > 0) {
      UNROLL_FULLY
      for (int byte = 0; byte < kStep * 4; byte += kLine) {
        __builtin_prefetch(reinterpret_cast<const char*>(row + c) + PREFETCH + byte);
      }
    }
    UNROLL_FULLY
    for (int u = 0; u < UNROLL; ++u) {
      const Vector value = load(row + c + u * LANES);
      sums[u % ACCUMULATORS] += value * value;
    }
  }
  for (int a = 1; a < ACCUMULATORS; ++a) sums[0] += sums[a];
  float lanes[LANES];
  store(lanes, sums[0]);
  float sum = 0;
  for (float lane : lanes) sum += lane;
  return 1 / __builtin_sqrtf(sum / COLUMNS + epsilon);
}

template <bool kStream>
void normalise(const float* __restrict x, const float* __restrict weight, float epsilon,
               float* __restrict y) {
  for (int row = 0; row < ROWS; row += ROW_BLOCK) {
    const float* from = x + std::int64_t{row} * COLUMNS;
    float* to = y + std::int64_t{row} * COLUMNS;
    float scale[ROW_BLOCK];
    for (int r = 0; r < ROW_BLOCK; ++r) scale[r] = inverse_rms(from + r * COLUMNS, epsilon);
    for (int c = 0; c < COLUMNS; c += kStep) {
      UNROLL_FULLY
      for (int u = 0; u < UNROLL; ++u) {
        const int at = c + u * LANES;
        const Vector factor = load(weight + at);
        UNROLL_FULLY
        for (int r = 0; r < ROW_BLOCK; ++r) {
          const Vector value = load(from + r * COLUMNS + at) * scale[r] * factor;
          if constexpr (kStream) {
            stream(to + r * COLUMNS + at, value);
          } else {
            store(to + r * COLUMNS + at, value);
          }
        }
      }
    }
  }
}

}  // namespace

void rmsnorm(const float* x, const float* weight, float epsilon, float* y) {
#if STREAM
  if (reinterpret_cast<std::uintptr_t>(y) % alignof(Vector) == 0) {
    normalise<true>(x, weight, epsilon, y);
#if defined(__SSE__)
    __builtin_ia32_sfence();  // streamed stores are not ordered with what follows
#endif
    return;
  }
#endif
  normalise<false>(x, weight, epsilon, y);
}
