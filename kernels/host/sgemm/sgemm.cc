// C = A * B in single precision, blocked for the caches and for the registers.
//
// A: M x K, B: K x N, C: M x N floats, all row-major. The blocks and their packing are those of
// Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008): a micro-kernel
// holds MR x NR sums in registers while it walks along k; around it are loops over cache blocks.
//
// MB, NB, KB   rows of A, columns of B and steps of k in a cache block
// MR, NR       rows and columns of C that the micro-kernel holds in registers
// LANES        floats in a vector: 4 is SSE or NEON, 8 is AVX, 16 is AVX-512
// UNROLL       steps of k in one turn of the micro-kernel's loop
// PREFETCH     steps of k that the micro-kernel prefetches B ahead; 0 = not at all
// PACK_A       1 = a block of A is copied first, so that the micro-kernel reads it in sequence
// PACK_B       1 = the same for B
// ORDER_JKI    defined: loops over blocks of columns, of k, of rows, from outermost to innermost
// ORDER_IKJ    defined: rows, k, columns
// ORDER_KIJ    defined: k, rows, columns
// THREADS      how many share the blocks of rows

#if THREADS > 1
#include <thread>
#endif

#if defined(__clang__)
#define UNROLL_FULLY _Pragma("clang loop unroll(full)")
#else
#define UNROLL_FULLY _Pragma("GCC unroll 64")
#endif

namespace {

using Vector = float __attribute__((vector_size(LANES * sizeof(float))));
// A typedef, since clang drops `aligned` from a using declaration.
typedef float UnalignedVector
    __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

constexpr int kVectors = NR / LANES;  // in a row of the micro-kernel's sums
static_assert(M % MB == 0 && N % NB == 0 && K % KB == 0);
static_assert(MB % MR == 0 && NB % NR == 0 && NR % LANES == 0 && KB % UNROLL == 0);

// How far apart two rows and two steps of k lie in what the micro-kernel reads. Packed, a block is
// a sequence of panels (MR rows of A, or NR columns of B), each with all its steps of k.
constexpr int kARow = PACK_A ? 1 : K, kAStep = PACK_A ? MR : 1;
constexpr int kAPanel = PACK_A ? MR * KB : MR * K;
constexpr int kBStep = PACK_B ? NR : N;
constexpr int kBPanel = PACK_B ? NR * KB : NR;

struct Workspace {
  alignas(64) float a[PACK_A ? MB * KB : 1];
  alignas(64) float b[PACK_B ? NB * KB : 1];
};
Workspace workspaces[THREADS];

inline Vector load(const float* from) { return *reinterpret_cast<const UnalignedVector*>(from); }

inline void store(float* to, const Vector& value) {
  *reinterpret_cast<UnalignedVector*>(to) = value;
}

void pack_a(const float* __restrict from, float* __restrict to) {
  for (int panel = 0; panel < MB; panel += MR) {
    for (int k = 0; k < KB; ++k) {
      for (int i = 0; i < MR; ++i) *to++ = from[(panel + i) * K + k];
    }
  }
}

void pack_b(const float* __restrict from, float* __restrict to) {
  for (int panel = 0; panel < NB; panel += NR) {
    for (int k = 0; k < KB; ++k) {
      for (int j = 0; j < NR; j += LANES, to += LANES) store(to, load(from + k * N + panel + j));
    }
  }
}

// MR x NR of C from KB steps of k: written when `first`, else added to.
inline void micro_kernel(const float* __restrict a, const float* __restrict b, float* __restrict c,
                         bool first) {
  Vector sums[MR][kVectors] = {};
  for (int k = 0; k < KB; k += UNROLL) {
    UNROLL_FULLY
    for (int u = 0; u < UNROLL; ++u) {
      const float* b_row = b + (k + u) * kBStep;
      if constexpr (PREFETCH > 0) {
        UNROLL_FULLY
        for (int j = 0; j < NR; j += 16) __builtin_prefetch(b_row + PREFETCH * kBStep + j);
      }
      Vector b_now[kVectors];
      UNROLL_FULLY
      for (int j = 0; j < kVectors; ++j) b_now[j] = load(b_row + j * LANES);
      UNROLL_FULLY
      for (int i = 0; i < MR; ++i) {
        const Vector a_now = Vector{} + a[i * kARow + (k + u) * kAStep];
        UNROLL_FULLY
        for (int j = 0; j < kVectors; ++j) sums[i][j] += a_now * b_now[j];
      }
    }
  }
  UNROLL_FULLY
  for (int i = 0; i < MR; ++i) {
    UNROLL_FULLY
    for (int j = 0; j < kVectors; ++j) {
      float* to = c + i * N + j * LANES;
      store(to, first ? sums[i][j] : sums[i][j] + load(to));
    }
  }
}

// One block: MB rows and NB columns of C, KB steps of k.
void multiply_block(const float* a, const float* b, float* c, bool first) {
  for (int j = 0; j < NB; j += NR) {
    for (int i = 0; i < MB; i += MR) {
      micro_kernel(a + i / MR * kAPanel, b + j / NR * kBPanel, c + i * N + j, first);
    }
  }
}

// The blocks of rows thread, thread + THREADS, ... of C.
void multiply_rows(const float* a, const float* b, float* c, int thread) {
  Workspace& space = workspaces[thread];
  const auto block_of_a = [&](int i, int k) {
    const float* from = a + i * K + k;
    if (!PACK_A) return from;
    pack_a(from, space.a);
    return static_cast<const float*>(space.a);
  };
  const auto block_of_b = [&](int k, int j) {
    const float* from = b + k * N + j;
    if (!PACK_B) return from;
    pack_b(from, space.b);
    return static_cast<const float*>(space.b);
  };
  const int first_row = thread * MB;
#if defined(ORDER_JKI)
  for (int j = 0; j < N; j += NB) {
    for (int k = 0; k < K; k += KB) {
      const float* b_block = block_of_b(k, j);
      for (int i = first_row; i < M; i += MB * THREADS) {
        multiply_block(block_of_a(i, k), b_block, c + i * N + j, k == 0);
      }
    }
  }
#elif defined(ORDER_IKJ)
  for (int i = first_row; i < M; i += MB * THREADS) {
    for (int k = 0; k < K; k += KB) {
      const float* a_block = block_of_a(i, k);
      for (int j = 0; j < N; j += NB) {
        multiply_block(a_block, block_of_b(k, j), c + i * N + j, k == 0);
      }
    }
  }
#elif defined(ORDER_KIJ)
  for (int k = 0; k < K; k += KB) {
    for (int i = first_row; i < M; i += MB * THREADS) {
      const float* a_block = block_of_a(i, k);
      for (int j = 0; j < N; j += NB) {
        multiply_block(a_block, block_of_b(k, j), c + i * N + j, k == 0);
      }
    }
  }
#else
#error "one of ORDER_JKI, ORDER_IKJ and ORDER_KIJ must be defined"
#endif
}

}  // namespace

void sgemm(const float* a, const float* b, float* c) {
#if THREADS > 1
  std::thread others[THREADS - 1];
  for (int t = 1; t < THREADS; ++t) others[t - 1] = std::thread(multiply_rows, a, b, c, t);
  multiply_rows(a, b, c, 0);
  for (std::thread& other : others) other.join();
#else
  multiply_rows(a, b, c, 0);
#endif
}
