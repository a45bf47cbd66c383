// The product of two matrices on the tensor cores, by blocks:
//
//   c[m][n] = sum over k of a[m][k] * b[n][k]
//
// a: M x K, b: N x K, both row-major, so that k is contiguous in each. A block works on a tile of
// BLOCK_M x BLOCK_N and goes through k in slabs of SLAB_BYTES per row; cp.async keeps STAGES - 1
// slabs under way. Each warp has WARP_M x WARP_N of the tile. All is counted in bytes of k, since
// an mma instruction takes 32 of them, be they 16 bfloat16 or 32 int8.
//
// In shared memory a row of a slab has SLAB_BYTES, in units of 16 bytes that are permuted by an
// exclusive or with the row, so that the 8 rows that ldmatrix reads at a time lie in different
// banks.
//
// Parameters:
//
//   BLOCK_M, BLOCK_N, WARP_M, WARP_N   tiles of a block and a warp; warp tiles are multiples of 16
//   SLAB_BYTES  64 or 128
//   STAGES      slabs in shared memory, at least 2
//   GROUP_M     tiles of neighbouring m that follow one another in the order of blocks: they share
//               their part of b in L2
//   MIN_BLOCKS  blocks per multiprocessor that the compiler leaves registers for
#pragma once

#include "common/cluster.cuh"
#include "common/element.cuh"

constexpr int kWarpSize = 32;
constexpr int kWarpsM = BLOCK_M / WARP_M;
constexpr int kWarpsN = BLOCK_N / WARP_N;
constexpr int kThreads = kWarpsM * kWarpsN * kWarpSize;
constexpr int kUnit = 16;                   // bytes of a copy and of a row of an ldmatrix
constexpr int kUnits = SLAB_BYTES / kUnit;  // of a row
constexpr int kInstructionBytes = 32;       // of k
constexpr int kSteps = SLAB_BYTES / kInstructionBytes;  // instructions of a slab, one after another
constexpr int kTilesM = WARP_M / 16;                    // instructions of a warp
constexpr int kTilesN = WARP_N / 8;
constexpr int kSlabs = K * static_cast<int>(sizeof(DTYPE)) / SLAB_BYTES;
constexpr int kStageBytes = (BLOCK_M + BLOCK_N) * SLAB_BYTES;
constexpr long long kRowBytes = static_cast<long long>(K) * sizeof(DTYPE);

static_assert(BLOCK_M % WARP_M == 0 && BLOCK_N % WARP_N == 0);
static_assert(kThreads % kUnits == 0);
static_assert(kSteps % 2 == 0, "fragments take turns");
static_assert(WARP_M % 16 == 0 && WARP_N % 16 == 0);
static_assert((K * sizeof(DTYPE)) % SLAB_BYTES == 0 && STAGES >= 2);

__device__ inline void multiply_add(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ inline void multiply_add(int (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Four 8 x 16-byte matrices; lane i gives the address of row i % 8 of matrix i / 8.
__device__ inline void load_matrices(unsigned (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

// Copies a unit, or writes zeros if it is not `inside` the matrix.
__device__ inline void copy_unit(unsigned to, const void* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(inside ? kUnit : 0)
               : "memory");
}
__device__ inline void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kUnderWay>
__device__ inline void await_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kUnderWay) : "memory");
}

__device__ inline unsigned offset_of_unit(unsigned row, unsigned unit) {
  const unsigned turn = kUnits == 8 ? row : row / 2;  // of 64-byte rows, two share the 32 banks
  return row * SLAB_BYTES + (unit ^ turn % kUnits) * kUnit;
}

// Accumulator is float for bfloat16 and int for int8.
template <class Accumulator>
class MatrixProduct {
 public:
  // `shared`: STAGES * kStageBytes, aligned to 128.
  __device__ MatrixProduct(const DTYPE* a, const DTYPE* b, void* shared)
      : a_(reinterpret_cast<const char*>(a)),
        b_(reinterpret_cast<const char*>(b)),
        shared_(shared_address(shared)) {
    constexpr int kDown = (M + BLOCK_M - 1) / BLOCK_M;
    constexpr int kAcross = (N + BLOCK_N - 1) / BLOCK_N;
    const int in_band = GROUP_M * kAcross;
    const int band = blockIdx.x / in_band;
    const int height = min(GROUP_M, kDown - band * GROUP_M);
    const int at = blockIdx.x % in_band;
    first_m_ = (band * GROUP_M + at % height) * BLOCK_M;
    first_n_ = at / height * BLOCK_N;
  }

  // What the next instructions need is read from shared memory while the present ones run, across
  // the border between two slabs too.
  __device__ void run() {
#pragma unroll
    for (int slab = 0; slab < STAGES - 1; ++slab) {
      if (slab < kSlabs) request(slab, slab);
      end_copies();
    }
    Fragments fragments[2];
    await_copies<STAGES - 2>();
    __syncthreads();
    fragments[0].load(shared_, 0);
    int stage = 0;
    int free_stage = STAGES - 1;
    for (int slab = 0; slab < kSlabs; ++slab) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        if (step + 1 < kSteps) {
          fragments[(step + 1) % 2].load(shared_ + stage * kStageBytes, step + 1);
        } else {
          stage = stage + 1 == STAGES ? 0 : stage + 1;
          await_copies<STAGES - 2>();
          __syncthreads();  // the next slab is there for all, and all have read this one
          fragments[0].load(shared_ + stage * kStageBytes, 0);
        }
        if (step == 0) {
          if (slab + STAGES - 1 < kSlabs) request(free_stage, slab + STAGES - 1);
          end_copies();
          free_stage = free_stage + 1 == STAGES ? 0 : free_stage + 1;
        }
        multiply(fragments[step % 2]);
      }
    }
  }

  // Calls visit(m, n, left, right) for the pairs c[m][n], c[m][n + 1] that the thread holds, as far
  // as they are inside c. N is even.
  template <class Visit>
  __device__ void for_each_pair(Visit visit) const {
    const int lane = threadIdx.x % kWarpSize;
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int j = 0; j < kTilesN; ++j) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int m = first_m_ + warp_m() + i * 16 + half * 8 + lane / 4;
          const int n = first_n_ + warp_n() + j * 8 + lane % 4 * 2;
          const bool inside = (M % BLOCK_M == 0 || m < M) && (N % BLOCK_N == 0 || n < N);
          if (inside) visit(m, n, sums_[i][j][half * 2], sums_[i][j][half * 2 + 1]);
        }
      }
    }
  }

 private:
  __device__ static int warp_m() { return threadIdx.x / kWarpSize % kWarpsM * WARP_M; }
  __device__ static int warp_n() { return threadIdx.x / kWarpSize / kWarpsM * WARP_N; }

  // A thread copies the same unit of every kThreads / kUnits-th row.
  template <int kRows, int kMatrixRows>
  __device__ void request_rows(unsigned to, const char* matrix, int first, int slab) {
    constexpr int kRowStep = kThreads / kUnits;
    const int unit = threadIdx.x % kUnits;
    const int first_row = threadIdx.x / kUnits;
    const char* from = matrix + (first + first_row) * kRowBytes + slab * SLAB_BYTES + unit * kUnit;
#pragma unroll
    for (int i = 0; i < (kRows + kRowStep - 1) / kRowStep; ++i) {
      const int row = first_row + i * kRowStep;
      if (kRows % kRowStep != 0 && row >= kRows) continue;
      const bool inside = kMatrixRows % kRows == 0 || first + row < kMatrixRows;
      copy_unit(to + offset_of_unit(row, unit), inside ? from + i * kRowStep * kRowBytes : matrix,
                inside);
    }
  }
  __device__ void request(int stage, int slab) {
    const unsigned to = shared_ + stage * kStageBytes;
    request_rows<BLOCK_M, M>(to, a_, first_m_, slab);
    request_rows<BLOCK_N, N>(to + BLOCK_M * SLAB_BYTES, b_, first_n_, slab);
  }

  // The operands of one instruction of each of the warp's tiles.
  struct Fragments {
    unsigned left[kTilesM][4];
    unsigned right[kTilesN / 2][4];  // of two instructions each

    __device__ void load(unsigned stage, int step) {
      const unsigned b = stage + BLOCK_M * SLAB_BYTES;
      const int lane = threadIdx.x % kWarpSize;
#pragma unroll
      for (int i = 0; i < kTilesM; ++i) {
        const int row = warp_m() + i * 16 + lane % 16;
        load_matrices(left[i], stage + offset_of_unit(row, 2 * step + lane / 16));
      }
#pragma unroll
      for (int j = 0; j < kTilesN / 2; ++j) {
        const int row = warp_n() + j * 16 + lane / 16 * 8 + lane % 8;
        load_matrices(right[j], b + offset_of_unit(row, 2 * step + lane / 8 % 2));
      }
    }
  };

  __device__ void multiply(const Fragments& fragments) {
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int j = 0; j < kTilesN; ++j) {
        const unsigned(&two)[4] = fragments.right[j / 2];
        const unsigned pair[2] = {two[j % 2 * 2], two[j % 2 * 2 + 1]};
        multiply_add(sums_[i][j], fragments.left[i], pair);
      }
    }
  }

  const char* a_;
  const char* b_;
  unsigned shared_;
  int first_m_;
  int first_n_;
  Accumulator sums_[kTilesM][kTilesN][4] = {};
};
