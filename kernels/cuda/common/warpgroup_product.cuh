// wgmma: the tensor cores of Hopper GPUs multiply tiles straight from shared memory, ordered by a
// warpgroup of 128 threads. PTX ISA, "wgmma.mma_async" and "Matrix Descriptor"; sm_90a alone.
#pragma once

// How a tile lies in shared memory, as a descriptor: rows of kRowBytes (64 or 128) of contiguous k,
// permuted by the swizzle of the same width, as a tensor map with that swizzle leaves them. `tile`
// starts at a multiple of 8 rows and of 8 * kRowBytes; an instruction's share of k is reached by
// adding its offset in bytes, over 16, to the descriptor.
template <int kRowBytes>
__device__ inline unsigned long long tile_descriptor(unsigned tile) {
  static_assert(kRowBytes == 64 || kRowBytes == 128);
  constexpr unsigned long long kSwizzle = kRowBytes == 128 ? 1 : 2;
  constexpr unsigned long long kBetweenGroups = 8 * kRowBytes / 16;  // of 8 rows
  return (tile & 0x3ffff) / 16 | 1ull << 16 | kBetweenGroups << 32 | kSwizzle << 62;
}

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

#define R8(x) "%" #x "0, %" #x "1, %" #x "2, %" #x "3, %" #x "4, %" #x "5, %" #x "6, %" #x "7"
#define R10(x) R8(x) ", %" #x "8, %" #x "9"
#define R30 R10() ", " R10(1) ", " R10(2)
#define F2(i) "+f"(sums[i]), "+f"(sums[i + 1])
#define F8(i) F2(i), F2(i + 2), F2(i + 4), F2(i + 6)
#define F32(i) F8(i), F8(i + 8), F8(i + 16), F8(i + 24)

// sums[64 x kColumns] += a[64 x 16] * b[kColumns x 16] of bfloat16, a thread's share of the sums
// being kColumns / 2: thread t has, for each j and i of 0 and 1, sums[4 * j + 2 * i + 0 and 1] at
// row t / 32 * 16 + t % 32 / 4 + 8 * i and columns 8 * j + t % 4 * 2 and the next one.
template <int kColumns>
struct Product;
template <>
struct Product<64> {
  __device__ static void add(float (&sums)[32], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" R30
                 ", %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
                 : F32(0)
                 : "l"(a), "l"(b));
  }
};
template <>
struct Product<128> {
  __device__ static void add(float (&sums)[64], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" R30
                 ", " R10(3) ", " R10(4) ", " R10(5)
                 ", %60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, 0;"
                 : F32(0), F32(32)
                 : "l"(a), "l"(b));
  }
};
template <>
struct Product<192> {
  __device__ static void add(float (&sums)[96], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {" R30
                 ", " R10(3) ", " R10(4) ", " R10(5) ", " R10(6) ", " R10(7) ", " R10(8)
                 ", %90, %91, %92, %93, %94, %95}, %96, %97, 1, 1, 1, 0, 0;"
                 : F32(0), F32(32), F32(64)
                 : "l"(a), "l"(b));
  }
};
template <>
struct Product<256> {
  __device__ static void add(float (&sums)[128], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" R30
                 ", " R10(3) ", " R10(4) ", " R10(5) ", " R10(6) ", " R10(7) ", " R10(8)
                 ", " R10(9) ", " R10(10) ", " R10(11) ", " R8(12)
                 "}, %128, %129, 1, 1, 1, 0, 0;"
                 : F32(0), F32(32), F32(64), F32(96)
                 : "l"(a), "l"(b));
  }
};

#undef R8
#undef R10
#undef R30
#undef F2
#undef F8
#undef F32
