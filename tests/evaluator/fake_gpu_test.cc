// The fakes of driver and run-time compiler, through the tables by which we use the real ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "evaluator/cuda/driver/context.h"
#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"
#include "evaluator/cuda/driver/nvrtc.h"
#include "evaluator/cuda/launch/tensor_map.h"
#include "tests/evaluator/fake_gpu_bench.h"
#include "tests/fakes/gpu/fake_gpu.h"

namespace nightshift::evaluator::cuda {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message_of(const std::string& source, const std::vector<std::string>& functions) {
  try {
    compiled(source, functions);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

class FakeGpuTest : public ::testing::Test {
 protected:
  FakeGpuTest() { use_fake_gpu(); }
};
using FakeGpuDeathTest = FakeGpuTest;

constexpr const char* kScale = R"(
extern "C" __global__ void __launch_bounds__(64) scale(float* x, float value) {
  x[blockIdx.x * blockDim.x + threadIdx.x] *= value;
}
template <int Plus>
__global__ void add(float* x, float value) { x[threadIdx.x] += value + Plus; }
)";

TEST_F(FakeGpuTest, KernelsComputeWhatTheySay) {
  Bench bench(kScale, {"scale", "add<5>"});
  ASSERT_EQ(bench.launch(3, 2, 32), kSuccess);
  EXPECT_THAT(bench.floats(), Each(3.0F));
  ASSERT_EQ(bench.launch(1, 1, 64, 1), kSuccess);
  EXPECT_THAT(bench.floats(), Each(9.0F));
}

TEST_F(FakeGpuTest, KernelsInNamespacesAndBlocksAreFound) {
  Bench bench(R"(
    #define KERNEL extern "C" __global__
    namespace inner { KERNEL void one(float* x, float) { x[threadIdx.x] = 2; } }
    extern "C" {
    __global__ void two(float* x, float) { x[threadIdx.x] += '{' == 123; }
    })",
              {"one", "two"});
  ASSERT_EQ(bench.launch(0), kSuccess);
  ASSERT_EQ(bench.launch(0, 1, 64, 1), kSuccess);
  EXPECT_THAT(bench.floats(), Each(3.0F));
}

TEST_F(FakeGpuTest, SmallFloatsRoundAsOnADevice) {
  Bench bench(R"(
    #include <cuda_bf16.h>
    #include <cuda_fp16.h>
    extern "C" __global__ void round(float* x, float) {
      x[0] = __half2float(__float2half(1.0f + 0x1p-11f));        // a tie: to even
      x[1] = __half2float(__float2half(1.0f + 3 * 0x1p-11f));
      x[2] = __half2float(__float2half(65520.0f));               // infinity
      x[3] = __half2float(__float2half(0x1.8p-25f));             // the smallest subnormal
      x[4] = __bfloat162float(__float2bfloat16(1.0f + 0x1p-8f));
      x[5] = __bfloat162float(__float2bfloat16(-3.0f));
      x[6] = isnan(__half2float(__float2half(nan("")))) && isnan(__bfloat162float(nan("")));
    })",
              {"round"});
  ASSERT_EQ(bench.launch(0, 1, 1), kSuccess);
  std::vector<float> got = bench.floats();
  got.resize(7);
  EXPECT_THAT(got, ElementsAre(1.0F, 1.0F + 0x1p-9F, HUGE_VALF, 0x1p-24F, 1.0F, -3.0F, 1.0F));
}

TEST_F(FakeGpuTest, MacrosAndArchitectureReachTheProgram) {
  const std::string source =
      "extern \"C\" __global__ void f(float* x, float) { x[0] = N + __CUDA_ARCH__; }";
  EXPECT_NE(compiled(source, {"f"}, {"-DN=2"}).cubin, compiled(source, {"f"}, {"-DN=3"}).cubin);
  // The same machine code whatever else was asked for.
  EXPECT_EQ(compiled(source, {"f"}, {"-DN=2"}).cubin,
            compiled(source, {"f"}, {"-DN=2", "-DUNUSED=7", "--use_fast_math"}).cubin);
}

TEST_F(FakeGpuTest, TheCompilersWordsNameTheProgramsLine) {
  EXPECT_THAT(message_of("\n#error not for this tile\n", {}),
              HasSubstr("program.cu:2:2: error: #error not for this tile"));
  EXPECT_THAT(message_of("extern \"C\" __global__ void f() { __nanosleep(1); }", {"f"}),
              HasSubstr("'__nanosleep' was not declared"));
  EXPECT_THAT(message_of(kScale, {"missing<3>"}), HasSubstr("missing"));
}

TEST_F(FakeGpuTest, DeviceTimeIsWhatLaunchesTake) {
  Bench bench(std::string(kScale) + R"(
    extern "C" __global__ void wait(float*, float t) { fake_spend_us(threadIdx.x == 3 ? t : 1); }
    )",
              {"scale", "wait"});
  EXPECT_FLOAT_EQ(bench.time([&] { bench.launch(1); }), 1.064F);
  EXPECT_FLOAT_EQ(bench.time([&] {
    bench.launch(250, 1, 64, 1);
    bench.launch(250, 1, 64, 1);
  }),
                  500);
}

TEST_F(FakeGpuTest, AGraphReplaysWhatWasCaptured) {
  Bench bench(kScale, {"scale"});
  check(driver().cuStreamBeginCapture_v2(bench.stream(), kCaptureThreadLocal), "begin");
  ASSERT_EQ(bench.launch(2), kSuccess);
  ASSERT_EQ(bench.launch(2), kSuccess);
  GraphHandle graph = nullptr;
  check(driver().cuStreamEndCapture(bench.stream(), &graph), "end");
  GraphExecHandle exec = nullptr;
  check(driver().cuGraphInstantiateWithFlags(&exec, graph, 0), "instantiate");
  EXPECT_THAT(bench.floats(), Each(1.0F));
  EXPECT_FLOAT_EQ(bench.time([&] { driver().cuGraphLaunch(exec, bench.stream()); }), 2.128F);
  EXPECT_THAT(bench.floats(), Each(4.0F));
  check(driver().cuGraphExecDestroy(exec), "destroy");
  check(driver().cuGraphDestroy(graph), "destroy");
}

TEST_F(FakeGpuTest, BadLaunchesAreRefusedAndHarmNothing) {
  Bench bench(std::string(kScale) + "extern \"C\" int fake_registers = 96;", {"scale"});
  EXPECT_EQ(bench.launch(1, 1, 1025), 1);
  EXPECT_EQ(bench.launch(1, 0, 32), 1);
  EXPECT_EQ(bench.launch(1, 1, 1024), 701);  // 96 * 1024 registers
  int registers = 0;
  check(driver().cuFuncGetAttribute(&registers, FunctionAttribute::kRegisters, bench.function()),
        "attribute");
  EXPECT_EQ(registers, 96);
  DevicePointer memory = 0;
  EXPECT_EQ(driver().cuMemAlloc_v2(&memory, std::size_t{81} << 30), kOutOfMemory);
  EXPECT_EQ(driver().cuMemcpyHtoD_v2(bench.memory() + 8, &memory, Bench::kFloats * 4), 1);
  EXPECT_EQ(driver().cuCtxSynchronize(), kSuccess);
  EXPECT_EQ(bench.launch(1), kSuccess);
}

// A map of 16 rows of 64 floats of which something may be wrong.
struct MapCase {
  TensorMapValue value;
  std::size_t offset = 0;  // of the map in `value`
  DevicePointer address = 0;
  std::uint64_t extent[2] = {64, 16};
  std::uint64_t pitch_bytes[1] = {256};
  std::uint32_t box[2] = {32, 4};
  std::uint32_t strides[2] = {1, 1};
  int type = 7, interleave = 0, swizzle = 3, l2_promotion = 2, fill = 0;
  std::uint32_t dimensions = 2;

  Result encoded() {
    auto* map = reinterpret_cast<TensorMapValue*>(reinterpret_cast<char*>(&value) + offset);
    return driver().cuTensorMapEncodeTiled(map, type, dimensions, reinterpret_cast<void*>(address),
                                           extent, pitch_bytes, box, strides, interleave, swizzle,
                                           l2_promotion, fill);
  }
};

TEST_F(FakeGpuTest, ATensorMapIsCheckedAsOnADevice) {
  const Context context(fake_gpu_uuid(0));
  const auto result = [](auto spoil) {
    MapCase map;
    map.address = 0x10000;
    spoil(map);
    return map.encoded();
  };
  EXPECT_EQ(result([](MapCase&) {}), kSuccess);
  EXPECT_EQ(result([](MapCase& m) { m.offset = 32; }), 1);
  EXPECT_EQ(result([](MapCase& m) { m.address += 8; }), 1);
  EXPECT_EQ(result([](MapCase& m) { m.address = 0; }), 1);
  EXPECT_EQ(result([](MapCase& m) { m.extent[1] = 0; }), 1);
  EXPECT_EQ(result([](MapCase& m) { m.extent[1] = (1ULL << 32) + 1; }), 1);
  EXPECT_EQ(result([](MapCase& m) { m.extent[1] = 1ULL << 32; }), kSuccess);
  EXPECT_EQ(result([](MapCase& m) { m.pitch_bytes[0] = 264; }), 1);
  EXPECT_EQ(result([](MapCase& m) { m.pitch_bytes[0] = 1ULL << 40; }), 1);
  EXPECT_EQ(result([](MapCase& m) { m.box[1] = 257; }), 1);
  EXPECT_EQ(result([](MapCase& m) { m.box[1] = 256; }), kSuccess);
  EXPECT_EQ(result([](MapCase& m) { m.box[1] = 0; }), 1);
  EXPECT_EQ(result([](MapCase& m) { m.box[0] = 30; }), 1);
  EXPECT_EQ(result([](MapCase& m) { m.box[0] = 36; }), 1);  // 144 bytes of a swizzle of 128
  EXPECT_EQ(result([](MapCase& m) { m.swizzle = 2; }), 1);
  EXPECT_EQ(result([](MapCase& m) { m.swizzle = 0; }), kSuccess);
  EXPECT_EQ(result([](MapCase& m) { m.strides[1] = 0; }), 1);
  EXPECT_EQ(result([](MapCase& m) { m.dimensions = 0; }), 1);
  EXPECT_EQ(result([](MapCase& m) { m.type = 13; }), 1);
}

TEST_F(FakeGpuDeathTest, ADeviceBeforeHopperHasNoTensorMaps) {
  const auto result = [] {
    ::setenv("FAKE_GPU_ARCHITECTURES", "89", 1);
    const Context context(fake_gpu_uuid(0));
    MapCase map;
    map.address = 0x10000;
    std::_Exit(map.encoded() - 700);
  };
  EXPECT_EXIT(result(), ::testing::ExitedWithCode(101), "");
}

// Boxes that stand over every edge, of rows of four integers in the order of memory.
TEST_F(FakeGpuTest, ATileOutsideOfItsTensorIsZero) {
  Bench bench(R"(
    struct alignas(64) Map { char bytes[128]; };
    extern "C" __global__ void corners(float* to, const __grid_constant__ Map map) {
      fake_load_tile(map, to + 32, -2, -1);
      fake_load_tile(map, to + 40, 6, 3);
    })",
              {"corners"});
  std::vector<float> numbers(Bench::kFloats);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i + 1);
  check(driver().cuMemcpyHtoD_v2(bench.memory(), numbers.data(), sizeof(float) * numbers.size()),
        "copy");
  MapCase map;
  map.address = bench.memory();
  map.extent[0] = 8;
  map.extent[1] = 4;
  map.pitch_bytes[0] = 32;
  map.box[0] = 4;
  map.box[1] = 2;
  map.swizzle = 0;
  ASSERT_EQ(map.encoded(), kSuccess);
  LaunchConfig config;
  DevicePointer to = bench.memory();
  void* arguments[] = {&to, &map.value};
  ASSERT_EQ(driver().cuLaunchKernelEx(&config, bench.function(), arguments, nullptr), kSuccess);
  std::vector<float> got = bench.floats();
  got.erase(got.begin(), got.begin() + 32);
  got.resize(16);
  EXPECT_THAT(got, ElementsAre(0, 0, 0, 0, 0, 0, 1, 2, 31, 32, 0, 0, 0, 0, 0, 0));
}

TEST_F(FakeGpuTest, AnImageThatIsNoneIsRefused) {
  const Context context(fake_gpu_uuid(0));
  ModuleHandle module = nullptr;
  const std::string rubbish(4096, 'x');
  EXPECT_EQ(driver().cuModuleLoadData(&module, rubbish.data()), 200);
}

constexpr const char* kFaulty = R"(
extern "C" __global__ void fault(float*, float code) {
  if (code == 719) __trap();
  fake_fail((int)code);
})";

// The code that every call gives after a launch that faults with `fault`.
int code_after(float fault) {
  Bench bench(kFaulty, {"fault"});
  if (bench.launch(fault) != kSuccess) return 1;  // a launch itself does not wait
  const Result first = driver().cuStreamSynchronize(bench.stream());
  DevicePointer memory = 0;
  const bool sticky =
      driver().cuMemAlloc_v2(&memory, 4) == first && driver().cuCtxSynchronize() == first;
  return sticky ? first - 600 : 2;
}

// In processes of their own: a broken context stays broken.
TEST_F(FakeGpuDeathTest, AFaultBreaksTheContextForGood) {
  EXPECT_EXIT(std::_Exit(code_after(700)), ::testing::ExitedWithCode(100), "");
  EXPECT_EXIT(std::_Exit(code_after(719)), ::testing::ExitedWithCode(119), "");
}

TEST_F(FakeGpuDeathTest, AProcessSeesTheDevicesThatItIsShown) {
  const auto seen = [](const char* visible) {
    ::setenv("FAKE_GPU_COUNT", "3", 1);
    ::setenv("CUDA_VISIBLE_DEVICES", visible, 1);
    if (driver().cuInit(0) != kSuccess) std::_Exit(100);
    Uuid uuid{};
    driver().cuDeviceGetUuid_v2(&uuid, 0);
    int count = 0;
    driver().cuDeviceGetCount(&count);
    std::_Exit(10 * count + uuid.bytes[15]);
  };
  EXPECT_EXIT(seen(fake_gpu_uuid(2).c_str()), ::testing::ExitedWithCode(12), "");
  EXPECT_EXIT(seen("1,0"), ::testing::ExitedWithCode(21), "");
  EXPECT_EXIT(seen("GPU-none"), ::testing::ExitedWithCode(100), "");
}

TEST_F(FakeGpuDeathTest, NoiseIsTheSameInEachProcess) {
  const auto nanoseconds = [] {
    ::setenv("FAKE_GPU_NOISE", "0.03", 1);
    Bench bench(kScale, {"scale"});
    std::fprintf(stderr, "took %.3f us", bench.time([&] { bench.launch(1); }));
    std::_Exit(0);
  };
  EXPECT_EXIT(nanoseconds(), ::testing::ExitedWithCode(0), "took 1.052 us");
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
