#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "search/problem.h"

namespace nightshift::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Target kTargets[] = {Target::kCores, Target::kGpus, Target::kRecording};

std::vector<Target> possible_targets(const Backend& backend) {
  std::vector<Target> possible;
  for (const Target target : kTargets) {
    if (can_run_on(backend, target)) possible.push_back(target);
  }
  return possible;
}

TEST(Target, ProgramsRunOnCoresOrGpusAndEverythingElseInOnePlace) {
  EXPECT_THAT(possible_targets(HostBackend{}), ElementsAre(Target::kCores));
  EXPECT_THAT(possible_targets(CommandBackend{}), ElementsAre(Target::kCores, Target::kGpus));
  EXPECT_THAT(possible_targets(RecordedBackend{}), ElementsAre(Target::kRecording));
  EXPECT_THAT(possible_targets(CudaBackend{}), ElementsAre(Target::kGpus));
}

TEST(Target, WhereNothingIsSaidEveryKindHasItsUsualPlace) {
  EXPECT_EQ(usual_target(HostBackend{}), Target::kCores);
  EXPECT_EQ(usual_target(CommandBackend{}), Target::kCores);
  EXPECT_EQ(usual_target(RecordedBackend{}), Target::kRecording);
  EXPECT_EQ(usual_target(CudaBackend{}), Target::kGpus);
  EXPECT_TRUE(can_run_on(Problem{}.backend, Problem{}.target));
}

TEST(Target, DecidesAloneWhereAProblemIsMeasured) {
  Problem problem;
  problem.backend = CommandBackend{};
  problem.target = Target::kGpus;
  EXPECT_TRUE(is_on_gpus(problem));
  EXPECT_FALSE(is_recorded(problem));
  EXPECT_FALSE(needs_build(problem)) << "what it is made of says whether it is built";
  problem.target = Target::kRecording;
  EXPECT_TRUE(is_recorded(problem));
  EXPECT_FALSE(is_on_gpus(problem));
}

TEST(Backend, SaysWhatIsCompiledAndHow) {
  Problem problem;
  HostBackend host;
  host.compiler = "clang++";
  host.kernel.flags = {"-O3"};
  host.flag_parameters = {{"ISA", "-march={}"}};
  problem.backend = host;
  EXPECT_TRUE(needs_build(problem));
  EXPECT_THAT(compiler_programs(problem), ElementsAre("clang++"));
  EXPECT_THAT(compiler_flags(problem), ElementsAre("-O3"));
  ASSERT_EQ(flag_parameters(problem).size(), 1U);
  CudaBackend cuda;
  cuda.kernel.flags = {"--use_fast_math"};
  problem.backend = cuda;
  EXPECT_TRUE(needs_build(problem));
  EXPECT_THAT(compiler_programs(problem), IsEmpty());
  EXPECT_THAT(compiler_flags(problem), ElementsAre("--use_fast_math"));
  for (const Backend& backend : {Backend(CommandBackend{}), Backend(RecordedBackend{})}) {
    problem.backend = backend;
    EXPECT_FALSE(needs_build(problem));
    EXPECT_FALSE(has_reference(problem));
    EXPECT_THAT(compiler_programs(problem), IsEmpty());
    EXPECT_THAT(compiler_flags(problem), IsEmpty());
    EXPECT_THAT(flag_parameters(problem), IsEmpty());
  }
}

TEST(Backend, TheCompilerMayBeAParameter) {
  Problem problem;
  HostBackend host;
  host.compiler = "{COMPILER}-{VERSION}";
  problem.backend = host;
  Parameter compiler, version;
  compiler.name = "COMPILER";
  compiler.values = {std::string("g++"), std::string("clang++")};
  version.name = "VERSION";
  version.values = {std::int64_t{12}, std::int64_t{14}};
  problem.parameters = {compiler, version};
  EXPECT_THAT(compilers(problem), ElementsAre("g++-12", "g++-14", "clang++-12", "clang++-14"));
  EXPECT_EQ(compilers(problem), compiler_programs(problem));
  CudaBackend cuda;
  problem.backend = cuda;
  EXPECT_THAT(compilers(problem), ElementsAre(""));
  cuda.compiler_word = "{VERSION}.0";
  problem.backend = cuda;
  EXPECT_THAT(compilers(problem), ElementsAre("12.0", "14.0"));
  problem.backend = CommandBackend{};
  EXPECT_THAT(compilers(problem), IsEmpty());
}

}  // namespace
}  // namespace nightshift::search
