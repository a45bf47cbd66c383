// Thread block clusters: blocks that run at the same time on neighbouring multiprocessors and may
// write into each other's shared memory. PTX ISA, "barrier.cluster" and "mapa"; from sm_90 on.
#pragma once

__device__ inline unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// Orders nothing: only says that this block runs.
__device__ inline void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

// Publishes this thread's writes to the blocks of the cluster.
__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// All barriers of the cluster's blocks are there. initialise() has published them to the cluster: a release
// of everything else that was written costs a microsecond.
template <int kBlocks>
__device__ inline void start_together() {
  if constexpr (kBlocks == 1) {
    __syncthreads();
  } else {
    cluster_arrive_relaxed();
    cluster_wait();
  }
}

// The address of a shared memory location as PTX takes it: 32 bits wide.
__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
