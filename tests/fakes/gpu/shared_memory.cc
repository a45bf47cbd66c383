#include "tests/fakes/gpu/shared_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/fakes/gpu/thread_blocks.h"

namespace fake_gpu {
namespace {

constexpr unsigned kPage = 4096;
constexpr unsigned kOffsetBits = 20;
static_assert(kSharedEnd == 1 << kOffsetBits);

unsigned most_static = 0;  // bytes that any program has used so far

unsigned char* new_memory() {
  void* const memory = ::mmap(nullptr, kSharedEnd, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  std::memset(memory, 0xff, kSharedEnd);
  return static_cast<unsigned char*>(memory);
}

}  // namespace

unsigned char* shared_memory_of(unsigned rank, unsigned dynamic_bytes) {
  static std::vector<unsigned char*> memories;  // kept for the next cluster
  while (memories.size() <= rank) memories.push_back(new_memory());
  unsigned char* const memory = memories[rank];
  const unsigned open = (dynamic_bytes + kPage - 1) / kPage * kPage;
  ::mprotect(memory + kDynamic, open, PROT_READ | PROT_WRITE);
  ::mprotect(memory + kDynamic + open, kStatic - open, PROT_NONE);
  std::memset(memory + kDynamic, 0xff, open);
  std::memset(memory + kStatic, 0xff, most_static);
  return memory;
}

void static_memory_was_used(unsigned bytes) { most_static = std::max(most_static, bytes); }

unsigned char* own_shared(unsigned offset) { return current().block->shared + offset; }

unsigned shared_address(const void* pointer) {
  const auto* const at = static_cast<const unsigned char*>(pointer);
  const unsigned char* const begin = current().block->shared;
  if (at < begin || at >= begin + kSharedEnd) {
    fail(kIllegalAddress, "the address of no shared memory of the block is taken as such");
  }
  return static_cast<unsigned>(at - begin);
}

unsigned mapped_address(unsigned address, unsigned rank) {
  return (address & (kSharedEnd - 1)) | (rank + 1) << kOffsetBits;
}

unsigned char* at_shared(unsigned address) {
  const unsigned block = address >> kOffsetBits;
  const unsigned offset = address & (kSharedEnd - 1);
  if (block == 0) return own_shared(offset);
  if (block > cluster().blocks.size()) {
    fail(kIllegalAddress, "shared memory of a block that the cluster does not have");
  }
  return cluster().blocks[block - 1]->shared + offset;
}

PhaseBarrier& PhaseBarrier::at(unsigned address) {
  if (address % 8 != 0) fail(kMisaligned, "an mbarrier that is not aligned to 8 bytes");
  return *reinterpret_cast<PhaseBarrier*>(at_shared(address));
}

void PhaseBarrier::initialise(unsigned arrivals) {
  expected = pending = static_cast<std::uint16_t>(arrivals);
  bytes_and_phase = 0;
}

void PhaseBarrier::arrive(unsigned bytes) {
  if (pending == 0) fail(kIllegalAddress, "more arrive at an mbarrier than it expects");
  add_bytes(static_cast<std::int32_t>(bytes));
  --pending;
  turn_if_complete();
}

void PhaseBarrier::complete(std::int32_t bytes) {
  add_bytes(-bytes);
  turn_if_complete();
}

bool PhaseBarrier::is_past(unsigned parity) const {
  return static_cast<unsigned>(bytes_and_phase & 1) != (parity & 1);
}

void PhaseBarrier::add_bytes(std::int32_t bytes) { bytes_and_phase += 2 * bytes; }

void PhaseBarrier::turn_if_complete() {
  if (pending != 0 || bytes_and_phase >> 1 != 0) return;
  bytes_and_phase ^= 1;
  pending = expected;
}

}  // namespace fake_gpu
