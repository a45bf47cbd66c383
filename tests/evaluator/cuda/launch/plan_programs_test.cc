#include "evaluator/cuda/launch/plan_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "evaluator/cuda/launch/launch_plan.h"
#include "evaluator/cuda/launch/tensor_map.h"
#include "packaging/include/nightshift/size_program.h"
#include "problems/problem_file.h"
#include "tests/evaluator/evaluator_setup.h"
#include "tests/fakes/paths.h"

namespace nightshift::evaluator::cuda {
namespace {

using ::testing::HasSubstr;

constexpr int kMultiprocessors = 132;
const ipc::GpuTarget kGpu{"", 90, kMultiprocessors};

PackedModule module_of(const search::CudaBackend& cuda) {
  PackedModule module;
  module.cubin = "code";
  for (const std::string& function : functions_of(cuda.launches)) {
    module.functions.push_back(function);
    module.symbols.push_back("_Z" + function);
  }
  return module;
}

double number(const std::string& program, const KernelNumbers& names) {
  return SizeProgram::run(program, names);
}

void expect_same(const std::array<std::string, 3>& programs, const Dimensions& planned,
                 const KernelNumbers& names) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(number(programs[i], names), planned[i]);
}

void expect_same(const KernelPlan::Map& map, const PlannedMap& planned,
                 const KernelNumbers& names) {
  EXPECT_EQ(map.type, tensor_data_type(planned.type));
  EXPECT_EQ(map.argument, planned.argument);
  EXPECT_EQ(number(map.swizzle, names), planned.swizzle);
  EXPECT_EQ(number(map.l2_promotion, names), planned.l2_promotion);
  ASSERT_EQ(map.extent.size(), planned.extent.size());
  for (std::size_t d = 0; d < map.extent.size(); ++d) {
    EXPECT_EQ(number(map.extent[d], names), static_cast<double>(planned.extent[d]));
    EXPECT_EQ(number(map.boxes[d], names), planned.box[d]);
    if (d > 0) {
      EXPECT_EQ(number(map.pitch[d - 1], names), static_cast<double>(planned.pitch_bytes[d - 1]));
    }
  }
}

// What programs come to is what the evaluator launches.
void expect_same(const search::CudaBackend& cuda, const search::Configuration& configuration,
                 bool any_sizes) {
  const CasePlan planned = plan_case(cuda, 0, configuration, kGpu);
  const KernelPlan plan =
      plan_in_programs(cuda, 0, configuration, kGpu, module_of(cuda), any_sizes);
  KernelNumbers names{{search::kMultiprocessors, kMultiprocessors}};
  if (plan.for_any_sizes) {
    for (const auto& [name, size] : cuda.cases[0]) names[name] = static_cast<double>(size);
  }
  for (std::size_t i = 0; i < cuda.arguments.size(); ++i) {
    if (cuda.arguments[i].scalar) continue;
    EXPECT_EQ(number(plan.arguments[i].extent, names),
              static_cast<double>(planned.shapes[i].elements));
  }
  std::vector<KernelPlan::Launch> launches;
  for (const KernelPlan::Launch& launch : plan.launches) {
    if (number(launch.when, names) != 0) launches.push_back(launch);
  }
  ASSERT_EQ(launches.size(), planned.launches.size());
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const PlannedLaunch& its = planned.launches[i];
    EXPECT_EQ(launches[i].symbol, "_Z" + its.kernel);
    expect_same(launches[i].grid, its.grid, names);
    expect_same(launches[i].block, its.block, names);
    expect_same(launches[i].cluster, its.cluster, names);
    EXPECT_EQ(number(launches[i].shared_bytes, names), its.shared_bytes);
    if (i > 0) {
      EXPECT_EQ(number(launches[i].programmatic, names) != 0, its.programmatic);
    }
    ASSERT_EQ(launches[i].takes.size(), its.arguments.size());
    for (std::size_t a = 0; a < its.arguments.size(); ++a) {
      const KernelPlan::Taken& taken = launches[i].takes[a];
      if (taken.kind == KernelPlan::Taken::Kind::kArgument) {
        EXPECT_EQ(taken.value, its.arguments[a]);
        continue;
      }
      const auto& map = planned.maps[its.arguments[a] - cuda.arguments.size()];
      expect_same(plan.maps.at(taken.value), map.value(), names);
    }
  }
}

TEST(PlanPrograms, ComeToWhatIsMeasuredForTheWholeCatalogue) {
  std::size_t problems = 0, configurations = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(testing_paths::source("kernels/cuda"))) {
    const std::filesystem::path file = entry.path() / "problem.toml";
    if (!std::filesystem::exists(file)) continue;
    const search::Problem problem = problems::read_problem(file.string(), {});
    const auto& cuda = std::get<search::CudaBackend>(problem.backend);
    SCOPED_TRACE(file.string());
    ++problems;
    std::vector<search::Configuration> tried = problem.scheduling.starts;
    tried.insert(tried.begin(), search::Configuration());
    if (tried.size() > 8) tried.resize(8);
    for (const search::Configuration& one : tried) {
      const search::Configuration configuration = search::resolved(problem, one);
      expect_same(cuda, configuration, false);
      expect_same(cuda, configuration, true);
      ++configurations;
    }
  }
  EXPECT_GT(problems, 30U);
  EXPECT_GT(configurations, 2 * problems);
}

constexpr const char* kProblem = R"toml(
name = "scale"
[cuda]
source = "scale.cu"
names = "none"
sizes = { n = 1000 }
[[cuda.argument]]
name = "x"
type = "float32"
size = "n"
access = "inout"
[[cuda.argument]]
name = "state"
type = "int32"
size = 4
access = "work"
fill = "constant"
low = 3
[[cuda.launch]]
kernel = "scale<BLOCK>"
grid = "ceil(n / BLOCK)"
block = "BLOCK"
arguments = ["x", "state"]
[parameters]
BLOCK = [64, 128]
)toml";

search::Problem problem_of(const std::string& text) {
  const TemporaryFolder folder;
  folder.write("scale.cu", "");
  return problems::parse_problem(text, folder.path() + "/problem.toml", {});
}

KernelPlan plan_of(const std::string& text, bool any_sizes = true) {
  const search::Problem problem = problem_of(text);
  const auto& cuda = std::get<search::CudaBackend>(problem.backend);
  return plan_in_programs(cuda, 0, search::resolved(problem, {}), kGpu, module_of(cuda), any_sizes);
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kProblem;
  return text.replace(text.find(from), from.size(), to);
}

std::string complaint(const std::string& text) {
  try {
    plan_of(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(PlanPrograms, ServeOtherSizesWhereTheyMay) {
  const KernelPlan any = plan_of(kProblem);
  EXPECT_TRUE(any.for_any_sizes);
  EXPECT_EQ(any.launches.at(0).grid[0], "$n,64,/,ceil");
  EXPECT_EQ(any.arguments.at(0).extent, "$n");
  EXPECT_EQ(any.arguments.at(1).fill, std::string("\3\0\0\0", 4));
  EXPECT_EQ(any.cubin, "code");
  const KernelPlan one = plan_of(kProblem, false);
  EXPECT_FALSE(one.for_any_sizes);
  EXPECT_EQ(one.launches.at(0).grid[0], "16");
}

TEST(PlanPrograms, WhatProgramsCannotSayIsSaidForTheseSizes) {
  const KernelPlan plan = plan_of(changed("ceil(n / BLOCK)", "len(range(0, n, BLOCK))"));
  EXPECT_FALSE(plan.for_any_sizes);
  EXPECT_EQ(plan.launches.at(0).grid[0], "16");
  EXPECT_THAT(complaint(changed("ceil(n / BLOCK)", "len(range(0, n, SM_COUNT))")),
              HasSubstr("grid, 'len(range(0, n, SM_COUNT))', asks for more"));
}

TEST(PlanPrograms, WhatAFileCannotTellIsRefused) {
  EXPECT_THAT(complaint(changed("\"int32\"", "\"float16\"")), HasSubstr("begins with numbers of"));
  search::Problem problem = problem_of(kProblem);
  auto& cuda = std::get<search::CudaBackend>(problem.backend);
  cuda.arguments[0].constant_array = "weights";
  EXPECT_THROW(
      plan_in_programs(cuda, 0, search::resolved(problem, {}), kGpu, module_of(cuda), true),
      std::runtime_error);
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
