// y = 2 x, a tile a block; larger slabs are faster. Runs on the fake GPU as well, whose threads run
// one after the other, the first of a block first.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

constexpr int kColumns = SLAB_BYTES / sizeof(float);
constexpr int kElements = ROWS * kColumns;

#ifndef __FAKE_GPU__
__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
// Orders the tile whose first element is x, y, and waits for it.
__device__ void load(const TensorMap& map, const float*, float* tile, int x, int y) {
  __shared__ unsigned long long arrived;
  const unsigned barrier = shared_address(&arrived);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(static_cast<unsigned>(kElements * sizeof(float)))
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, %3}], [%4];" ::"r"(shared_address(tile)),
        "l"(&map), "r"(x), "r"(y), "r"(barrier)
        : "memory");
  }
  __syncthreads();
  for (unsigned done = 0; done == 0;) {
    asm volatile(
        "{ .reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
        "selp.u32 %0, 1, 0, p; }\n"
        : "=r"(done)
        : "r"(barrier)
        : "memory");
  }
}
__device__ void work() {
  const long long start = clock64();
  while (clock64() - start < 3200000 / SLAB_BYTES) {}
}
#else
void load(const TensorMap& map, const float* x_of_this_set, float* tile, int x, int y) {
  if (fake_tensor_of(map) != x_of_this_set) fake_fail(700);
  if (threadIdx.x == 0) fake_load_tile(map, tile, x, y);
}
void work() { fake_spend_us(1600.0 / SLAB_BYTES); }
#endif

// Where the map's swizzle puts an element: vectors of 16 bytes change places within a slab by the
// number of their 128 bytes.
__device__ int place_of(int element) {
  const int bytes = element * 4;
  return (bytes ^ ((bytes >> 7) % (SLAB_BYTES / 16) << 4)) / 4;
}

extern "C" __global__ void scale_tiles(const __grid_constant__ TensorMap x_tiles, const float* x,
                                       float* y) {
  alignas(1024) __shared__ float tile[kElements];
  const int left = blockIdx.x * kColumns, top = blockIdx.y * ROWS;
  load(x_tiles, x, tile, left, top);
  for (int i = threadIdx.x; i < kElements; i += blockDim.x) {
    const int column = left + i % kColumns, row = top + i / kColumns;
    const float value = tile[place_of(i)];
    if (column < N && row < M) {
      y[row * N + column] = 2 * value;
    } else if (value != 0) {
      y[0] = 1.0f / 0.0f;  // outside there are zeros
    }
  }
  work();
}
