// Programmatic dependent launches, which begin before the launch before them has ended: where the problem
// file's launch is `programmatic`, from compute capability 9.0 on. Before that launches follow one another,
// and there is nothing to say or to wait for. PTX ISA, "griddepcontrol".
#pragma once

// As the first thing of a kernel that stays: once all of its blocks have said so, blocks of the next launch
// begin where there is room beside them.
__device__ inline void let_next_launch_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Returns when the launch before has ended, with all that it wrote. What is read behind it must not be
// __restrict__: the compiler may load that before.
__device__ inline void await_launch_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
