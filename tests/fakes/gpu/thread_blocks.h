#pragma once

#include <boost/context/fiber.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <random>
#include <vector>

#include "tests/fakes/gpu/include/fake_hooks.h"

// Launches whose threads wait for each other. Each thread of a cluster's blocks is a fiber that
// runs until it waits; clusters run one after the other. The order of warps, which of them is held
// back while anything else can go on, and whether a copy that nobody waits for yet is made at once
// or as late as can be, are drawn from FAKE_GPU_SEED, so that a kernel that forgets to wait gets
// wrong answers, or hangs, the same in every run.
namespace fake_gpu {

struct Block;
struct Thread;

using Work = std::function<void()>;

// Lanes that meet by one mask. Slots of two meetings take turns: who is at the next but one has
// seen that all have read.
struct Meeting {
  unsigned mask = 0, arrived = 0, generation = 0;
  alignas(16) unsigned char slots[2][32 * kSlotBytes] = {};
};

struct Warp {
  std::vector<Thread*> threads;
  // All lanes have told the copy engine what they wrote to shared memory between the last two times
  // that all of them met.
  bool is_published = false;
  std::list<Meeting> meetings;
};

// Of those that PTX numbers.
struct Barrier {
  unsigned arrived = 0, generation = 0;
  bool of_all = false;       // those of the block that have not ended
  bool is_published = true;  // by all that have arrived
};

// A thread's own copies, in groups.
struct CopyGroups {
  std::vector<Work> open;  // since the last group was closed
  std::deque<std::vector<Work>> closed;

  void close();
  // Returns when no more than so many groups are under way.
  void await(std::size_t most);
  bool empty() const { return open.empty() && closed.empty(); }
};

struct Thread {
  Block* block = nullptr;
  Warp* warp = nullptr;
  unsigned index[3] = {};
  unsigned lane = 0;
  double spent_us = 0;
  bool ended = false;
  boost::context::fiber here, scheduler;
  // Whether what it waits for is there; nullptr: it does not wait.
  bool (*is_ready)(const void*) = nullptr;
  const void* wish = nullptr;
  const char* waits_for = "";
  bool at_cluster_barrier = false;     // has arrived and not waited yet
  unsigned cluster_phase = 0;          // of that barrier
  CopyGroups units, bulk;              // of cp.async, and of bulk copies to global memory
  bool has_published = false;          // since it last arrived at a barrier of its block
  bool has_published_to_warp = false;  // since all lanes of its warp last met
};

struct Block {
  unsigned index[3] = {};
  unsigned rank = 0;   // in its cluster
  unsigned ended = 0;  // threads
  unsigned char* shared = nullptr;
  // All threads have told the copy engine what they wrote to shared memory before the last barrier
  // of the whole block.
  bool is_published = false;
  bool has_awaited = false;  // the launch before
  Barrier barriers[16];
  Barrier warpgroups[8];
  std::list<Warp> warps;
  std::vector<std::unique_ptr<Thread>> threads;
};

// The blocks that run at present.
struct Cluster {
  std::vector<std::unique_ptr<Block>> blocks;
  unsigned arrived = 0, phase = 0;  // of its barrier
  std::deque<Work> late;            // copies that are made when nobody can go on
  std::minstd_rand chance;
  int fault = 0;
};

Cluster& cluster();
Thread& current();

// What a CUresult says that kernels are ended with.
constexpr int kIllegalAddress = 700, kIllegalInstruction = 715, kMisaligned = 716,
              kLaunchFailed = 719;

// Ends the launch with this CUresult, and says why on standard error. Does not return.
[[noreturn]] void fail(int code, const char* why);

void wait(const char* what, bool (*is_ready)(const void*), const void* wish);
// Returns when ready() is true; by the running thread.
template <class Ready>
void wait_until(const char* what, const Ready& ready) {
  if (ready()) return;
  wait(
      what, [](const void* wish) { return (*static_cast<const Ready*>(wish))(); }, &ready);
}

// At once or when nobody can go on.
void at_some_time(Work work);

// `threads` of the block arrive at a barrier, 0: all. Those that wait go on then.
void arrive(unsigned barrier, unsigned threads, bool waits);
// All 128 threads of the running one's warpgroup.
void meet_warpgroup();
void arrive_at_cluster();
void wait_for_cluster();
const unsigned char* exchange(unsigned mask, const void* mine, unsigned bytes);

// Launch::hooks and Launch::run.
const Hooks& thread_hooks();
int run_together(Launch* launch, const Place& place, int (*thread)(void*), void* context);

}  // namespace fake_gpu
