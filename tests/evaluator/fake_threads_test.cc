// Threads of the fake GPU that wait for each other: barriers, warps, shared memory, clusters,
// copies, and what becomes of kernels that wait wrongly.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/cuda/driver/driver.h"
#include "tests/evaluator/fake_gpu_bench.h"

namespace nightshift::evaluator::cuda {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Pair;

class FakeThreadsTest : public ::testing::Test {
 protected:
  FakeThreadsTest() { use_fake_gpu(); }
  ~FakeThreadsTest() override { ::unsetenv("FAKE_GPU_SEED"); }
};
using FakeThreadsDeathTest = FakeThreadsTest;

// What a mbarrier is used by, as kernels of the catalogue do.
constexpr const char* kBarriers = R"(
__device__ inline unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ inline void initialise(void* b, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(arrivals) : "memory");
}
__device__ inline void expect(void* b, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(b)), "r"(bytes)
               : "memory");
}
__device__ inline void await(void* b, unsigned parity) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile("{ .reg .pred p;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, p; }\n" : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
  }
}
__device__ inline void copy(void* to, const void* from, unsigned bytes, void* b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), "r"(bytes), "r"(at(b)) : "memory");
}
__device__ inline unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
)";

std::vector<float> first_of(const Bench& bench, std::size_t count) {
  std::vector<float> floats = bench.floats();
  floats.resize(count);
  return floats;
}

TEST_F(FakeThreadsTest, ABlockMeetsAtItsBarrier) {
  Bench bench(R"(
    extern "C" __global__ void turn(float* x, float) {
      __shared__ float turned[64];
      turned[63 - threadIdx.x] = threadIdx.x;
      __syncthreads();
      x[threadIdx.x] = turned[threadIdx.x] - (63.0f - threadIdx.x);
    })",
              {"turn"});
  ASSERT_EQ(bench.launch(0), kSuccess);
  EXPECT_THAT(bench.floats(), Each(0.0F));
}

// Ten times, that the order of warps is never what makes it right.
TEST_F(FakeThreadsTest, AForgottenBarrierIsSeen) {
  int wrong = 0;
  for (int seed = 1; seed <= 10; ++seed) {
    ::setenv("FAKE_GPU_SEED", std::to_string(seed).c_str(), 1);
    Bench bench(R"(
      extern "C" __global__ void turn(float* x, float) {
        __shared__ float turned[64];
        __syncwarp();
        turned[63 - threadIdx.x] = 1;
        x[threadIdx.x] = turned[threadIdx.x];
      })",
                {"turn"});
    ASSERT_EQ(bench.launch(0), kSuccess);
    std::vector<float> expected(Bench::kFloats, 1);
    wrong += bench.floats() != expected ? 1 : 0;
  }
  EXPECT_EQ(wrong, 10);
}

TEST_F(FakeThreadsTest, ThreadsThatHaveEndedAreNotWaitedFor) {
  Bench bench(R"(
    extern "C" __global__ void leave(float* x, float) {
      if (threadIdx.x >= 40) return;
      __syncthreads();
      x[threadIdx.x] = 2;
    })",
              {"leave"});
  ASSERT_EQ(bench.launch(0), kSuccess);
  EXPECT_THAT(first_of(bench, 40), Each(2.0F));
}

TEST_F(FakeThreadsTest, LanesOfAWarpGetWhatOthersGave) {
  Bench bench(R"(
    extern "C" __global__ void lanes(float* x, float) {
      const int lane = threadIdx.x % 32;
      const float mine = threadIdx.x;
      const float by_xor = __shfl_xor_sync(0xffffffffu, mine, 5);
      const float up = __shfl_up_sync(0xffffffffu, mine, 3);
      const float down = __shfl_down_sync(0xffffffffu, mine, 4, 8);
      const float from = __shfl_sync(0xffffffffu, mine, 9, 16);
      const unsigned votes = __ballot_sync(0xffffffffu, lane % 3 == 0);
      const bool one_is = __any_sync(0xffffffffu, lane == 7);
      const bool none_is = !__any_sync(0xffffffffu, lane == 40);
      const float base = threadIdx.x - lane;
      bool right = by_xor == base + (lane ^ 5);
      right = right && up == (lane < 3 ? mine : mine - 3);
      right = right && down == (lane % 8 < 4 ? mine + 4 : mine);
      right = right && from == base + lane / 16 * 16 + 9;
      right = right && votes == 0x49249249u && one_is && none_is;
      x[threadIdx.x] = right;
    })",
              {"lanes"});
  ASSERT_EQ(bench.launch(0), kSuccess);
  EXPECT_THAT(bench.floats(), Each(1.0F));
}

TEST_F(FakeThreadsTest, BlocksHaveSharedMemoryOfTheirOwn) {
  Bench bench(R"(
    extern "C" __global__ void count(float* x, float) {
      extern __shared__ __align__(16) unsigned numbers[];
      __shared__ unsigned sum;
      const bool fresh = sum != 32 && numbers[threadIdx.x] == 0xffffffffu;
      __syncthreads();
      if (threadIdx.x == 0) sum = 0;
      numbers[threadIdx.x] = 1;
      __syncthreads();
      if (threadIdx.x == 0) for (int i = 0; i < 32; ++i) sum += numbers[i];
      __syncthreads();
      x[blockIdx.x * 32 + threadIdx.x] = fresh && sum == 32;
    })",
              {"count"});
  ASSERT_EQ(bench.launch_clusters(2, 32, 1, 32 * sizeof(unsigned)), kSuccess);
  EXPECT_THAT(bench.floats(), Each(1.0F));
}

TEST_F(FakeThreadsTest, BlocksOfAClusterSendEachOtherWords) {
  Bench bench(std::string(kBarriers) + R"(
    extern "C" __global__ void send(float* x, float) {
      __shared__ unsigned long long barrier;
      __shared__ float received;
      if (threadIdx.x == 0) { initialise(&barrier, 1); expect(&barrier, 4); }
      cluster_sync();
      if (threadIdx.x == 0) {
        const float mine = 10 + cluster_rank();
        unsigned there, barrier_there;
        const unsigned next = (cluster_rank() + 1) % 4;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(there) : "r"(at(&received)), "r"(next));
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(barrier_there) : "r"(at(&barrier)), "r"(next));
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::
                     "r"(there), "f"(mine), "r"(barrier_there) : "memory");
      }
      await(&barrier, 0);
      if (threadIdx.x == 7) x[blockIdx.x] = received;
    })",
              {"send"});
  ASSERT_EQ(bench.launch_clusters(8, 32, 4, 0), kSuccess);
  EXPECT_THAT(first_of(bench, 8), ElementsAre(13, 10, 11, 12, 13, 10, 11, 12));
}

constexpr const char* kCopies = R"(
    extern "C" __global__ void bring(float* x, float) {
      __shared__ __align__(16) float there[32];
      __shared__ unsigned long long barrier;
      if (threadIdx.x == 0) { initialise(&barrier, 1); }
      __syncthreads();
      if (threadIdx.x == 0) { expect(&barrier, 128); copy(there, x, 128, &barrier); }
      if (WAITS) await(&barrier, 0);
      x[32 + threadIdx.x] = there[threadIdx.x] + 1;
    })";

TEST_F(FakeThreadsTest, CopiesAreThereWhenTheirBarrierSaysSo) {
  for (int seed = 1; seed <= 6; ++seed) {
    ::setenv("FAKE_GPU_SEED", std::to_string(seed).c_str(), 1);
    Bench bench("#define WAITS 1\n" + (kBarriers + std::string(kCopies)), {"bring"});
    ASSERT_EQ(bench.launch(0, 1, 32), kSuccess);
    EXPECT_THAT(bench.floats()[40], 2.0F);
  }
}

TEST_F(FakeThreadsTest, WhoDoesNotWaitForACopyMayNotFindIt) {
  int found = 0;
  for (int seed = 1; seed <= 6; ++seed) {
    ::setenv("FAKE_GPU_SEED", std::to_string(seed).c_str(), 1);
    Bench bench("#define WAITS 0\n" + (kBarriers + std::string(kCopies)), {"bring"});
    ASSERT_EQ(bench.launch(0, 1, 32), kSuccess);
    found += bench.floats()[40] == 2 ? 1 : 0;
  }
  EXPECT_GT(found, 0) << "some copies are early";
  EXPECT_LT(found, 6) << "and some late";
}

// The code of a launch of `program`, in a process of its own: a broken context stays so.
int code_of(const std::string& program, unsigned threads) {
  Bench bench(program, {"f"});
  bench.launch(0, 1, threads);
  return driver().cuStreamSynchronize(bench.stream()) - 700;
}

TEST_F(FakeThreadsDeathTest, ThreadsThatWaitForEverEndTheLaunch) {
  const std::string half = R"(extern "C" __global__ void f(float*, float) {
      __shared__ float unused[1];
      if (threadIdx.x < 16) __syncwarp();
      else __shfl_sync(0xffff0000u, 1.0f, 20);
    })";
  EXPECT_EXIT(std::_Exit(code_of(half, 32)), ::testing::ExitedWithCode(19),
              "waits for ever: other lanes of its warp");
  const std::string phase = std::string(kBarriers) + R"(
    extern "C" __global__ void f(float*, float) {
      __shared__ unsigned long long barrier;
      if (threadIdx.x == 0) initialise(&barrier, 2);
      __syncthreads();
      if (threadIdx.x == 0) expect(&barrier, 0);
      await(&barrier, 0);
    })";
  EXPECT_EXIT(std::_Exit(code_of(phase, 32)), ::testing::ExitedWithCode(19),
              "waits for ever: a phase of an mbarrier");
}

// Two warps wait for slots of a ring, which the first one's leader frees: with GATHERS when both
// have seen them full. Two others fill them, and meet for each, so that only a warp that is held
// back comes a whole round late, and takes a phase for the one before.
constexpr const char* kRing = R"(
    __device__ inline void arrive(void* b) {
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(b)) : "memory");
    }
    extern "C" __global__ void f(float*, float) {
      __shared__ unsigned long long full[4];
      __shared__ unsigned long long free[4];
      if (threadIdx.x < 4) { initialise(full + threadIdx.x, 1); initialise(free + threadIdx.x, 1); }
      __syncthreads();
      for (unsigned i = 0; i < 12; ++i) {
        const unsigned slot = i % 4, round = i / 4 % 2;
        if (threadIdx.x < 64) {
          await(full + slot, round);
          if (GATHERS) asm volatile("bar.sync %0, %1;" ::"r"(1), "n"(64) : "memory");
          if (threadIdx.x == 0) arrive(free + slot);
        } else {
          if (threadIdx.x == 64) await(free + slot, round ^ 1);
          asm volatile("bar.sync %0, %1;" ::"r"(2), "n"(64) : "memory");
          if (threadIdx.x == 64) arrive(full + slot);
        }
      }
    })";

TEST_F(FakeThreadsDeathTest, AWarpThatComesLateToAPhaseIsSeen) {
  const auto first_fault = [](const std::string& program) {
    int code = -700;
    for (int seed = 1; seed <= 8 && code == -700; ++seed) {
      ::setenv("FAKE_GPU_SEED", std::to_string(seed).c_str(), 1);
      code = code_of(kBarriers + program, 128);
    }
    return code == -700 ? 0 : code;
  };
  EXPECT_EXIT(std::_Exit(first_fault("#define GATHERS 0\n" + std::string(kRing))),
              ::testing::ExitedWithCode(19), "waits for ever: a phase of an mbarrier");
  EXPECT_EQ(first_fault("#define GATHERS 1\n" + std::string(kRing)), 0);
}

TEST_F(FakeThreadsTest, AProgrammaticLaunchWaitsForTheOneBefore) {
  const auto launched = [](const std::string& first) {
    Bench bench("extern \"C\" __global__ void f(float* x, float) {\n" + first +
                    "\nif (blockIdx.x == 0) x[threadIdx.x] = 2;}",
                {"f"});
    const Result result = bench.launch_programmatic(2);
    return std::pair(result, result == kSuccess ? bench.floats()[0] : 0);
  };
  EXPECT_THAT(launched("asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");"),
              Pair(kSuccess, 2.0F));
}

TEST_F(FakeThreadsDeathTest, AProgrammaticLaunchThatDoesNotWaitIsAnError) {
  const auto code = [](const std::string& first) {
    Bench bench("extern \"C\" __global__ void f(float* x, float) {\n" + first + "\n}", {"f"});
    if (const Result result = bench.launch_programmatic(2); result != kSuccess) return result - 700;
    return driver().cuStreamSynchronize(bench.stream()) - 700;
  };
  for (const char* first :
       {"x[threadIdx.x] = 2;",
        "if (blockIdx.x == 0) asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");"}) {
    EXPECT_EXIT(std::_Exit(code(first)), ::testing::ExitedWithCode(19),
                "does not wait for the one before");
  }
  const auto on_ada = [&] {
    ::setenv("FAKE_GPU_ARCHITECTURES", "89", 1);
    return code("x[threadIdx.x] = 2;");
  };
  EXPECT_EXIT(std::_Exit(on_ada()), ::testing::ExitedWithCode(101), "");
}

TEST_F(FakeThreadsDeathTest, InstructionsOfLaterDevicesAreRefused) {
  const std::string program = std::string(kBarriers) + R"(
    extern "C" __global__ void f(float* x, float) { x[0] = cluster_rank(); cluster_sync(); })";
  const auto code = [&] {
    ::setenv("FAKE_GPU_ARCHITECTURES", "89", 1);
    return code_of(program, 1);
  };
  EXPECT_EXIT(std::_Exit(code()), ::testing::ExitedWithCode(15), "is for later devices");
}

TEST_F(FakeThreadsDeathTest, MistakesOfInlinePtxAreErrors) {
  const auto program = [](const std::string& text) {
    return std::string(kBarriers) + "extern \"C\" __global__ void f(float* x, float) {\n" + text +
           "}";
  };
  EXPECT_EXIT(std::_Exit(code_of(program("asm volatile(\"vote.magic %0;\" ::\"r\"(1));"), 1)),
              ::testing::ExitedWithCode(15), "does not know the instruction vote.magic");
  EXPECT_EXIT(
      std::_Exit(code_of(program("__shared__ __align__(16) float to[8]; copy((char*)to + 4, "
                                 "x, 16, to);"),
                         1)),
      ::testing::ExitedWithCode(16), "misaligned");
  EXPECT_EXIT(std::_Exit(code_of(program("float own; initialise(&own, 1);"), 1)),
              ::testing::ExitedWithCode(0), "no shared memory");
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
