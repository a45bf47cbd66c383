#pragma once

// What libfakecuda.so and a program of libfakenvrtc.so tell each other at a launch. No header is
// included, so that programs are compiled as fast as without.
namespace fake_gpu {

// An operand of inline PTX: the memory of a variable.
struct Operand {
  void* at;
  unsigned bytes;
};

// What threads that run together ask for; each function is called by a thread of a kernel.
struct Hooks {
  // __syncthreads.
  void (*synchronise)();
  // All lanes of the mask meet; lane i of the warp gave what is at result + i * kSlotBytes, until
  // the caller meets others by the same mask again.
  const unsigned char* (*exchange)(unsigned mask, const void* mine, unsigned bytes);
  // Of this block's shared memory: kDynamic is where its dynamic part begins.
  unsigned char* (*shared)(unsigned offset);
  // As PTX takes an address in shared memory.
  unsigned (*shared_address)(const void* pointer);
  // Inline PTX; `known` is a place for what is known of `text`, nullptr at first.
  void (*assemble)(void** known, const char* text, const Operand* operands, unsigned count);
};
constexpr unsigned kSlotBytes = 64;
constexpr unsigned kDynamic = 0, kStatic = 256 << 10, kSharedEnd = 1 << 20;

// Variables of the program that say who runs, and how much static shared memory it has so far.
struct Place {
  unsigned* thread;  // threadIdx
  unsigned* block;   // blockIdx
  double* spent_us;
  const unsigned* static_bytes;
};

// What a kernel is started with and gives back.
struct Launch {
  unsigned grid[3];
  unsigned block[3];
  unsigned cluster[3];
  unsigned shared_bytes;  // dynamic
  bool all_awaited;       // each block has waited for the launch before this one
  double spent_us;        // < 0: the kernel did not say
  const Hooks* hooks;
  // Calls thread(context) for every thread of the launch; a result that is not 0 ends it.
  int (*run)(Launch* launch, const Place& place, int (*thread)(void*), void* context);
};

}  // namespace fake_gpu
