// wgmma with its left matrix from registers, where an earlier product left it, and its right one as it
// lies in memory: rows of k, columns contiguous. PTX ISA, "wgmma.mma_async"; sm_90a alone.
#pragma once

#include "common/warpgroup_product.cuh"

constexpr int kRegisterStep = 16;  // of k in an instruction

// sums[64 x kColumns] += a[64 x 16] * b[16 x kColumns] of Operand; with is_fresh the sums begin here. b is
// the words of a TileDescriptor<128>; its rows of k from a multiple of 8 on are reached by their offset.
// Sums are shared among threads as those of Product. Of a, a thread has in words[2 * h + i] two
// neighbours, the lower column in the lower half: in row t / 32 * 16 + t % 32 / 4 + 8 * i at column 8 * h
// + t % 4 * 2. That is where sums of 16 columns are.
template <class Operand, int kColumns>
struct RegisterProduct;

#define R8(x) "%" #x "0, %" #x "1, %" #x "2, %" #x "3, %" #x "4, %" #x "5, %" #x "6, %" #x "7"
#define R10(x) R8(x) ", %" #x "8, %" #x "9"
#define R30 R10() ", " R10(1) ", " R10(2)
#define R60 R30 ", " R10(3) ", " R10(4) ", " R10(5)
#define R90 R60 ", " R10(6) ", " R10(7) ", " R10(8)
#define S4(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define S8(i) S4(i), S4(i + 4)
#define S16(i) S8(i), S8(i + 8)
#define S32(i) S16(i), S16(i + 16)
// `registers`: the sums' list; A, B and FRESH: the other operands'.
#define REGISTER_PRODUCT(Operand, types, columns, registers, A, B, FRESH, ...)              \
  template <>                                                                               \
  struct RegisterProduct<Operand, columns> {                                                \
    __device__ static void add(float (&sums)[columns / 2], const unsigned (&words)[4],      \
                               unsigned long long b, bool is_fresh) {                       \
      asm volatile("{ .reg .pred adds; setp.eq.u32 adds, " FRESH                            \
                   ", 0;\n"                                                                 \
                   "wgmma.mma_async.sync.aligned.m64n" #columns "k16." types " {" registers \
                   "}, {" A "}, " B ", adds, 1, 1, 1; }"                                    \
                   : __VA_ARGS__                                                            \
                   : "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]), "l"(b),    \
                     "r"(static_cast<unsigned>(is_fresh)));                                 \
    }                                                                                       \
  };
#define REGISTER_PRODUCTS(Operand, types)                                                         \
  REGISTER_PRODUCT(Operand, types, 64, R30 ", %30, %31", "%32, %33, %34, %35", "%36", "%37",      \
                   S32(0))                                                                        \
  REGISTER_PRODUCT(Operand, types, 80, R30 ", " R10(3), "%40, %41, %42, %43", "%44", "%45",       \
                   S32(0), S8(32))                                                                \
  REGISTER_PRODUCT(Operand, types, 96, R30 ", " R10(3) ", " R8(4), "%48, %49, %50, %51", "%52",   \
                   "%53", S32(0), S16(32))                                                        \
  REGISTER_PRODUCT(Operand, types, 128, R60 ", %60, %61, %62, %63", "%64, %65, %66, %67", "%68",  \
                   "%69", S32(0), S32(32))                                                        \
  REGISTER_PRODUCT(Operand, types, 160, R60 ", " R10(6) ", " R10(7), "%80, %81, %82, %83", "%84", \
                   "%85", S32(0), S32(32), S16(64))                                               \
  REGISTER_PRODUCT(Operand, types, 192, R90 ", %90, %91, %92, %93, %94, %95",                     \
                   "%96, %97, %98, %99", "%100", "%101", S32(0), S32(32), S32(64))                \
  REGISTER_PRODUCT(Operand, types, 256, R90 ", " R10(9) ", " R10(10) ", " R10(11) ", " R8(12),    \
                   "%128, %129, %130, %131", "%132", "%133", S32(0), S32(32), S32(64), S32(96))

REGISTER_PRODUCTS(bfloat16, "f32.bf16.bf16")
REGISTER_PRODUCTS(float16, "f32.f16.f16")

#undef R8
#undef R10
#undef R30
#undef R60
#undef R90
#undef S4
#undef S8
#undef S16
#undef S32
#undef REGISTER_PRODUCT
#undef REGISTER_PRODUCTS

// Whatever uses the numbers behind this point is computed behind it: a wait for products says nothing of
// the registers that they fill.
template <int kCount>
__device__ inline void settle(float (&numbers)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(numbers[i])::"memory");
}
