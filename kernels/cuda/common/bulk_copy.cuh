// The bulk copy engine: one thread orders a contiguous piece of global memory into shared memory,
// and an mbarrier completes when its bytes are there; or a piece of shared memory into global
// memory, and waits for groups of such copies. PTX ISA, "cp.async.bulk"; from sm_90 on.
#pragma once

#include "common/cached_access.cuh"
#include "common/cluster.cuh"

// The policy of L2 that stands for a hint.
template <CacheHint kHint>
__device__ inline unsigned long long policy_of() {
  static_assert(kHint == CacheHint::keep || kHint == CacheHint::evict_first);
  unsigned long long policy;
  if constexpr (kHint == CacheHint::keep) {
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  } else {
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  }
  return policy;
}

// Where `address`, of this block's shared memory, is in block `rank` of the cluster, for instructions of
// shared::cluster.
__device__ inline unsigned address_in_block(unsigned address, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

// A BulkBarrier by its address, for loops that go round many of them: of a variable in shared memory
// the compiler makes the address anew wherever it is used, by a special register that is slow to read.
class BarrierAt {
 public:
  __device__ explicit BarrierAt(unsigned address) : address_(address) {}

  __device__ unsigned address() const { return address_; }

  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address_) : "memory");
  }

  // Arrives, before its copies: the bytes that they will bring.
  __device__ void expect(unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_),
                 "r"(bytes)
                 : "memory");
  }

  // By the same thread: copies `bytes`, a multiple of 16, between addresses that are multiples of
  // 16. Whoever read `to`, of shared memory, before has synchronised with the caller. Past L1 in any
  // case; of hints there are those for L2: `standard`, `keep` and `evict_first`.
  template <CacheHint kHint>
  __device__ void copy(unsigned to, const void* from, unsigned bytes) {
    static_assert(kHint == CacheHint::standard || kHint == CacheHint::keep ||
                  kHint == CacheHint::evict_first);
    if constexpr (kHint == CacheHint::standard) {
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
          "[%0], [%1], %2, [%3];" ::"r"(to),
          "l"(from), "r"(bytes), "r"(address_)
          : "memory");
    } else {
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
          "[%0], [%1], %2, [%3], %4;" ::"r"(to),
          "l"(from), "r"(bytes), "r"(address_), "l"(policy_of<kHint>())
          : "memory");
    }
  }

  // Arrives at the barrier of any block of the cluster, whose address is one of address_in_block().
  // Orders what the copy engine and the tensor cores did to shared memory, which they do by
  // themselves, and no stores of threads for other blocks: a release at cluster scope costs a
  // microsecond.
  __device__ void arrive_in_cluster() {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(address_) : "memory");
  }

  // Returns when the phase of this parity is complete; its bytes are then visible to the caller.
  __device__ void wait(unsigned parity) {
    unsigned done = 0;
    while (done == 0) {
      asm volatile(
          "{ .reg .pred p;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
          "selp.u32 %0, 1, 0, p; }\n"
          : "=r"(done)
          : "r"(address_), "r"(parity)
          : "memory");
    }
  }

 private:
  unsigned address_;
};

// A barrier in shared memory that completes once per phase. Phases alternate in parity, 0 first.
class BulkBarrier {
 public:
  // By one thread. The warp, block or cluster synchronises before anybody else uses the barrier. A
  // phase is complete when there were so many arrivals and all bytes that they expect are there.
  __device__ void initialise(unsigned arrivals = 1) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }

  __device__ unsigned address() const { return shared_address(&state_); }

  // As those of BarrierAt.
  __device__ void expect(unsigned bytes) { BarrierAt(address()).expect(bytes); }
  template <CacheHint kHint>
  __device__ void copy(void* to, const void* from, unsigned bytes) {
    BarrierAt(address()).copy<kHint>(shared_address(to), from, bytes);
  }
  __device__ void arrive_in_block(unsigned rank) {
    BarrierAt(address_in_block(address(), rank)).arrive_in_cluster();
  }
  __device__ void wait(unsigned parity) { BarrierAt(address()).wait(parity); }

 private:
  unsigned long long state_;
};

// A number of shared memory by its address.
__device__ inline float load_shared(unsigned from) {
  float number;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(number) : "r"(from) : "memory");
  return number;
}

// The way out. The copy engine sees what threads wrote to shared memory when each of them has
// published it and has then synchronised with the thread that orders the copy.
__device__ inline void publish_to_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Orders a copy from shared to global memory, of `bytes`, a multiple of 16, between addresses that
// are multiples of 16. It belongs to the group of the thread's copies that close_stores() closes.
// Hints are those of loads.
template <CacheHint kHint>
__device__ inline void store_bulk(void* to, const void* from, unsigned bytes) {
  if constexpr (kHint == CacheHint::standard) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(to),
        "r"(shared_address(from)), "r"(bytes), "l"(policy_of<kHint>())
        : "memory");
  }
}
__device__ inline void close_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// Returns when of the thread's groups all but the latest kUnderWay have been read from shared memory,
// which may then be written, or be left by the block.
template <int kUnderWay>
__device__ inline void await_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kUnderWay) : "memory");
}

// Sends `value` to where `at`, a location in this block's shared memory, is in block `rank` of the
// cluster; its bytes count for the barrier that stands there where `barrier` is here. PTX ISA,
// "st.async". Unlike a store and a release at cluster scope it does not wait for what the thread
// stored elsewhere.
template <class Value>
__device__ inline void send_to_block(Value* at, const Value& value, const BulkBarrier& barrier,
                                     unsigned rank) {
  static_assert(sizeof(Value) % 4 == 0);
  const unsigned there = address_in_block(shared_address(at), rank);
  const unsigned barrier_there = address_in_block(barrier.address(), rank);
  const unsigned* words = reinterpret_cast<const unsigned*>(&value);
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(Value) / 4); ++i) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                     there + 4 * i),
                 "r"(words[i]), "r"(barrier_there)
                 : "memory");
  }
}
