// Warpgroups of a block with different work: one orders tiles by the bulk copy engine, the CONSUMERS
// others multiply them, and a ring of STAGES stages lies between them, each with a barrier that says
// "full" and one that says "free". For sm_90a. Parameters:
//
//   CONSUMERS      warpgroups that multiply
//   STAGES         tiles, or groups of tiles that are used together, in shared memory
//   BLOCKS_PER_SM  blocks on each multiprocessor
#pragma once

#include "common/bulk_copy.cuh"
#include "common/warp_values.cuh"

constexpr int kWarpgroup = 128;  // threads
constexpr int kThreads = (CONSUMERS + 1) * kWarpgroup;

// Registers that a warpgroup keeps: the one that copies needs few, the others hold sums.
constexpr bool kMovesRegisters = CONSUMERS * BLOCKS_PER_SM >= 2;
constexpr int kWarpgroups = (CONSUMERS + 1) * BLOCKS_PER_SM;  // of a multiprocessor
constexpr int kRegistersEach = 512 / kWarpgroups / 8 * 8;     // at the start, of each thread
constexpr int kProducerRegisters = 24;
constexpr int kMostRegisters = 240;
constexpr int kRegistersToTake =
    (kRegistersEach + (kRegistersEach - kProducerRegisters) / CONSUMERS) / 8 * 8;
constexpr int kConsumerRegisters =
    kRegistersToTake < kMostRegisters ? kRegistersToTake : kMostRegisters;

// By all threads of a block of kThreads: the first warp of the last warpgroup calls produce(), the
// warpgroups before it consume(their number).
template <class Produce, class Consume>
__device__ inline void in_roles(Produce produce, Consume consume) {
  const int warpgroup = of_warp(static_cast<int>(threadIdx.x / kWarpgroup));
  if (warpgroup == CONSUMERS) {
    if constexpr (kMovesRegisters)
      asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kProducerRegisters));
    if (of_warp(threadIdx.x % kWarpgroup) == 0) produce();
  } else {
    if constexpr (kMovesRegisters)
      asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kConsumerRegisters));
    consume(warpgroup);
  }
}

// Barriers of shared memory in a row, by address. Made by whole warps.
class Barriers {
 public:
  __device__ explicit Barriers(const BulkBarrier* first) : first_(of_warp(first->address())) {}
  __device__ BarrierAt operator[](int i) const {
    return BarrierAt(first_ + i * sizeof(BulkBarrier));
  }

 private:
  unsigned first_;
};

// Where a warpgroup is in the ring: the stage, and how often it came round.
struct Turn {
  int stage = 0;
  unsigned parity = 0;
  __device__ void next() {
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
  __device__ void skip(int stages) {
    const int at = stage + stages;
    stage = at % STAGES;
    parity ^= at / STAGES & 1;
  }
};

// By who brings: no block leaves while another may still arrive at its barriers.
__device__ inline void await_all_free(const Barriers& free, Turn turn) {
  for (int stage = 0; stage < STAGES; ++stage, turn.next()) {
    free[turn.stage].wait(turn.parity ^ 1);
  }
}

// Turns that two warpgroups or more take: who awaits its turn goes on when one of the others has
// handed it over.
constexpr int kFirstTurnBarrier = 1;  // 0 is that of all threads
__device__ inline void await_turn(int own) {
  asm volatile("bar.sync %0, %1;" ::"r"(kFirstTurnBarrier + own), "n"(2 * kWarpgroup) : "memory");
}
__device__ inline void hand_turn_to(int other) {
  asm volatile("bar.arrive %0, %1;" ::"r"(kFirstTurnBarrier + other), "n"(2 * kWarpgroup)
               : "memory");
}

// Returns when all warps of warpgroup number `own` are here. Between its wait for a stage and the release
// of it there is this, or products: a warp that comes late to a stage which is full for the second time
// waits for ever, since barriers know two phases apart, not more.
__device__ inline void gather_warpgroup(int own) {
  asm volatile("bar.sync %0, %1;" ::"r"(kFirstTurnBarrier + CONSUMERS + own), "n"(kWarpgroup)
               : "memory");
}
