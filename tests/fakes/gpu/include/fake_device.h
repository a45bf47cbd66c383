#pragma once

#include "fake_tile.h"

// CUDA C++ on the CPU, for libfakenvrtc.so, which includes this before every program.
//
// Threads of a launch run one after the other, block by block, so a kernel whose threads do not
// wait for each other computes what it would on a GPU. There is no __syncthreads, no warp, no
// dynamic shared memory and no cluster: a kernel that uses them does not compile. __shared__
// variables exist once in a process.
//
// What only the fake has, for tests:
//   fake_spend_us(t)  the launch takes t microseconds of device time, instead of 1 us and 1 ns a
//                     thread; of several threads the one that spends most counts
//   fake_fail(code)   the launch breaks the context with this CUresult
//   extern "C" int fake_registers = 64;   what cuFuncGetAttribute says of all kernels of the
//   extern "C" int fake_local_bytes = 16; program; likewise fake_shared_bytes
//   fake_load_tile(map, to, x, y...)  what a bulk copy of a box by a tensor map brings to shared
//                     memory; and fake_tensor_of(map), the vector that the map is of
// Standard headers are not included: most of the time to compile would go into them.

// __global__ is taken out by libfakenvrtc.so itself, which looks for kernels by it.
#define __device__
#define __host__
#define __constant__  // of the program, so that a module can be asked for it by its name
#define __shared__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) alignas(bytes)
#define __grid_constant__
#define __launch_bounds__(...)

extern "C" {
float sqrtf(float) noexcept;
float expf(float) noexcept;
float exp2f(float) noexcept;
float logf(float) noexcept;
float log2f(float) noexcept;
float sinf(float) noexcept;
float cosf(float) noexcept;
float tanhf(float) noexcept;
float powf(float, float) noexcept;
float fabsf(float) noexcept;
float fmaxf(float, float) noexcept;
float fminf(float, float) noexcept;
float fmaf(float, float, float) noexcept;
float floorf(float) noexcept;
double sqrt(double) noexcept;
double exp(double) noexcept;
double log(double) noexcept;
double tanh(double) noexcept;
double fabs(double) noexcept;
double fmax(double, double) noexcept;
double fmin(double, double) noexcept;
double fma(double, double, double) noexcept;
double cos(double) noexcept;
double sin(double) noexcept;
double pow(double, double) noexcept;
double floor(double) noexcept;
double ceil(double) noexcept;
double rint(double) noexcept;
double nan(const char*) noexcept;
double ldexp(double, int) noexcept;
double frexp(double, int*) noexcept;
}
template <class T>
bool isnan(T x) {
  return __builtin_isnan(x);
}
template <class T>
bool isinf(T x) {
  return __builtin_isinf(x);
}
template <class T>
bool isfinite(T x) {
  return __builtin_isfinite(x);
}
template <class T>
bool signbit(T x) {
  return __builtin_signbit(x);
}
inline float rsqrtf(float x) { return 1.0F / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float __expf(float x) { return expf(x); }
inline float __fdividef(float x, float y) { return x / y; }

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
struct uint3 {
  unsigned x = 0, y = 0, z = 0;
};
#define FAKE_VECTOR(type, name)                                           \
  struct alignas(2 * sizeof(type)) name##2 {                              \
    type x, y;                                                            \
  };                                                                      \
  struct alignas(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16) name##4 { \
    type x, y, z, w;                                                      \
  };                                                                      \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }        \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
FAKE_VECTOR(float, float)
FAKE_VECTOR(int, int)
FAKE_VECTOR(unsigned, uint)
#undef FAKE_VECTOR

namespace fake_gpu {

struct Fault {
  int code;
};

// What libfakecuda.so hands to a kernel and gets back; known to it under the same name.
struct Launch {
  unsigned grid[3];
  unsigned block[3];
  double spent_us;  // < 0: the kernel did not say
};

static thread_local double thread_spent_us;
static thread_local bool said_time;  // in this launch

template <int... I>
struct Positions {};
template <int N, int... I>
struct PositionsUpTo : PositionsUpTo<N - 1, N - 1, I...> {};
template <int... I>
struct PositionsUpTo<0, I...> {
  using Type = Positions<I...>;
};

}  // namespace fake_gpu

static thread_local uint3 threadIdx, blockIdx;
static thread_local dim3 blockDim, gridDim;
constexpr int warpSize = 32;

[[noreturn]] inline void fake_fail(int code) { throw fake_gpu::Fault{code}; }
[[noreturn]] inline void __trap() { fake_fail(719); }
inline void fake_spend_us(double microseconds) {
  fake_gpu::thread_spent_us += microseconds;
  fake_gpu::said_time = true;
}

// `map` is whatever type of 128 bytes a kernel gives its tensor maps.
template <class Map>
const fake_gpu::Tile& fake_tile_of(const Map& map) {
  static_assert(sizeof(Map) == 128 && alignof(Map) == 64);
  const auto& tile = reinterpret_cast<const fake_gpu::Tile&>(map);
  if (tile.mark != fake_gpu::kTileMark) fake_fail(715);
  return tile;
}
template <class Map>
const void* fake_tensor_of(const Map& map) {
  return fake_tile_of(map).tensor;
}
template <class Map, class... Coordinates>
void fake_load_tile(const Map& map, void* to, Coordinates... coordinates) {
  const fake_gpu::Tile& tile = fake_tile_of(map);
  if (sizeof...(Coordinates) != tile.dimensions) fake_fail(715);
  const long long origin[] = {coordinates...};
  fake_gpu::load(tile, static_cast<unsigned char*>(to), origin);
}

template <class T>
T __ldg(const T* p) {
  return *p;
}
template <class T>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
T atomicAdd(T* p, T value) {
  const T old = *p;
  *p = old + value;
  return old;
}
template <class T>
T atomicMax(T* p, T value) {
  const T old = *p;
  if (old < value) *p = value;
  return old;
}
template <class T>
T atomicMin(T* p, T value) {
  const T old = *p;
  if (value < old) *p = value;
  return old;
}

namespace fake_gpu {

// Kernels may be C++11, in which a dim3 is no aggregate.
inline void set(dim3& to, const unsigned (&from)[3]) {
  to.x = from[0];
  to.y = from[1];
  to.z = from[2];
}

template <class Run>
int for_all_threads(Launch* launch, Run run) {
  set(gridDim, launch->grid);
  set(blockDim, launch->block);
  launch->spent_us = -1;
  said_time = false;
  try {
    for (blockIdx.z = 0; blockIdx.z < gridDim.z; ++blockIdx.z)
      for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y)
        for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x)
          for (threadIdx.z = 0; threadIdx.z < blockDim.z; ++threadIdx.z)
            for (threadIdx.y = 0; threadIdx.y < blockDim.y; ++threadIdx.y)
              for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) {
                thread_spent_us = 0;
                run();
                if (said_time) launch->spent_us = max(launch->spent_us, thread_spent_us);
              }
  } catch (const Fault& fault) {
    return fault.code;
  }
  return 0;
}

template <class... Parameters, int... I>
int call(void (*kernel)(Parameters...), void** arguments, Launch* launch, Positions<I...>) {
  return for_all_threads(launch, [&] { kernel(*static_cast<Parameters*>(arguments[I])...); });
}
// What the functions that libfakenvrtc.so appends for each kernel do: run it, and tell the sizes of
// its parameters (a captured launch keeps copies of them).
template <class... Parameters>
int call(void (*kernel)(Parameters...), void** arguments, Launch* launch) {
  return call(kernel, arguments, launch, typename PositionsUpTo<sizeof...(Parameters)>::Type{});
}
template <class... Parameters>
int sizes(void (*)(Parameters...), unsigned long* bytes) {
  const unsigned long all[] = {sizeof(Parameters)..., 0};
  for (unsigned long i = 0; i < sizeof...(Parameters); ++i) bytes[i] = all[i];
  return sizeof...(Parameters);
}

}  // namespace fake_gpu
