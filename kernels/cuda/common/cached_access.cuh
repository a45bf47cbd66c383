// Loads and stores that say how the caches are to treat their data.
#pragma once

// `streaming` data are touched once and go first; `keep` holds on to them in the caches because they
// will be touched again; `no_allocate` lets loads pass L1 by; `evict_first` makes data the first to
// leave L2, which leaves L2 to what else is read and written.
enum class CacheHint { standard, streaming, keep, no_allocate, evict_first };

// PTX around an access with a policy of L2 ("createpolicy" in the PTX ISA); a constant to the
// assembler.
#define WITH_POLICY(priority) \
  "{ .reg .b64 policy; createpolicy.fractional.L2::" priority ".b64 policy, 1.0; "
#define POLICY ", policy; }"

// Defines a function for each width of a word: before ld.global.nc<qualifiers>.<type> ... after.
#define LOADS(name, before, qualifiers, after)                                                  \
  __device__ inline uint4 name(const uint4* from) {                                             \
    uint4 word;                                                                                 \
    asm(before "ld.global.nc" qualifiers ".v4.u32 {%0, %1, %2, %3}, [%4]" after                 \
        : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)                                \
        : "l"(from));                                                                           \
    return word;                                                                                \
  }                                                                                             \
  __device__ inline uint2 name(const uint2* from) {                                             \
    uint2 word;                                                                                 \
    asm(before "ld.global.nc" qualifiers ".v2.u32 {%0, %1}, [%2]" after                         \
        : "=r"(word.x), "=r"(word.y)                                                            \
        : "l"(from));                                                                           \
    return word;                                                                                \
  }                                                                                             \
  __device__ inline unsigned name(const unsigned* from) {                                       \
    unsigned word;                                                                              \
    asm(before "ld.global.nc" qualifiers ".u32 %0, [%1]" after : "=r"(word) : "l"(from));       \
    return word;                                                                                \
  }                                                                                             \
  __device__ inline unsigned short name(const unsigned short* from) {                           \
    unsigned short word;                                                                        \
    asm(before "ld.global.nc" qualifiers ".u16 %0, [%1]" after : "=h"(word) : "l"(from));       \
    return word;                                                                                \
  }

#define STORES(name, before, after)                                                             \
  __device__ inline void name(uint4* to, uint4 word) {                                          \
    asm volatile(before "st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}" after ::"l"(to), \
                 "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w)                             \
                 : "memory");                                                                   \
  }                                                                                             \
  __device__ inline void name(uint2* to, uint2 word) {                                          \
    asm volatile(before "st.global.L2::cache_hint.v2.u32 [%0], {%1, %2}" after ::"l"(to),       \
                 "r"(word.x), "r"(word.y)                                                       \
                 : "memory");                                                                   \
  }                                                                                             \
  __device__ inline void name(unsigned* to, unsigned word) {                                    \
    asm volatile(before "st.global.L2::cache_hint.u32 [%0], %1" after ::"l"(to), "r"(word)      \
                 : "memory");                                                                   \
  }                                                                                             \
  __device__ inline void name(unsigned short* to, unsigned short word) {                        \
    asm volatile(before "st.global.L2::cache_hint.u16 [%0], %1" after ::"l"(to), "h"(word)      \
                 : "memory");                                                                   \
  }

LOADS(load_keep, WITH_POLICY("evict_last"), ".L1::evict_last.L2::cache_hint", POLICY)
LOADS(load_no_allocate, "", ".L1::no_allocate", ";")
LOADS(load_evict_first, WITH_POLICY("evict_first"), ".L1::evict_first.L2::cache_hint", POLICY)
STORES(store_keep, WITH_POLICY("evict_last"), POLICY)
STORES(store_evict_first, WITH_POLICY("evict_first"), POLICY)

#undef LOADS
#undef STORES
#undef WITH_POLICY
#undef POLICY

// `from` is not written while the kernel runs.
template <CacheHint kHint, class Word>
__device__ inline Word load_word(const Word* from) {
  if constexpr (kHint == CacheHint::standard) {
    return __ldg(from);
  } else if constexpr (kHint == CacheHint::streaming) {
    return __ldcs(from);
  } else if constexpr (kHint == CacheHint::keep) {
    return load_keep(from);
  } else if constexpr (kHint == CacheHint::no_allocate) {
    return load_no_allocate(from);
  } else {
    return load_evict_first(from);
  }
}

template <CacheHint kHint, class Word>
__device__ inline void store_word(Word* to, Word word) {
  static_assert(kHint != CacheHint::no_allocate, "for loads only");
  if constexpr (kHint == CacheHint::standard) {
    *to = word;
  } else if constexpr (kHint == CacheHint::streaming) {
    __stcs(to, word);
  } else if constexpr (kHint == CacheHint::keep) {
    store_keep(to, word);
  } else {
    store_evict_first(to, word);
  }
}
