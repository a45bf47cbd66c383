#include "evaluator/memory_needed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "problems/problem_file.h"
#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

search::Problem problem_of(const std::string& backend) {
  const TemporaryFolder folder;
  folder.write("kernel.cu", "extern \"C\" __global__ void k(float* x) {}\n");
  return problems::parse_problem("name = 'p'\n" + backend + "[parameters]\nA = [1, 2]\n",
                                 folder.path() + "/p.toml", {});
}

search::Problem host_problem(const std::string& cases) {
  return problem_of(
      "[host]\nkernel = { file = 'kernel.cu', function = 'f' }\n" + cases +
      "[[host.argument]]\nname = 'x'\ntype = 'float32'\nsize = 'N'\n"
      "[[host.argument]]\nname = 'y'\ntype = 'float64'\nsize = 'N'\naccess = 'out'\n");
}

TEST(MemoryNeeded, TheLargestCaseOfAHostProblemHasToFitTheMachine) {
  const search::Problem problem =
      host_problem("cases = [{ N = 1000 }, { N = 268435456 }, { N = 5 }]\n");  // 1 and 2 GiB
  EXPECT_THAT(beyond_memory(problem, MachineMemory{3 * kGibibyte, false}), IsEmpty());
  EXPECT_THAT(beyond_memory(problem, MachineMemory{3 * kGibibyte - 1, false}),
              AllOf(HasSubstr("the arguments take 3 GiB ('y' alone 2 GiB, with N=268435456)"),
                    HasSubstr("this machine has 3 GiB: make the sizes")));
  EXPECT_THAT(beyond_memory(problem, MachineMemory{kGibibyte, true}),
              HasSubstr("the control group of this process allows 1 GiB"));
  EXPECT_THAT(beyond_memory(problem, MachineMemory{0, false}), IsEmpty()) << "nothing is known";
}

TEST(MemoryNeeded, AWholeThatNoNumberHoldsIsTooLarge) {
  const search::Problem problem = host_problem("sizes = { N = 9999999999999 }\n");
  EXPECT_THAT(beyond_memory(problem, MachineMemory{std::uint64_t{1} << 46, false}),
              HasSubstr("the arguments take 1.118e+05 GiB"));
}

TEST(MemoryNeeded, WhatHasNoArgumentsIsNotLookedAt) {
  EXPECT_THAT(
      beyond_memory(problem_of("[command]\nargv = ['true', '{A}']\n"), MachineMemory{1, false}),
      IsEmpty());
}

TEST(MemoryNeeded, OfAGpuProblemItsGpuCounts) {
  const search::Problem problem = problem_of(
      "[cuda]\nsource = 'kernel.cu'\nsizes = { N = 268435456 }\n"
      "[[cuda.argument]]\nname = 'x'\ntype = 'float32'\nsize = 'N'\naccess = 'out'\n"
      "[[cuda.launch]]\nkernel = 'k'\ngrid = ['1']\nblock = ['1']\n");
  EXPECT_THAT(beyond_memory(problem, MachineMemory{1, false}), IsEmpty()) << "no GPU is known";
  EXPECT_THAT(beyond_memory(problem, MachineMemory{1, false}, GpuMemory{"a GPU", kGibibyte}),
              IsEmpty());
  EXPECT_THAT(beyond_memory(problem, MachineMemory{1, false}, GpuMemory{"a GPU", kGibibyte - 1}),
              HasSubstr("a GPU has 1 GiB"));
}

}  // namespace
}  // namespace nightshift::evaluator
