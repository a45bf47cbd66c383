// wgmma: the tensor cores of Hopper GPUs multiply tiles straight from shared memory, ordered by a
// warpgroup of 128 threads. PTX ISA, "wgmma.mma_async" and "Matrix Descriptor"; sm_90a alone.
#pragma once

#if __CUDA_ARCH__ < 900
#error "products by warpgroups (wgmma) need compute capability 9.0; bf16_gemm and int8_gemm do not"
#endif

#include "common/element.cuh"
#include "common/float8.cuh"

// How a tile lies in shared memory, as a descriptor: rows of kRowBytes (64 or 128) of contiguous k,
// permuted by the swizzle of the same width, as a tensor map with that swizzle leaves them. `tile`
// starts at a multiple of 8 rows and of 8 * kRowBytes; an instruction's share of k, or another tile,
// is reached by adding its offset in bytes. Of the two words only the lower one ever changes.
//
// For a matrix that lies by rows of k (register_product.cuh) `tile` is its first slab of 64 columns, and
// the next one of as many is `slab_bytes` further on.
template <int kRowBytes>
class TileDescriptor {
 public:
  __device__ explicit TileDescriptor(unsigned tile, unsigned slab_bytes = 16)
      : low_((tile & 0x3ffff) / 16 | slab_bytes / 16 << 16) {}
  __device__ TileDescriptor operator+(unsigned bytes) const {
    TileDescriptor further = *this;
    further.low_ += bytes / 16;
    return further;
  }
  __device__ unsigned long long words() const {
    return static_cast<unsigned long long>(kHigh) << 32 | low_;
  }

 private:
  static_assert(kRowBytes == 64 || kRowBytes == 128);
  static constexpr unsigned kSwizzle = kRowBytes == 128 ? 1 : 2;
  static constexpr unsigned kBetweenGroups = 8 * kRowBytes / 16;  // of 8 rows
  static constexpr unsigned kHigh = kBetweenGroups | kSwizzle << 30;

  unsigned low_;
};

// Registers are the warpgroup's from here on, and none of its earlier accesses is pending.
__device__ inline void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void products_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Returns when at most kPending groups of products are under way.
template <int kPending>
__device__ inline void products_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// add: sums[64 x kColumns] += a[64 x k] * b[kColumns x k], where k is 32 bytes of Operand; with
// is_fresh the sums begin here, as with begin, which says so to the compiler: it need not keep what
// was there. A thread's share of the sums is kColumns / 2: thread t has, for each j and i of 0 and
// 1, sums[4 * j + 2 * i + 0 and 1] at row t / 32 * 16 + t % 32 / 4 + 8 * i and columns 8 * j + t %
// 4 * 2 and the next one.
template <class Operand, int kColumns>
struct Product;

// What the tensor cores add up in.
template <class Operand>
struct SumOf {
  using Type = float;
};
template <>
struct SumOf<signed char> {
  using Type = int;
};

// Operands %0 to %(n - 1) of an instruction, and its sums from number i on as such.
#define R8(x) "%" #x "0, %" #x "1, %" #x "2, %" #x "3, %" #x "4, %" #x "5, %" #x "6, %" #x "7"
#define R10(x) R8(x) ", %" #x "8, %" #x "9"
#define R6(x) "%" #x "0, %" #x "1, %" #x "2, %" #x "3, %" #x "4, %" #x "5"
#define R2(x) "%" #x "0, %" #x "1"
#define R4(x) R2(x) ", %" #x "2, %" #x "3"
#define R30 R10() ", " R10(1) ", " R10(2)
#define R60 R30 ", " R10(3) ", " R10(4) ", " R10(5)
#define R90 R60 ", " R10(6) ", " R10(7) ", " R10(8)
#define S2(c, i) c(sums[i]), c(sums[i + 1])
#define S8(c, i) S2(c, i), S2(c, i + 2), S2(c, i + 4), S2(c, i + 6)
#define S16(c, i) S8(c, i), S8(c, i + 8)
#define S24(c, i) S16(c, i), S8(c, i + 16)
#define S32(c, i) S16(c, i), S16(c, i + 16)
#define SUMS_16(c) S8(c, 0)
#define SUMS_32(c) S16(c, 0)
#define SUMS_48(c) S24(c, 0)
#define SUMS_64(c) S32(c, 0)
#define SUMS_80(c) S32(c, 0), S8(c, 32)
#define SUMS_96(c) S32(c, 0), S16(c, 32)
#define SUMS_112(c) S32(c, 0), S24(c, 32)
#define SUMS_128(c) S32(c, 0), S32(c, 32)
#define SUMS_144(c) SUMS_128(c), S8(c, 64)
#define SUMS_160(c) SUMS_128(c), S16(c, 64)
#define SUMS_176(c) SUMS_128(c), S24(c, 64)
#define SUMS_192(c) SUMS_128(c), S32(c, 64)
#define SUMS_208(c) SUMS_192(c), S8(c, 96)
#define SUMS_224(c) SUMS_192(c), S16(c, 96)
#define SUMS_240(c) SUMS_192(c), S24(c, 96)
#define SUMS_256(c) SUMS_192(c), S32(c, 96)
#define FLOATS_INOUT "+f"
#define FLOATS_OUT "=f"
#define INTS_INOUT "+r"
#define INTS_OUT "=r"

// `registers`: the sums' list; A, B and FRESH: the other operands; `flags`: what follows "adds"; `kind`:
// of sums.
#define PRODUCT_TEXT(columns, k, types, registers, A, B, FRESH, flags)                            \
  "{ .reg .pred adds; setp.eq.u32 adds, " FRESH                                                   \
  ", 0;\n"                                                                                        \
  "wgmma.mma_async.sync.aligned.m64n" #columns "k" #k "." types " {" registers "}, %" #A ", %" #B \
  ", adds" flags "; }"
#define PRODUCT(Operand, columns, k, types, registers, A, B, FRESH, flags, kind)           \
  template <>                                                                              \
  struct Product<Operand, columns> {                                                       \
    using Sums = SumOf<Operand>::Type[columns / 2];                                        \
    __device__ static void add(Sums& sums, unsigned long long a, unsigned long long b,     \
                               bool is_fresh) {                                            \
      asm volatile(PRODUCT_TEXT(columns, k, types, registers, A, B, "%" #FRESH, flags)     \
                   : SUMS_##columns(kind##_INOUT)                                          \
                   : "l"(a), "l"(b), "r"(static_cast<unsigned>(is_fresh)));                \
    }                                                                                      \
    __device__ static void begin(Sums& sums, unsigned long long a, unsigned long long b) { \
      asm volatile(PRODUCT_TEXT(columns, k, types, registers, A, B, "1", flags)            \
                   : SUMS_##columns(kind##_OUT)                                            \
                   : "l"(a), "l"(b));                                                      \
    }                                                                                      \
  };
#define PRODUCTS(Operand, k, types, flags, kind)                                                   \
  PRODUCT(Operand, 16, k, types, R8(), 8, 9, 10, flags, kind)                                      \
  PRODUCT(Operand, 32, k, types, R10() ", " R6(1), 16, 17, 18, flags, kind)                        \
  PRODUCT(Operand, 48, k, types, R10() ", " R10(1) ", " R4(2), 24, 25, 26, flags, kind)            \
  PRODUCT(Operand, 64, k, types, R30 ", " R2(3), 32, 33, 34, flags, kind)                          \
  PRODUCT(Operand, 80, k, types, R30 ", " R10(3), 40, 41, 42, flags, kind)                         \
  PRODUCT(Operand, 96, k, types, R30 ", " R10(3) ", " R8(4), 48, 49, 50, flags, kind)              \
  PRODUCT(Operand, 112, k, types, R30 ", " R10(3) ", " R10(4) ", " R6(5), 56, 57, 58, flags, kind) \
  PRODUCT(Operand, 128, k, types, R60 ", " R4(6), 64, 65, 66, flags, kind)                         \
  PRODUCT(Operand, 144, k, types, R60 ", " R10(6) ", " R2(7), 72, 73, 74, flags, kind)             \
  PRODUCT(Operand, 160, k, types, R60 ", " R10(6) ", " R10(7), 80, 81, 82, flags, kind)            \
  PRODUCT(Operand, 176, k, types, R60 ", " R10(6) ", " R10(7) ", " R8(8), 88, 89, 90, flags, kind) \
  PRODUCT(Operand, 192, k, types, R90 ", " R6(9), 96, 97, 98, flags, kind)                         \
  PRODUCT(Operand, 208, k, types, R90 ", " R10(9) ", " R4(10), 104, 105, 106, flags, kind)         \
  PRODUCT(Operand, 224, k, types, R90 ", " R10(9) ", " R10(10) ", " R2(11), 112, 113, 114, flags,  \
          kind)                                                                                    \
  PRODUCT(Operand, 240, k, types, R90 ", " R10(9) ", " R10(10) ", " R10(11), 120, 121, 122, flags, \
          kind)                                                                                    \
  PRODUCT(Operand, 256, k, types, R90 ", " R10(9) ", " R10(10) ", " R10(11) ", " R8(12), 128, 129, \
          130, flags, kind)

PRODUCTS(bfloat16, 16, "f32.bf16.bf16", ", 1, 1, 0, 0", FLOATS)
PRODUCTS(float16, 16, "f32.f16.f16", ", 1, 1, 0, 0", FLOATS)
PRODUCTS(Float8, 32, "f32.e4m3.e4m3", ", 1, 1", FLOATS)
PRODUCTS(signed char, 32, "s32.s8.s8", "", INTS)

#undef R2
#undef R4
#undef R6
#undef R8
#undef R10
#undef R30
#undef R60
#undef R90
#undef S2
#undef S8
#undef S16
#undef S24
#undef S32
#undef PRODUCT
#undef PRODUCT_TEXT
#undef PRODUCTS
#undef SUMS_16
#undef SUMS_32
#undef SUMS_48
#undef SUMS_64
#undef SUMS_80
#undef SUMS_96
#undef SUMS_112
#undef SUMS_128
#undef SUMS_144
#undef SUMS_160
#undef SUMS_176
#undef SUMS_192
#undef SUMS_208
#undef SUMS_224
#undef SUMS_240
#undef SUMS_256
#undef FLOATS_INOUT
#undef FLOATS_OUT
#undef INTS_INOUT
#undef INTS_OUT
