// Values that a whole warp has, the lane that acts for it (from sm_90 on), and what the compiler is not to know.
#pragma once

// The value that all lanes of a warp have. The compiler does not see that they have, and descriptors
// and addresses that it derives from a value of each lane are computed in each lane and moved to the
// warp's registers between the products.
template <class T>
__device__ inline T of_warp(T value) {
  return __shfl_sync(~0u, value, 0);
}

// Always true, of which the compiler does not know: what is done under it is not moved ahead of what was
// before, as special functions are ahead of products.
__device__ inline bool is_always() {
  unsigned blocks;
  asm volatile("mov.u32 %0, %1;" : "=r"(blocks) : "r"(gridDim.x));
  return blocks != 0;
}

// The same value, in a register of its own. What the compiler can compute anew it does so in the middle
// of a loop, to have the register meanwhile, or computes for what follows while the loop goes round.
template <class T>
__device__ inline T kept(T value) {
  return __shfl_sync(~0u, value, threadIdx.x % 32);
}

// Whether this lane of a warp is the one that orders copies for it. The compiler knows of this
// instruction that only one lane is, and takes what that one has without asking which lanes differ.
__device__ inline bool is_elected() {
  unsigned elected;
  asm volatile(
      "{ .reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, p; }\n"
      : "=r"(elected));
  return elected != 0;
}
