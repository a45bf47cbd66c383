#pragma once

#include <cstdint>

namespace fake_gpu {

// Shared memory of the blocks of a cluster. As PTX says it an address is an offset within that of
// the running block or, as mapa gives it, of another block of its cluster. Behind the dynamic part
// memory cannot be touched.

// Of the block of this rank, filled with NaN.
unsigned char* shared_memory_of(unsigned rank, unsigned dynamic_bytes);
// So much of the static part is to be filled again; a program tells it once it has run.
void static_memory_was_used(unsigned bytes);

// By the running thread.
unsigned char* own_shared(unsigned offset);
unsigned shared_address(const void* pointer);
unsigned mapped_address(unsigned address, unsigned rank);
unsigned char* at_shared(unsigned address);

// An mbarrier as it lies in shared memory.
struct PhaseBarrier {
  std::uint16_t expected;  // arrivals of a phase
  std::uint16_t pending;   // of the present phase
  std::int32_t bytes_and_phase;

  static PhaseBarrier& at(unsigned address);
  void initialise(unsigned arrivals);
  void arrive(unsigned bytes);          // that are to come
  void complete(std::int32_t bytes);    // that have come
  bool is_past(unsigned parity) const;  // the phase of this parity is complete

 private:
  void add_bytes(std::int32_t bytes);
  void turn_if_complete();
};
static_assert(sizeof(PhaseBarrier) == 8);

}  // namespace fake_gpu
