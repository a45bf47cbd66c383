#pragma once

#include "fake_hooks.h"
#include "fake_tile.h"

// CUDA C++ on the CPU, for libfakenvrtc.so, which includes this before every program.
//
// Threads of a program that never waits run one after the other, block by block; its __shared__
// variables exist once in a process. Threads of a program with barriers, warps, dynamic shared
// memory or inline PTX run together (fake_threads.h), a cluster of blocks after the other.
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

// __global__, __shared__ and asm are taken out by libfakenvrtc.so itself.
#define __device__
#define __host__
#define __constant__  // of the program, so that a module can be asked for it by its name
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
float ceilf(float) noexcept;
float rintf(float) noexcept;
float roundf(float) noexcept;
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
inline float __log2f(float x) { return log2f(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline int __float2int_rn(float x) { return static_cast<int>(__builtin_rintf(x)); }
template <class To, class From>
To fake_bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
inline float __int_as_float(int x) { return fake_bit_cast<float>(x); }
inline int __float_as_int(float x) { return fake_bit_cast<int>(x); }
inline float __uint_as_float(unsigned x) { return fake_bit_cast<float>(x); }
inline unsigned __float_as_uint(float x) { return fake_bit_cast<unsigned>(x); }
inline double __longlong_as_double(long long x) { return fake_bit_cast<double>(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
// Bytes of y:x, each chosen by four bits.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned choice) {
  const unsigned long long both = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned byte = choice >> (4 * i) & 7;
    result |= static_cast<unsigned>(both >> (8 * byte) & 0xff) << (8 * i);
  }
  return result;
}

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

#include "fake_threads.h"

template <class T>
T __ldg(const T* p) {
  return *p;
}
template <class T>
T __ldcs(const T* p) {
  return *p;
}
template <class T>
T __ldcg(const T* p) {
  return *p;
}
template <class T>
void __stcs(T* p, T value) {
  *p = value;
}
template <class T>
void __stcg(T* p, T value) {
  *p = value;
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
inline unsigned atomicInc(unsigned* p, unsigned last) {
  const unsigned old = *p;
  *p = old >= last ? 0 : old + 1;
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

// The same for threads that wait for each other.
template <class Run>
int run_together(Launch* launch, Run run) {
  set(gridDim, launch->grid);
  set(blockDim, launch->block);
  launch->spent_us = -1;
  said_time = false;
  struct Context {
    Launch* launch;
    Run* run;
  } context = {launch, &run};
  const auto thread = [](void* of) {
    const Context& one = *static_cast<Context*>(of);
    try {
      (*one.run)();
    } catch (const Fault& fault) {
      return fault.code;
    }
    if (said_time) one.launch->spent_us = max(one.launch->spent_us, thread_spent_us);
    return 0;
  };
  hooks = launch->hooks;
  return launch->run(launch, {&threadIdx.x, &blockIdx.x, &thread_spent_us, &static_bytes}, thread,
                     &context);
}

template <bool kTogether, class... Parameters, int... I>
int call(void (*kernel)(Parameters...), void** arguments, Launch* launch, Positions<I...>) {
  const auto run = [&] { kernel(*static_cast<Parameters*>(arguments[I])...); };
  if (kTogether) return run_together(launch, run);
  return for_all_threads(launch, run);
}
// What the functions that libfakenvrtc.so appends for each kernel do: run it, and tell the sizes of
// its parameters (a captured launch keeps copies of them).
template <bool kTogether, class... Parameters>
int call(void (*kernel)(Parameters...), void** arguments, Launch* launch) {
  return call<kTogether>(kernel, arguments, launch,
                         typename PositionsUpTo<sizeof...(Parameters)>::Type{});
}
template <class... Parameters>
int sizes(void (*)(Parameters...), unsigned long* bytes) {
  const unsigned long all[] = {sizeof(Parameters)..., 0};
  for (unsigned long i = 0; i < sizeof...(Parameters); ++i) bytes[i] = all[i];
  return sizeof...(Parameters);
}

}  // namespace fake_gpu
