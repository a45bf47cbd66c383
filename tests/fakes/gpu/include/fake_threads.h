#pragma once

#include "fake_hooks.h"

// Threads that wait for each other, for libfakenvrtc.so: barriers, warps, shared memory and inline
// PTX, which it takes out of programs and writes as calls of what stands here. Part of
// fake_device.h.
namespace fake_gpu {

static const Hooks* hooks;
static unsigned static_bytes;  // of shared memory that this program has given out

// The block's variable of this type; each lambda, and so each place in a program, has its own.
template <class T, class Unique>
T& shared(Unique) {
  static const unsigned at = [] {
    const unsigned begin = static_bytes;
    static_bytes += (sizeof(T) + 127) / 128 * 128;
    if (kStatic + static_bytes > kSharedEnd) __builtin_trap();
    return kStatic + begin;
  }();
  return *reinterpret_cast<T*>(hooks->shared(at));
}

template <class T>
struct Input {
  T value;
  Operand operand() const { return {const_cast<T*>(&value), sizeof value}; }
};
template <class T>
Input<T> in(T value) {
  return {value};
}
template <class T>
Operand out(T& variable) {
  return {&variable, sizeof variable};
}
inline Operand operand_of(const Operand& operand) { return operand; }
template <class T>
Operand operand_of(const Input<T>& input) {
  return input.operand();
}
template <class... Operands>
void assemble(void** known, const char* text, const Operands&... operands) {
  const Operand all[] = {operand_of(operands)..., {nullptr, 0}};
  hooks->assemble(known, text, all, sizeof...(Operands));
}

inline unsigned lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
// What lane `from` of the warp gave.
template <class T>
T of_lane(unsigned mask, T value, unsigned from) {
  static_assert(sizeof(T) <= kSlotBytes);
  const unsigned char* slots = hooks->exchange(mask, &value, sizeof value);
  __builtin_memcpy(&value, slots + from * kSlotBytes, sizeof value);
  return value;
}
// Moves within `width` lanes; what would leave them gives the lane's own.
template <class T>
T shuffle(unsigned mask, T value, int to, int width) {
  const int own = static_cast<int>(lane());
  const int begin = own / width * width;
  return of_lane(mask, value, static_cast<unsigned>(to < begin || to >= begin + width ? own : to));
}

}  // namespace fake_gpu

inline void __syncthreads() { fake_gpu::hooks->synchronise(); }
inline void __syncwarp(unsigned mask = 0xffffffffU) { fake_gpu::of_lane(mask, 0, 0); }
inline void __threadfence() {}
inline void __threadfence_block() {}
template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  const int begin = static_cast<int>(fake_gpu::lane()) / width * width;
  return fake_gpu::shuffle(mask, value, begin + from % width, width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32) {
  return fake_gpu::shuffle(mask, value, static_cast<int>(fake_gpu::lane()) ^ with, width);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  return fake_gpu::shuffle(mask, value, static_cast<int>(fake_gpu::lane() - by), width);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  return fake_gpu::shuffle(mask, value, static_cast<int>(fake_gpu::lane() + by), width);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const unsigned char* slots = fake_gpu::hooks->exchange(mask, &predicate, sizeof predicate);
  unsigned votes = 0;
  for (unsigned i = 0; i < 32; ++i) {
    int vote = 0;
    if ((mask >> i & 1) != 0)
      __builtin_memcpy(&vote, slots + i * fake_gpu::kSlotBytes, sizeof vote);
    votes |= (vote != 0 ? 1U : 0U) << i;
  }
  return votes;
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline unsigned long long __cvta_generic_to_shared(const void* pointer) {
  return fake_gpu::hooks->shared_address(pointer);
}
