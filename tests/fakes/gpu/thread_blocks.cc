#include "tests/fakes/gpu/thread_blocks.h"

#include <algorithm>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tests/fakes/gpu/fake_settings.h"
#include "tests/fakes/gpu/ptx.h"
#include "tests/fakes/gpu/shared_memory.h"

namespace fake_gpu {
namespace {

constexpr std::size_t kStackBytes = 128 << 10;

// One launch at a time, by one thread of the process.
Cluster* running = nullptr;
Thread* present = nullptr;

void go_on_with_scheduler() {
  Thread& thread = current();
  thread.scheduler = std::move(thread.scheduler).resume();
}

unsigned arrivals_of(const Barrier& barrier, const Block& block, unsigned threads) {
  return barrier.of_all ? static_cast<unsigned>(block.threads.size()) - block.ended : threads;
}

void open_if_complete(Barrier& barrier, Block& block, unsigned threads) {
  if (barrier.arrived == 0 || barrier.arrived < arrivals_of(barrier, block, threads)) return;
  barrier.arrived = 0;
  ++barrier.generation;
  if (barrier.of_all) block.is_published = barrier.is_published;
  barrier.is_published = true;
}

void arrive_at(Barrier& barrier, unsigned threads, bool waits, const char* what) {
  Block& block = *current().block;
  const unsigned generation = barrier.generation;
  barrier.of_all = threads == 0;
  barrier.is_published = barrier.is_published && current().has_published;
  current().has_published = false;
  ++barrier.arrived;
  open_if_complete(barrier, block, threads);
  if (waits) {
    wait_until(what, [&] { return barrier.generation != generation; });
  }
}

void all_lanes_meet(Warp& warp) {
  warp.is_published = true;
  for (Thread* thread : warp.threads) {
    warp.is_published = warp.is_published && thread->has_published_to_warp;
    thread->has_published_to_warp = false;
  }
}

// A launch as its fibers see it.
class Runner {
 public:
  Runner(Launch& launch, const Place& place, int (*thread)(void*), void* context)
      : launch_(launch), place_(place), thread_(thread), context_(context) {}

  int run() {
    unsigned first[3];
    const unsigned(&side)[3] = launch_.cluster;
    std::uint64_t seed = number_setting("FAKE_GPU_SEED", 1);
    launch_.all_awaited = true;
    for (first[2] = 0; first[2] < launch_.grid[2]; first[2] += side[2]) {
      for (first[1] = 0; first[1] < launch_.grid[1]; first[1] += side[1]) {
        for (first[0] = 0; first[0] < launch_.grid[0]; first[0] += side[0]) {
          if (const int fault = run_cluster(first, seed++); fault != 0) return fault;
        }
      }
    }
    return 0;
  }

 private:
  int run_cluster(const unsigned (&first)[3], std::uint64_t seed) {
    auto made = std::make_unique<Cluster>();
    made->chance.seed(static_cast<unsigned>(seed));
    running = made.get();
    const unsigned(&side)[3] = launch_.cluster;
    for (unsigned rank = 0; rank < side[0] * side[1] * side[2]; ++rank) {
      auto block = std::make_unique<Block>();
      block->rank = rank;
      block->index[0] = first[0] + rank % side[0];
      block->index[1] = first[1] + rank / side[0] % side[1];
      block->index[2] = first[2] + rank / side[0] / side[1];
      block->shared = shared_memory_of(rank, launch_.shared_bytes);
      add_threads(*block);
      made->blocks.push_back(std::move(block));
    }
    const int fault = run_all(*made);
    for (const auto& block : made->blocks) {
      launch_.all_awaited = launch_.all_awaited && block->has_awaited;
    }
    static_memory_was_used(*place_.static_bytes);
    running = nullptr;
    present = nullptr;
    // The context is broken. Threads that have not ended are left where they are: unwinding them
    // would run code of the kernel.
    if (fault != 0) made.release();
    return fault;
  }

  void add_threads(Block& block) {
    const unsigned(&side)[3] = launch_.block;
    for (unsigned i = 0; i < side[0] * side[1] * side[2]; ++i) {
      if (i % 32 == 0) block.warps.emplace_back();
      auto thread = std::make_unique<Thread>();
      thread->block = &block;
      thread->warp = &block.warps.back();
      thread->lane = i % 32;
      thread->index[0] = i % side[0];
      thread->index[1] = i / side[0] % side[1];
      thread->index[2] = i / side[0] / side[1];
      Thread* const self = thread.get();
      thread->here = {std::allocator_arg, stacks_, [this, self](boost::context::fiber&& from) {
                        self->scheduler = std::move(from);
                        if (const int fault = thread_(context_); fault != 0) {
                          cluster().fault = fault;
                        }
                        end(*self);
                        return std::move(self->scheduler);
                      }};
      block.warps.back().threads.push_back(self);
      block.threads.push_back(std::move(thread));
    }
  }

  static void end(Thread& thread) {
    thread.ended = true;
    ++thread.block->ended;
    for (Barrier& barrier : thread.block->barriers) {
      if (barrier.of_all) open_if_complete(barrier, *thread.block, 0);
    }
    thread.units.await(0);
    if (!thread.bulk.empty()) {
      std::fprintf(stderr, "fake GPU: a thread ends while its copies read shared memory\n");
      cluster().fault = kLaunchFailed;
    }
  }

  int run_all(Cluster& made) {
    std::vector<Warp*> order;
    for (const auto& block : made.blocks) {
      for (Warp& warp : block->warps) order.push_back(&warp);
    }
    Warp* slow = order.front();  // is held back while anything else can go on
    while (!all_ended(made)) {
      std::shuffle(order.begin(), order.end(), made.chance);
      bool moved = false;
      for (Warp* warp : order) {
        if (warp == slow) continue;
        moved = run_warp(*warp) || moved;
        if (made.fault != 0) return made.fault;
      }
      if (moved) continue;
      if (!made.late.empty()) {
        const Work work = std::move(made.late.front());
        made.late.pop_front();
        work();
        continue;
      }
      if (!run_warp(*slow)) return stuck(made);
      if (made.fault != 0) return made.fault;
      std::erase_if(order, has_ended);
      if (!order.empty()) slow = order[made.chance() % order.size()];
    }
    for (Work& work : made.late) work();
    return 0;
  }

  // As far as it gets.
  bool run_warp(Warp& warp) {
    bool moved = false;
    for (bool again = true; again;) {
      again = false;
      for (Thread* thread : warp.threads) {
        if (thread->ended) continue;
        if (thread->is_ready != nullptr && !thread->is_ready(thread->wish)) continue;
        resume(*thread);
        if (cluster().fault != 0) return true;
        again = moved = true;
      }
    }
    return moved;
  }

  void resume(Thread& thread) {
    thread.is_ready = nullptr;
    present = &thread;
    std::copy_n(thread.index, 3, place_.thread);
    std::copy_n(thread.block->index, 3, place_.block);
    *place_.spent_us = thread.spent_us;
    thread.here = std::move(thread.here).resume();
    thread.spent_us = *place_.spent_us;
  }

  static bool has_ended(const Warp* warp) {
    return std::all_of(warp->threads.begin(), warp->threads.end(),
                       [](const Thread* thread) { return thread->ended; });
  }
  static bool all_ended(const Cluster& made) {
    return std::all_of(made.blocks.begin(), made.blocks.end(),
                       [](const auto& block) { return block->ended == block->threads.size(); });
  }

  // A GPU would hang here.
  static int stuck(const Cluster& made) {
    for (const auto& block : made.blocks) {
      for (const auto& thread : block->threads) {
        if (thread->ended) continue;
        std::fprintf(stderr, "fake GPU: block %u, thread %u waits for ever: %s\n", block->index[0],
                     thread->index[0], thread->waits_for);
        return kLaunchFailed;
      }
    }
    return kLaunchFailed;
  }

  Launch& launch_;
  const Place& place_;
  int (*thread_)(void*);
  void* context_;
  boost::context::pooled_fixedsize_stack stacks_{kStackBytes};
};

}  // namespace

void CopyGroups::close() { closed.push_back(std::exchange(open, {})); }
void CopyGroups::await(std::size_t most) {
  for (; closed.size() > most; closed.pop_front()) {
    for (Work& copy : closed.front()) copy();
  }
}

Cluster& cluster() { return *running; }
Thread& current() { return *present; }

void fail(int code, const char* why) {
  std::fprintf(stderr, "fake GPU: %s\n", why);
  cluster().fault = code;
  for (;;) go_on_with_scheduler();
}

void wait(const char* what, bool (*is_ready)(const void*), const void* wish) {
  Thread& thread = current();
  thread.is_ready = is_ready;
  thread.wish = wish;
  thread.waits_for = what;
  go_on_with_scheduler();
}

void at_some_time(Work work) {
  if (cluster().chance() % 2 == 0) {
    work();
  } else {
    cluster().late.push_back(std::move(work));
  }
}

void arrive(unsigned number, unsigned threads, bool waits) {
  Block& block = *current().block;
  if (number >= std::size(block.barriers)) fail(kIllegalInstruction, "a block has 16 barriers");
  arrive_at(block.barriers[number], threads, waits, "a barrier of its block");
}

void meet_warpgroup() {
  constexpr unsigned kThreads = 128;
  const Thread& thread = current();
  arrive_at(thread.block->warpgroups[thread.index[0] / kThreads], kThreads, true, "its warpgroup");
}

void arrive_at_cluster() {
  Thread& thread = current();
  if (thread.at_cluster_barrier)
    fail(kIllegalInstruction, "arrived twice at the cluster's barrier");
  thread.at_cluster_barrier = true;
  thread.cluster_phase = cluster().phase;
  std::size_t all = 0;
  for (const auto& block : cluster().blocks) all += block->threads.size();
  if (++cluster().arrived < all) return;
  cluster().arrived = 0;
  ++cluster().phase;
}

void wait_for_cluster() {
  Thread& thread = current();
  if (!thread.at_cluster_barrier) fail(kIllegalInstruction, "waits where it has not arrived");
  wait_until("the cluster's barrier", [&] { return cluster().phase != thread.cluster_phase; });
  thread.at_cluster_barrier = false;
}

const unsigned char* exchange(unsigned mask, const void* mine, unsigned bytes) {
  Thread& thread = current();
  Warp& warp = *thread.warp;
  if ((mask >> thread.lane & 1) == 0) fail(kIllegalInstruction, "a mask without the lane itself");
  const auto found = std::find_if(warp.meetings.begin(), warp.meetings.end(),
                                  [&](const Meeting& meeting) { return meeting.mask == mask; });
  Meeting& meeting = found != warp.meetings.end() ? *found : warp.meetings.emplace_back();
  meeting.mask = mask;
  const unsigned generation = meeting.generation;
  unsigned char* const slots = meeting.slots[generation % 2];
  std::memcpy(slots + thread.lane * kSlotBytes, mine, bytes);
  meeting.arrived |= 1U << thread.lane;
  const auto lanes = warp.threads.size();
  if (meeting.arrived == (lanes == 32 ? mask : mask & ((1U << lanes) - 1))) {
    meeting.arrived = 0;
    ++meeting.generation;
    if (mask == 0xffffffffU) all_lanes_meet(warp);
  }
  wait_until("other lanes of its warp", [&] { return meeting.generation != generation; });
  return slots;
}

const Hooks& thread_hooks() {
  static const Hooks hooks = {[] { arrive(0, 0, true); }, exchange, own_shared, shared_address,
                              assemble};
  return hooks;
}

int run_together(Launch* launch, const Place& place, int (*thread)(void*), void* context) {
  return Runner(*launch, place, thread, context).run();
}

}  // namespace fake_gpu
