#include "evaluator/cuda/cuda_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <variant>

#include "base/file_text.h"
#include "tests/evaluator/cuda_setup.h"
#include "tests/fakes/gpu/fake_settings.h"

// Driver and compiler are fakes that run kernels on the CPU; a broken context stays broken for the
// process, so what breaks it is tested in processes of its own, here and in tests/e2e/gpu_test.py.
namespace nightshift::evaluator::cuda {
namespace {

using search::LaunchFailed;
using search::Measured;
using search::Measurement;
using search::TrialReport;
using search::WrongResult;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(CudaBackend, MeasuresDeviceTimeOfAnExecution) {
  const CudaSetup setup;
  CudaTrialBackend backend(setup.evaluator_request());
  const TrialReport report = setup.evaluate(backend, scale_by(64));
  const auto* measured = std::get_if<Measured>(&report.outcome);
  ASSERT_NE(measured, nullptr) << search::describe(report.outcome);
  ASSERT_THAT(measured->measurement.figures, SizeIs(1));
  EXPECT_EQ(measured->measurement.figures[0].objective, "time");
  // The fake's clock says 1000 / BLOCK microseconds; events are floats of milliseconds.
  EXPECT_THAT(measured->measurement.figures[0].values,
              AllOf(SizeIs(5), Each(::testing::DoubleNear(15.625, 1e-5))));
  EXPECT_FALSE(backend.spent());
}

TEST(CudaBackend, ServesOneTrialAfterAnother) {
  const CudaSetup setup;
  CudaTrialBackend backend(setup.evaluator_request());
  for (const std::int64_t block : {32, 128, 64}) {
    const TrialReport report = setup.evaluate(backend, scale_by(block));
    const auto* measured = std::get_if<Measured>(&report.outcome);
    ASSERT_NE(measured, nullptr) << search::describe(report.outcome);
    EXPECT_FLOAT_EQ(static_cast<float>(measured->measurement.figures[0].values[0]),
                    1000.0F / static_cast<float>(block));
  }
}

std::string pipeline() {
  return std::string(kScaleProblem) + R"toml(
[[cuda.launch]]
kernel = "rest"
grid = 1
block = 1
arguments = ["launches"]
)toml";
}

constexpr const char* kRest = R"cuda(
extern "C" __global__ void rest(unsigned*) { fake_spend_us(12.5); }
)cuda";

class PipelineSetup : public CudaSetup {
 public:
  PipelineSetup() : CudaSetup({}, pipeline()) {
    folder().write("scale.cu", std::string(kScaleKernel) + kRest);
  }
};

TEST(CudaBackend, TellsLaunchesApartWhereThatIsAskedFor) {
  const PipelineSetup setup;
  CudaTrialBackend backend(setup.evaluator_request());
  ipc::EvaluateRequest request = setup.evaluation(scale_by(64));
  for (const bool cold : {false, true}) {
    request.sampling.cold_cache = cold;
    request.sampling.timed = search::Timed::kEachLaunch;
    FakeProgress progress;
    const TrialReport report = backend.evaluate(request, progress);
    const auto* measured = std::get_if<Measured>(&report.outcome);
    ASSERT_NE(measured, nullptr) << search::describe(report.outcome);
    const auto& launches = measured->measurement.launches;
    ASSERT_THAT(launches, SizeIs(2));
    EXPECT_EQ(launches[0].kernel, "scale");
    EXPECT_THAT(launches[0].seconds,
                AllOf(SizeIs(5), Each(::testing::DoubleNear(15.625e-6, 1e-10))));
    EXPECT_EQ(launches[1].kernel, "rest");
    EXPECT_THAT(launches[1].seconds, AllOf(SizeIs(5), Each(::testing::DoubleNear(12.5e-6, 1e-10))));
  }
  request.sampling.timed = search::Timed::kExecution;
  FakeProgress progress;
  const TrialReport whole = backend.evaluate(request, progress);
  EXPECT_THAT(std::get<Measured>(whole.outcome).measurement.launches, SizeIs(0));
}

TEST(CudaBackend, MakesOneExecutionBetweenTheMarksOfAProfiler) {
  const PipelineSetup setup;
  CudaTrialBackend backend(setup.evaluator_request());
  const std::string marked = setup.folder().path() + "/marked";
  ::setenv("FAKE_GPU_PROFILE", marked.c_str(), 1);
  ipc::EvaluateRequest request = setup.evaluation(scale_by(64));
  request.sampling.timed = search::Timed::kForProfiler;
  FakeProgress progress;
  const TrialReport report = backend.evaluate(request, progress);
  ::unsetenv("FAKE_GPU_PROFILE");
  EXPECT_TRUE(std::holds_alternative<Measured>(report.outcome));
  EXPECT_EQ(base::read_whole_file(marked), "scale 15625\nrest 12500\n");
  request = setup.evaluation(scale_by(64, "wrong"));
  request.sampling.timed = search::Timed::kForProfiler;
  EXPECT_TRUE(std::holds_alternative<WrongResult>(backend.evaluate(request, progress).outcome));
}

TEST(CudaBackend, HoldsItsFiguresAgainstWhatTheDeviceCanDo) {
  const CudaSetup setup;
  CudaTrialBackend backend(setup.evaluator_request());
  const TrialReport report = setup.evaluate(backend, scale_by(64));
  const Measurement& measured = std::get<Measured>(report.outcome).measurement;
  // 8000 bytes and 1000 operations in 15.625 us; the fake copies a megabyte a millisecond and 132
  // multiprocessors do 256 operations a clock.
  const std::string told = measured.condition(search::kCeilingsCondition);
  EXPECT_THAT(told, HasSubstr("% of a copy (0.512 GB/s), "));
  EXPECT_THAT(told, HasSubstr("% of float32 multiply-adds (6.4e-05 TFLOPS)"));
}

TEST(CudaBackend, WithoutRoomForACopyThereIsNoShareOfOne) {
  ::setenv("FAKE_GPU_MEMORY", "1200000000", 1);
  const CudaSetup setup;
  CudaTrialBackend backend(setup.evaluator_request());
  const TrialReport report = setup.evaluate(backend, scale_by(64));
  ::unsetenv("FAKE_GPU_MEMORY");
  const auto* measured = std::get_if<Measured>(&report.outcome);
  ASSERT_NE(measured, nullptr) << search::describe(report.outcome);
  const std::string told = measured->measurement.condition(search::kCeilingsCondition);
  EXPECT_THAT(told, ::testing::StartsWith("0.0 % of float32 multiply-adds"));
}

// What a kernel spoilt in this way is told to do wrong; nullopt, and a failure, where it is not
// called wrong, or the process spent by it.
std::optional<WrongResult> wrong_result_of(const char* spoil) {
  const CudaSetup setup;
  CudaTrialBackend backend(setup.evaluator_request());
  const TrialReport report = setup.evaluate(backend, scale_by(64, spoil));
  EXPECT_FALSE(backend.spent());
  const auto* wrong = std::get_if<WrongResult>(&report.outcome);
  EXPECT_NE(wrong, nullptr) << search::describe(report.outcome);
  return wrong == nullptr ? std::nullopt : std::optional(*wrong);
}

TEST(CudaBackend, NamesTheWorstElementOfAWrongAnswer) {
  const auto wrong = wrong_result_of("wrong");
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(wrong->output, "y");
  EXPECT_EQ(wrong->element, 5u);
  EXPECT_NEAR(wrong->got - wrong->expected, 3, 1e-5);
}

TEST(CudaBackend, AnElementThatIsNoNumberIsWrong) {
  const auto wrong = wrong_result_of("nan_out");
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(wrong->element, 6u);
  EXPECT_TRUE(std::isnan(wrong->got));
  EXPECT_TRUE(std::isinf(wrong->error));
}

TEST(CudaBackend, AnAnswerThatIsRightOnceOnlyIsWrong) {
  const auto wrong = wrong_result_of("forgets");
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(wrong->element, 4u);
}

TEST(CudaBackend, SeesWritesOutsideOfVectorsAndToInputs) {
  const CudaSetup setup;
  CudaTrialBackend backend(setup.evaluator_request());
  const auto complaint = [&](const char* spoil) {
    const TrialReport report = setup.evaluate(backend, scale_by(64, spoil));
    const auto* failed = std::get_if<LaunchFailed>(&report.outcome);
    return failed == nullptr ? search::describe(report.outcome) : failed->message;
  };
  EXPECT_EQ(complaint("outside"), "the kernel wrote outside of argument 'y'");
  EXPECT_EQ(complaint("before"), "the kernel wrote outside of argument 'y'");
  EXPECT_THAT(complaint("to_input"), HasSubstr("wrote to argument 'x', which the problem file"));
  // And none of it harms the next trial.
  const TrialReport report = setup.evaluate(backend, scale_by(64));
  EXPECT_TRUE(std::holds_alternative<Measured>(report.outcome)) << search::describe(report.outcome);
}

// However its trial ends: by the check before, the one after, or by an audit in between.
TEST(CudaBackend, WhatOneTrialSpoiledNoOtherIsBlamedFor) {
  for (const char* trust : {"usual", "none"}) {
    const Overrides overrides = {{"measure.trust", trust}};
    const CudaSetup setup(overrides);
    CudaTrialBackend backend(setup.evaluator_request());
    for (const char* spoil : {"ruins_late", "to_input", "to_input_late", "outside", "wrong"}) {
      EXPECT_TRUE(search::is_failure(setup.evaluate(backend, scale_by(64, spoil)).outcome))
          << spoil;
      const TrialReport report = setup.evaluate(backend, scale_by(32));
      EXPECT_TRUE(std::holds_alternative<Measured>(report.outcome))
          << "after " << spoil << ": " << search::describe(report.outcome);
    }
  }
}

// A counter that is not set back would let the next launch leave out work.
TEST(CudaBackend, AWorkVectorWithAConstantFillIsToBeLeftSo) {
  std::string text = kScaleProblem;
  const std::string work = "access = \"work\"\n";
  text.insert(text.find(work) + work.size(), "fill = \"constant\"\n");
  const CudaSetup setup({}, text);
  CudaTrialBackend backend(setup.evaluator_request());
  const TrialReport counted = setup.evaluate(backend, scale_by(64));
  const auto* failed = std::get_if<LaunchFailed>(&counted.outcome);
  ASSERT_NE(failed, nullptr) << search::describe(counted.outcome);
  EXPECT_THAT(failed->message, HasSubstr("left argument 'launches' changed"));
}

TEST(CudaBackend, AKernelThatNoLaunchNeedsMayBeMissing) {
  std::string text = kScaleProblem;
  text += R"(
[[cuda.launch]]
kernel = "never_compiled"
grid = 1
block = 1
when = "BLOCK > 64"
arguments = ["y"]
)";
  const CudaSetup setup({}, text);
  CudaTrialBackend backend(setup.evaluator_request());
  EXPECT_TRUE(std::holds_alternative<Measured>(setup.evaluate(backend, scale_by(64)).outcome));
  const TrialReport needed = setup.evaluate(backend, scale_by(128));
  const auto* failed = std::get_if<LaunchFailed>(&needed.outcome);
  ASSERT_NE(failed, nullptr) << search::describe(needed.outcome);
  EXPECT_THAT(failed->message, HasSubstr("looking for the kernel never_compiled"));
}

TEST(CudaBackend, AKernelHasTheMostSharedMemoryOfItsLaunches) {
  std::string text = kScaleProblem;
  const std::string launch = text.substr(text.find("[[cuda.launch]]"),
                                         text.find("[measure]") - text.find("[[cuda.launch]]"));
  text += launch + "shared_bytes = 51200\n";
  text.insert(text.find("[measure]"), "shared_bytes = 61440\n");
  const CudaSetup setup({}, text);
  CudaTrialBackend backend(setup.evaluator_request());
  const TrialReport report = setup.evaluate(backend, scale_by(64));
  EXPECT_TRUE(std::holds_alternative<Measured>(report.outcome)) << search::describe(report.outcome);
}

TEST(CudaBackend, TheCacheIsColdForEachVectorByItself) {
  for (const int elements : {1000, 100'000}) {
    const CudaSetup setup(Overrides{{"cuda.sizes.N", std::to_string(elements)}});
    CudaTrialBackend backend(setup.evaluator_request());
    const TrialReport report = setup.evaluate(backend, scale_by(64));
    const auto* measured = std::get_if<Measured>(&report.outcome);
    ASSERT_NE(measured, nullptr) << search::describe(report.outcome);
    const int sets = 1 + 3 * fake_gpu::kL2Bytes / (4 * elements);
    EXPECT_THAT(
        measured->measurement.conditions,
        Contains(Pair("cache", "cold, " + std::to_string(sets) + " sets of arguments in turn")));
  }
}

// 48 KiB are allowed without being asked for, but of static and dynamic shared memory together.
TEST(CudaBackend, StaticSharedMemoryCountsAsWell) {
  std::string text = kScaleProblem;
  const std::string launch = "kernel = \"scale\"\n";
  text.insert(text.find(launch) + launch.size(), "shared_bytes = 49152\n");
  const CudaSetup setup({}, text);
  CudaTrialBackend backend(setup.evaluator_request());
  const TrialReport report = setup.evaluate(backend, scale_by(64));
  EXPECT_TRUE(std::holds_alternative<Measured>(report.outcome)) << search::describe(report.outcome);
}

TEST(CudaBackend, WithoutAReferenceTheBaselineIsIt) {
  std::string text = kScaleProblem;
  const auto begin = text.find("[cuda.reference]");
  text.erase(begin, text.find("[[cuda.argument]]") - begin);
  const CudaSetup setup({}, text);
  CudaTrialBackend backend(setup.evaluator_request());
  EXPECT_TRUE(std::holds_alternative<Measured>(setup.evaluate(backend, scale_by(128)).outcome));
  EXPECT_TRUE(
      std::holds_alternative<WrongResult>(setup.evaluate(backend, scale_by(128, "wrong")).outcome));
}

// What is told of scale_by(64) with y of `name`, these stores into it, and a reference or none.
std::string told_of(const std::string& store, const std::string& of_reference, bool has_reference,
                    const std::string& name = "int32") {
  const bool are_floats = name == "float32";
  const auto changed = [&](std::string text, const std::string& by, const std::string& type) {
    const std::size_t at = text.find("if (i < N) y[i] = ");
    text.replace(at, text.find(';', at) + 1 - at, by);
    const std::string own = name == "int32" ? "int" : "unsigned char";
    return are_floats ? text : text.replace(text.find(type + "* y"), type.size(), own);
  };
  std::string text = kScaleProblem;
  const std::size_t y = text.find("name = \"y\"");
  if (!are_floats) text.replace(text.find("float32", y), 7, name);
  if (!has_reference) {
    const auto begin = text.find("[cuda.reference]");
    text.erase(begin, text.find("[[cuda.argument]]") - begin);
  }
  const CudaSetup setup({}, text, changed(kScaleKernel, store, "float"),
                        changed(kScaleReference, of_reference, "double"));
  CudaTrialBackend backend(setup.evaluator_request());
  try {
    return search::describe(setup.evaluate(backend, scale_by(64)).outcome);
  } catch (const std::runtime_error& refused) {
    return refused.what();
  }
}

TEST(CudaBackend, AnOutputThatIsNotWrittenIsSaidToBeSo) {
  const std::string seven = "if (i < N) y[i] = 7;";
  EXPECT_EQ(told_of(seven, seven, true), "");
  EXPECT_EQ(told_of("", seven, true), "wrong result: y[0] was not written, where 7.0 was expected");
  EXPECT_EQ(told_of("if (i < N && i != 9) y[i] = 7;", seven, true),
            "wrong result: y[9] was not written, where 7.0 was expected");
  EXPECT_THAT(told_of("", "", true), HasSubstr("does not write output 'y'"));
  EXPECT_THAT(told_of("", "", false),
              HasSubstr("the baseline, whose answers are expected, does not write output 'y'"));
}

// The square root of what is negative is NaN, as what stands there before a run is.
TEST(CudaBackend, WhereNanIsExpectedItIsWrittenAsWell) {
  const std::string all = "if (i < N) y[i] = i % 2 ? sqrtf(-1.0f - i) : 7.0f;";
  const std::string most = "if (i < N && i != 9) y[i] = i % 2 ? sqrtf(-1.0f - i) : 7.0f;";
  const std::string by_bits = "if (i < N) ((unsigned*)y)[i] = i % 2 ? 0xffffffffu : 0x40e00000u;";
  const std::string words = "wrong result: y[9] was not written, where nan was expected";
  for (const bool has_reference : {true, false}) {
    EXPECT_EQ(told_of(all, all, has_reference, "float32"), "");
    EXPECT_EQ(told_of(most, most, has_reference, "float32"), "") << "neither writes it";
  }
  EXPECT_EQ(told_of(most, all, true, "float32"), words);
  EXPECT_EQ(told_of(by_bits, all, true, "float32"), "") << "NaN of the poison's bits is written";
}

// Nobody knows then what is right there, and the kernel is not to blame.
TEST(CudaBackend, AnElementThatTheReferenceLeavesIsTold) {
  const std::string seven = "if (i < N) y[i] = 7;", most = "if (i < N && i != 9) y[i] = 7;";
  for (const char* type : {"int32", "float32"}) {
    EXPECT_THAT(told_of(seven, most, true, type),
                HasSubstr("[cuda.reference] does not write y[9], which is 7.0 here"));
    EXPECT_EQ(told_of(most, most, true, type), "") << "neither writes it";
    EXPECT_THAT(told_of("", "", true, type), HasSubstr("does not write output 'y'"));
  }
  const std::string words = " may not write y[9], where 165.0 stands before it runs";
  EXPECT_THAT(told_of(seven, most, true, "uint8"), HasSubstr("[cuda.reference]" + words));
  EXPECT_THAT(told_of(most, seven, true, "uint8"), HasSubstr("the kernel" + words));
}

// Evaluates a healthy candidate and prints what is told of it.
[[noreturn]] void tell_outcome(const std::string& problem, const std::string& reference) {
  const CudaSetup setup({}, problem);
  setup.folder().write("reference.cu", reference);
  CudaTrialBackend backend(setup.evaluator_request());
  const TrialReport report = setup.evaluate(backend, scale_by(64));
  std::fprintf(stderr, "%s\n", search::describe(report.outcome).c_str());
  std::_Exit(backend.spent() ? 0 : 1);
}

const ::testing::ExitedWithCode kSpent(0);

TEST(CudaBackendDeathTest, AFaultOfTheReferenceNamesItsKernelAndWhatItGets) {
  std::string reference = kScaleReference;
  reference.insert(reference.find("if (i < N)"), "if (i == 7) fake_fail(700);\n");
  EXPECT_EXIT(
      tell_outcome(kScaleProblem, reference), kSpent,
      "while preparing the inputs: running scale_reference of .cuda.reference. .inputs in the "
      "kernel's types, floating outputs in double.: CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST(CudaBackendDeathTest, AFaultOfThePreparationNamesItsKernel) {
  std::string problem = kScaleProblem;
  problem.insert(problem.find("[[cuda.launch]]"), R"(
[[cuda.prepare]]
kernel = "first"
grid = 1
block = 1
arguments = ["x"]
[[cuda.prepare]]
kernel = "second"
grid = 1
block = 1
arguments = ["x"]
)");
  problem.insert(problem.find("fill = \"normal\"") + 6, " \"computed\" #");
  const std::string reference = std::string(kScaleReference) + R"cuda(
extern "C" __global__ void first(float* x) { fake_fail(719); }
extern "C" __global__ void second(float* x) { x[0] = 1; }
)cuda";
  EXPECT_EXIT(
      tell_outcome(problem, reference), kSpent,
      "while preparing the inputs: running first of ..cuda.prepare.. .arguments in the kernel's "
      "types.: CUDA_ERROR_LAUNCH_FAILED");
}

TEST(CudaBackendDeathTest, AFaultOfTheBaselineThatIsTheReferenceIsCalledTheBaselines) {
  std::string problem = kScaleProblem;
  const auto begin = problem.find("[cuda.reference]");
  problem.erase(begin, problem.find("[[cuda.argument]]") - begin);
  problem.replace(problem.find("SPOIL = \"none\""), 14, "SPOIL = \"illegal\"");
  EXPECT_EXIT(
      tell_outcome(problem, ""), kSpent,
      "while preparing the inputs: running scale of the baseline .its outputs are the expected "
      "answer.: CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST(CudaBackend, OutputsOfTwoRunsAreEqualWhereTheyAreToBe) {
  const CudaSetup lenient;
  CudaTrialBackend first(lenient.evaluator_request());
  EXPECT_TRUE(
      std::holds_alternative<Measured>(lenient.evaluate(first, scale_by(128, "unstable")).outcome));
  const CudaSetup strict(Overrides{{"cuda.deterministic", "true"}});
  CudaTrialBackend second(strict.evaluator_request());
  const TrialReport report = strict.evaluate(second, scale_by(128, "unstable"));
  const auto* failed = std::get_if<LaunchFailed>(&report.outcome);
  ASSERT_NE(failed, nullptr) << search::describe(report.outcome);
  EXPECT_THAT(failed->message, HasSubstr("different outputs"));
}

TEST(CudaBackend, ARefusedLaunchCostsTheTrialOnly) {
  const CudaSetup setup(Overrides{{"parameters.BLOCK", "[32, 64, 128, 2048]"}});
  const ipc::BuiltReply refused = setup.build(scale_by(2048));
  const auto* failed = std::get_if<search::BuildFailed>(&refused.result);
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->message,
              HasSubstr("launch of scale: block.x, 'BLOCK', is 2048, not a whole number from 1"));
}

TEST(CudaBackend, FiguresFollowFromTimeAndResources) {
  std::string text = kScaleProblem;
  text += R"(
[[objective]]
name = "time"
[[objective]]
name = "bandwidth"
[[objective]]
name = "compute"
[[objective]]
name = "registers"
[[objective]]
name = "error"
)";
  const CudaSetup setup({}, text);
  CudaTrialBackend backend(setup.evaluator_request());
  const TrialReport report = setup.evaluate(backend, scale_by(64));
  const auto* measured = std::get_if<Measured>(&report.outcome);
  ASSERT_NE(measured, nullptr) << search::describe(report.outcome);
  const Measurement& m = measured->measurement;
  const double seconds = m.find("time")->values[0] * 1e-6;
  EXPECT_DOUBLE_EQ(m.find("bandwidth")->values[0], 8000 / seconds / 1e9);
  EXPECT_DOUBLE_EQ(m.find("compute")->values[0], 1000 / seconds / 1e9);
  EXPECT_THAT(m.find("registers")->values, ElementsAre(40));
  EXPECT_THAT(m.find("error")->values, ElementsAre(AllOf(Gt(0.0), ::testing::Lt(1e-7))));
}

TEST(CudaBackend, FiguresAreGivenInTheUnitsOfTheFile) {
  const CudaSetup setup({}, std::string(kScaleProblem) +
                                "[[objective]]\nname = \"time\"\nunit = \"ns\"\n"
                                "[[objective]]\nname = \"bandwidth\"\nunit = \"TB/s\"\n");
  CudaTrialBackend backend(setup.evaluator_request());
  const TrialReport report = setup.evaluate(backend, scale_by(64));
  const auto* measured = std::get_if<Measured>(&report.outcome);
  ASSERT_NE(measured, nullptr) << search::describe(report.outcome);
  const double nanoseconds = measured->measurement.find("time")->values[0];
  EXPECT_NEAR(nanoseconds, 15625, 0.01);
  EXPECT_DOUBLE_EQ(measured->measurement.find("bandwidth")->values[0],
                   8000 / (nanoseconds * 1e-9) / 1e12);
}

TEST(CudaBackend, SeveralCasesMakeOneFigure) {
  const auto time_of = [](const char* aggregate, int weight = 0) {
    std::string text = kScaleProblem;
    const std::string sizes = "sizes = { N = 1000 }";
    text.replace(text.find(sizes), sizes.size(),
                 "cases = [{ N = 1000, M = 1" +
                     (weight > 0 ? ", weight = " + std::to_string(weight) : "") +
                     " }, { M = 4, N = 10 }]");
    const CudaSetup setup(Overrides{{"cuda.aggregate", aggregate}}, text);
    setup.folder().write("scale.cu", R"(
extern "C" __global__ void scale(const float* x, float factor, float* y, unsigned* launches) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = factor * x[i];
  fake_spend_us(10.0 * M);
})");
    CudaTrialBackend backend(setup.evaluator_request());
    const TrialReport report = setup.evaluate(backend, scale_by(64));
    const auto* measured = std::get_if<Measured>(&report.outcome);
    if (measured == nullptr) return -1.0;
    const search::Samples& time = measured->measurement.figures[0];
    EXPECT_THAT(time.cases, ElementsAre(Each(testing::DoubleNear(10, 1e-3)),
                                        Each(testing::DoubleNear(40, 1e-3))));
    return time.values[0];
  };
  EXPECT_FLOAT_EQ(static_cast<float>(time_of("geometric_mean")), 20);
  EXPECT_FLOAT_EQ(static_cast<float>(time_of("sum")), 50);
  EXPECT_FLOAT_EQ(static_cast<float>(time_of("worst")), 20);
  EXPECT_FLOAT_EQ(static_cast<float>(time_of("geometric_mean", 3)), 14.142136F);
  EXPECT_FLOAT_EQ(static_cast<float>(time_of("sum", 3)), 70);
}

TEST(CudaBackend, AClearlySlowerCandidateIsGivenUp) {
  const CudaSetup setup;
  CudaTrialBackend backend(setup.evaluator_request());
  ipc::EvaluateRequest request = setup.evaluation(scale_by(64, "slow"));
  request.give_up_above = 50;  // microseconds
  FakeProgress progress;
  const TrialReport report = backend.evaluate(request, progress);
  const auto* measured = std::get_if<Measured>(&report.outcome);
  ASSERT_NE(measured, nullptr) << search::describe(report.outcome);
  EXPECT_TRUE(measured->measurement.censored);
  EXPECT_THAT(measured->measurement.figures[0].values, SizeIs(3));
}

TEST(CudaBackend, WhatWasGivenUpIsNotRunAgainButAskedWhatItSpoiled) {
  const CudaSetup setup;
  CudaTrialBackend backend(setup.evaluator_request());
  FakeProgress progress;
  const auto given_up = [&](const char* spoil) {
    ipc::EvaluateRequest request = setup.evaluation(scale_by(64, spoil));
    request.give_up_above = 1;  // microseconds
    return backend.evaluate(request, progress).outcome;
  };
  const search::TrialOutcome forgets = given_up("forgets");
  ASSERT_TRUE(std::holds_alternative<Measured>(forgets)) << search::describe(forgets);
  EXPECT_TRUE(std::get<Measured>(forgets).measurement.censored);
  const search::TrialOutcome spoils = given_up("to_input_late");
  ASSERT_TRUE(std::holds_alternative<LaunchFailed>(spoils)) << search::describe(spoils);
  EXPECT_THAT(std::get<LaunchFailed>(spoils).message, HasSubstr("wrote to argument 'x'"));
  const TrialReport next = setup.evaluate(backend, scale_by(64));
  EXPECT_TRUE(std::holds_alternative<Measured>(next.outcome)) << search::describe(next.outcome);
}

TEST(CudaBackend, RefusesAnotherGpuThanItsOwn) {
  const CudaSetup setup;
  ipc::ConfigureRequest request = setup.evaluator_request();
  request.gpu.uuid = "GPU-00000000-0000-0000-0000-000000000000";
  EXPECT_THROW(CudaTrialBackend{request}, std::runtime_error);
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
