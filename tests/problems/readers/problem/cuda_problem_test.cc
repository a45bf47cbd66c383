#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems/problem_file.h"
#include "search/figures/usual_gate.h"
#include "tests/problems/cuda_text.h"

namespace nightshift::problems {
namespace {

using search::Argument;
using search::CudaBackend;
using search::ElementType;
using search::OwnFigure;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class CudaProblem : public ::testing::Test {
 protected:
  search::Problem read(const CudaFolder::Changes& changes = {},
                       const std::vector<Override>& overrides = {}) const {
    return folder_.read(CudaFolder::changed(changes), overrides);
  }
  CudaBackend backend(const CudaFolder::Changes& changes = {},
                      const std::vector<Override>& overrides = {}) const {
    return std::get<CudaBackend>(read(changes, overrides).backend);
  }
  std::vector<std::string> constraints(const CudaFolder::Changes& changes) const {
    std::vector<std::string> texts;
    for (const auto& constraint : read(changes).constraints) texts.push_back(constraint.text());
    return texts;
  }
  const CudaFolder folder_;
};

constexpr const char* kSizes = "sizes = { M = 4, N = 1024 }";
constexpr const char* kTwoCases = "cases = [ { M = 4, N = 1024 }, { M = 8, N = 2048 } ]";

double number(const search::Expression& expression, const search::Configuration& names) {
  return search::as_number(
      expression.evaluate([&](std::string_view name) { return names.find(name); }));
}

TEST_F(CudaProblem, KnowsItsSources) {
  const CudaBackend cuda = backend();
  EXPECT_EQ(cuda.kernel, (search::CudaSource{folder_.path("scale.cu"), {}}));
  EXPECT_EQ(cuda.reference, (search::CudaSource{folder_.path("reference.cu"), {"-lineinfo"}}));
  EXPECT_EQ(cuda.include_folders.size(), 1U);
  EXPECT_EQ(cuda.include_folders[0] + "/scale.cu", folder_.path("scale.cu"));
}

TEST_F(CudaProblem, IsBuiltForItsTypeAndSizes) {
  const CudaBackend cuda = backend({{"dtype = \"bfloat16\"",
                                     "dtype = \"bfloat16\"\ncompiler = \"nvcc\"\nflags = "
                                     "[\"--use_fast_math\"]\ninclude_folders = [\"/\"]"},
                                    {"finish<4>", "finish"}});
  EXPECT_EQ(cuda.dtype, ElementType::kBfloat16);
  EXPECT_THAT(cuda.cases, ElementsAre(ElementsAre(Pair("M", 4), Pair("N", 1024))));
  EXPECT_EQ(cuda.compiler, CudaBackend::Compiler::kNvcc);
  EXPECT_THAT(cuda.kernel.flags, ElementsAre("--use_fast_math"));
  EXPECT_EQ(cuda.include_folders.back(), "/");
}

TEST_F(CudaProblem, HasArgumentsOfAllKinds) {
  const auto arguments = backend().arguments;
  ASSERT_THAT(arguments, SizeIs(4));
  EXPECT_EQ(arguments[0].type, ElementType::kBfloat16);
  EXPECT_EQ(arguments[0].fill, Argument::Fill::kNormal);
  EXPECT_TRUE(arguments[1].scalar);
  EXPECT_EQ(arguments[2].access, Argument::Access::kOut);
  EXPECT_EQ(arguments[3].access, Argument::Access::kWork);
  EXPECT_EQ(arguments[3].fill, Argument::Fill::kConstant);
  EXPECT_EQ(arguments[3].low, 0);
}

TEST_F(CudaProblem, LaunchesKernelsInTheirOrder) {
  const CudaBackend cuda = backend();
  ASSERT_THAT(cuda.launches, SizeIs(2));
  EXPECT_EQ(cuda.launches[0].kernel, "scale");
  EXPECT_THAT(cuda.launches[0].arguments, ElementsAre(0, 1, 2));
  EXPECT_FALSE(cuda.launches[0].when);
  EXPECT_EQ(cuda.launches[1].kernel, "finish<4>");
  EXPECT_THAT(cuda.launches[1].arguments, ElementsAre(2, 3));
  EXPECT_EQ(cuda.launches[1].when->text(), "FINISH == 'kernel'");
  ASSERT_THAT(cuda.reference_launches, SizeIs(1));
  EXPECT_EQ(cuda.reference_launches[0].block[0].text(), "256");
}

TEST_F(CudaProblem, LaunchesMayOverlap) {
  const std::string when = "when = \"FINISH == 'kernel'\"";
  const CudaBackend cuda = backend({{when, when + "\nprogrammatic = \"CLUSTER == 2\""}});
  EXPECT_FALSE(cuda.launches[0].programmatic);
  EXPECT_EQ(cuda.launches[1].programmatic->text(), "CLUSTER == 2");
}

TEST_F(CudaProblem, PutsDerivedNamesInAndLeavesSizes) {
  const auto launch = backend().launches[0];
  EXPECT_EQ(launch.grid[0].text(), "(min(M * (N // (THREADS * UNROLL)), SM_COUNT))");
  EXPECT_EQ(launch.grid[1].text(), "2");
  EXPECT_EQ(launch.grid[2].text(), "1");
  search::Configuration names({{"THREADS", std::int64_t{64}},
                               {"UNROLL", std::int64_t{2}},
                               {"M", std::int64_t{4}},
                               {"N", std::int64_t{1024}},
                               {"SM_COUNT", std::int64_t{132}}});
  EXPECT_EQ(number(launch.grid[0], names), 32);
  names.set("SM_COUNT", std::int64_t{10});
  EXPECT_EQ(number(launch.grid[0], names), 10);
}

TEST_F(CudaProblem, HasConstraintsOverParametersAlone) {
  EXPECT_THAT(constraints({}),
              ElementsAre("1024 % (THREADS * UNROLL) == 0", "(1024 // (THREADS * UNROLL)) >= 2"));
}

TEST_F(CudaProblem, HoldsAConstraintForEveryCase) {
  EXPECT_THAT(constraints({{kSizes, kTwoCases}, {"BATCHES >= 2", "M >= 4 and UNROLL < 8"}}),
              ElementsAre("1024 % (THREADS * UNROLL) == 0", "2048 % (THREADS * UNROLL) == 0",
                          "4 >= 4 and UNROLL < 8", "8 >= 4 and UNROLL < 8"));
}

TEST_F(CudaProblem, HoldsWhatIsTheSameForAllCasesOnce) {
  EXPECT_THAT(constraints({{kSizes, "cases = [ { M = 4, N = 1024 }, { M = 8, N = 1024 } ]"}}),
              SizeIs(2));
}

TEST_F(CudaProblem, CountsTheBytesOfItsType) {
  EXPECT_EQ(search::resolved(read(), {}).find("THREADS")->index(), 1U);
  const auto threads = [&](const std::string& dtype) {
    return *search::resolved(read({{"> 1024", "> 2048"}}, {{"cuda.dtype", dtype}}), {})
                .find("THREADS");
  };
  EXPECT_EQ(threads("bfloat16"), search::Value(std::int64_t{32}));
  EXPECT_EQ(threads("float32"), search::Value(std::int64_t{64}));
}

TEST_F(CudaProblem, TakesSizesFromOutside) {
  const CudaBackend cuda = backend({}, {{"cuda.sizes.N", "4096"}});
  EXPECT_THAT(cuda.cases, ElementsAre(ElementsAre(Pair("M", 4), Pair("N", 4096))));
}

TEST_F(CudaProblem, NeedsNoSizes) {
  const search::Problem problem = read({{"sizes = { M = 4, N = 1024 }\n", "sizes = {}\n"},
                                        {"\"N % (THREADS * UNROLL) == 0\",", ""},
                                        {"2 * M * N * ELEMENT_BYTES", "2"},
                                        {"M * N", "1"},
                                        {"N // WORK", "3"},
                                        {"min(M * BATCHES", "min(BATCHES"},
                                        {"grid = \"M\"", "grid = 1"},
                                        {"M * N", "1"},
                                        {"M * N", "1"},
                                        {"N * ELEMENT_BYTES > 1024", "True"}});
  EXPECT_THAT(std::get<CudaBackend>(problem.backend).cases, ElementsAre(IsEmpty()));
}

TEST_F(CudaProblem, MayHaveConditionsOverDerivedNames) {
  const search::Problem problem =
      read({{"UNROLL = [1, 2, 4]", "UNROLL = { values = [1, 2], when = \"WIDE\" }"},
            {"[cuda.derived]", "[cuda.derived]\nWIDE = \"N > 512 and THREADS > 32\""}});
  EXPECT_EQ(problem.parameters[1].active_when->text(), "(1024 > 512 and THREADS > 32)");
}

// --- Gates ---

struct GateCase {
  const char* type;
  double norm;
  double element = 10 * norm;
};

class DefaultGate : public testing::TestWithParam<GateCase> {};

TEST_P(DefaultGate, IsThatOfTheType) {
  const CudaFolder folder;
  const auto problem = folder.read(cuda_problem(), {{"cuda.dtype", GetParam().type}});
  const auto gates = std::get<CudaBackend>(problem.backend).gates;
  ASSERT_THAT(gates, SizeIs(1));
  EXPECT_EQ(gates[0].argument, 2U);
  EXPECT_EQ(gates[0].norm, GetParam().norm);
  EXPECT_EQ(gates[0].element, GetParam().element);
}

INSTANTIATE_TEST_SUITE_P(Types, DefaultGate,
                         testing::Values(GateCase{"bfloat16", 4e-3}, GateCase{"float16", 6e-4},
                                         GateCase{"float32", 2e-6}, GateCase{"float64", 1e-12},
                                         GateCase{"float8_e4m3", 0.1, 0.25},
                                         GateCase{"float8_e5m2", 0.1, 0.25}, GateCase{"int32", 0},
                                         GateCase{"uint8", 0}),
                         [](const auto& tested) { return std::string(tested.param.type); });

TEST_F(CudaProblem, PicksAGateByTheTypeOfTheOutput) {
  const CudaFolder::Changes gated = {
      {"access = \"out\"", "access = \"out\"\ngate = { bfloat16 = 0.5, float16 = 0.25 }"}};
  EXPECT_EQ(backend(gated).gates[0].norm, 0.5);
  EXPECT_EQ(backend(gated).gates[0].element, 5);
  EXPECT_EQ(backend(gated, {{"cuda.dtype", "float16"}}).gates[0].norm, 0.25);
  EXPECT_EQ(backend(gated, {{"cuda.dtype", "float32"}}).gates[0].norm, 2e-6);
}

TEST_F(CudaProblem, AGateOf8BitsLeavesAnElementNoRoomToBeZero) {
  const auto element = [&](const std::string& gate) {
    return backend({{"access = \"out\"", "access = \"out\"\n" + gate}},
                   {{"cuda.dtype", "float8_e4m3"}})
        .gates.front()
        .element;
  };
  EXPECT_DOUBLE_EQ(element("gate = 0.01"), 0.1);
  EXPECT_DOUBLE_EQ(element("gate = 0.03"), 0.25);
  EXPECT_DOUBLE_EQ(element("gate = 0.2"), 0.5);
  EXPECT_DOUBLE_EQ(element("element_gate = 1"), 1);
}

TEST_F(CudaProblem, MayHaveAGateForElements) {
  const auto gates =
      backend({{"access = \"out\"", "access = \"out\"\ngate = 1e-3\nelement_gate = 0"}}).gates;
  EXPECT_EQ(gates[0].norm, 1e-3);
  EXPECT_EQ(gates[0].element, 0);
}

TEST_F(CudaProblem, HasAGateForElementsThatIsAGivenOneAlsoWhereItIsTheUsualOne) {
  const auto is_given = [&](const std::string& of_elements) {
    const search::CudaGate gate =
        backend({{"access = \"out\"", "access = \"out\"\ngate = 0.25\n" + of_elements}},
                {{"cuda.dtype", "float16"}})
            .gates.front();
    EXPECT_DOUBLE_EQ(gate.element, 2.5) << of_elements;
    return search::says_of_elements(search::ElementType::kFloat16, gate);
  };
  EXPECT_TRUE(is_given("element_gate = 2.5"));
  EXPECT_TRUE(is_given("element_gate = { float16 = 2.5 }"));
  EXPECT_FALSE(is_given("element_gate = { bfloat16 = 2.5 }")) << "of another type";
  EXPECT_FALSE(is_given(""));
}

TEST_F(CudaProblem, HasAGateForWhatIsReadAndWritten) {
  const CudaBackend cuda = backend({{"access = \"in\"", "access = \"inout\""}});
  ASSERT_THAT(cuda.gates, SizeIs(2));
  EXPECT_EQ(cuda.gates[0].argument, 0U);
}

// --- Objectives ---

TEST_F(CudaProblem, MinimisesTimeInMicroseconds) {
  const search::Problem problem = read();
  EXPECT_THAT(problem.objectives,
              ElementsAre(search::Objective{"time", "us", search::Direction::kMinimise}));
  EXPECT_THAT(std::get<CudaBackend>(problem.backend).figures, ElementsAre(OwnFigure::kTime));
}

TEST_F(CudaProblem, KnowsUnitAndDirectionOfItsFigures) {
  std::string objectives;
  for (const char* name :
       {"time", "bandwidth", "compute", "ceiling", "energy", "power", "registers", "spills",
        "shared_memory", "binary_size", "build_time", "error"}) {
    objectives += "[[objective]]\nname = \"" + std::string(name) + "\"\n";
  }
  const search::Problem problem = folder_.read(cuda_problem(objectives));
  std::string told;
  for (const search::Objective& o : problem.objectives) {
    told +=
        o.name + (o.direction == search::Direction::kMaximise ? " up " : " down ") + o.unit + "; ";
  }
  EXPECT_EQ(told,
            "time down us; bandwidth up GB/s; compute up GFLOP/s; ceiling up %; energy down mJ; "
            "power down W; registers down ; spills down B; shared_memory down B; binary_size down "
            "B; build_time down s; error down ; ");
  const auto& figures = std::get<CudaBackend>(problem.backend).figures;
  ASSERT_THAT(figures, SizeIs(12));
  for (std::size_t i = 0; i < figures.size(); ++i) {
    EXPECT_EQ(search::rule_of(figures[i]).name, problem.objectives[i].name);
  }
}

TEST_F(CudaProblem, MeasuresInOtherUnitsWhenAsked) {
  const search::Problem problem =
      folder_.read(cuda_problem("[[objective]]\nunit = \"ns\"\nat_most = 50\n[[objective]]\nname = "
                                "\"bandwidth\"\nunit = \"TB/s\"\nweight = 2\n"));
  EXPECT_EQ(problem.objectives[0].unit, "ns");
  EXPECT_EQ(problem.objectives[1].unit, "TB/s");
  EXPECT_EQ(problem.objectives[1].direction, search::Direction::kMaximise);
}

// --- Settings ---

TEST_F(CudaProblem, MeasuresWithColdCachesUnlessToldOtherwise) {
  EXPECT_TRUE(read().sampling.cold_cache);
  EXPECT_FALSE(folder_.read(cuda_problem("[measure]\ncache = \"warm\"\n")).sampling.cold_cache);
}

TEST_F(CudaProblem, ChoosesAggregateAndTiming) {
  EXPECT_EQ(read().cases.aggregate, search::Aggregate::kGeometricMean);
  EXPECT_EQ(backend().timing, CudaBackend::Timing::kAuto);
  const CudaFolder::Changes changes = {
      {kSizes, std::string(kTwoCases) +
                   "\naggregate = \"sum\"\ntiming = \"events\"\ndeterministic = true"}};
  const CudaBackend cuda = backend(changes);
  EXPECT_EQ(read(changes).cases.aggregate, search::Aggregate::kSum);
  EXPECT_EQ(cuda.timing, CudaBackend::Timing::kEvents);
  EXPECT_TRUE(cuda.deterministic);
  EXPECT_THAT(cuda.cases, SizeIs(2));
}

TEST_F(CudaProblem, TurnsParametersIntoOptions) {
  const CudaBackend cuda = backend({{"CLUSTER = [1, 2]",
                                     "CLUSTER = [1, 2]\nREGS = { values = [32, 64], flag = "
                                     "\"--maxrregcount={}\" }"}});
  ASSERT_THAT(cuda.flag_parameters, SizeIs(1));
  EXPECT_EQ(cuda.flag_parameters[0].parameter, "REGS");
}

TEST_F(CudaProblem, ComputesInputsBeforeTheFirstLaunch) {
  const CudaBackend cuda = backend({{"fill = \"normal\"", "fill = \"computed\""},
                                    {"[parameters]",
                                     "[[cuda.prepare]]\nkernel = \"make\"\ngrid = \"M\"\nblock = "
                                     "64\narguments = [\"x\"]\n[parameters]"}});
  EXPECT_EQ(cuda.arguments[0].fill, Argument::Fill::kComputed);
  ASSERT_THAT(cuda.prepare, SizeIs(1));
  EXPECT_EQ(cuda.prepare[0].kernel, "make");
}

}  // namespace
}  // namespace nightshift::problems
