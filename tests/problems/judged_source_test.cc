#include "problems/judged_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "search/substitution.h"

namespace nightshift::problems {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

search::Problem with(search::Backend backend) {
  search::Problem problem;
  problem.backend = std::move(backend);
  search::Parameter tile;
  tile.name = "TILE";
  tile.values = {std::int64_t{8}, std::int64_t{16}};
  tile.default_value = std::int64_t{16};
  problem.parameters = {tile};
  problem.scheduling.starts = {search::Configuration({{"TILE", std::int64_t{8}}})};
  return problem;
}

JudgedSource judged(std::int64_t opponent) {
  return {"/night/judged", opponent, 7, {"/mine", "/theirs"}};
}

TEST(JudgedSource, LeavesTwoConfigurationsOfTheBaselinesValues) {
  search::Problem problem = with(search::HostBackend{});
  ASSERT_TRUE(set_judged_source(problem, judged(3)));
  ASSERT_EQ(problem.parameters.size(), 2U);
  EXPECT_THAT(problem.parameters[0].values, ElementsAre(search::Value(std::int64_t{16})));
  EXPECT_EQ(problem.parameters[1].name, kCandidateParameter);
  EXPECT_THAT(problem.parameters[1].values,
              ElementsAre(search::Value(std::int64_t{3}), search::Value(std::int64_t{7})));
  EXPECT_EQ(*problem.baseline.find(kCandidateParameter), search::Value(std::int64_t{3}));
  ASSERT_EQ(problem.scheduling.starts.size(), 1U);
  EXPECT_EQ(*problem.scheduling.starts[0].find(kCandidateParameter),
            search::Value(std::int64_t{7}));
  EXPECT_EQ(problem.budget.trials, 1U);
}

TEST(JudgedSource, OfCompiledKernelsIsASourceWithAMacro) {
  search::Problem host = with(search::HostBackend{});
  ASSERT_TRUE(set_judged_source(host, judged(0)));
  const auto& kernel = std::get<search::HostBackend>(host.backend);
  EXPECT_EQ(kernel.kernel.file, "/night/judged");
  EXPECT_THAT(kernel.kernel.flags, ElementsAre("-I/mine", "-I/theirs"));
  ASSERT_EQ(kernel.flag_parameters.size(), 1U);
  EXPECT_EQ(kernel.flag_parameters[0].parameter, kCandidateParameter);
  search::Problem cuda = with(search::CudaBackend{});
  ASSERT_TRUE(set_judged_source(cuda, judged(0)));
  EXPECT_THAT(std::get<search::CudaBackend>(cuda.backend).include_folders,
              ElementsAre("/mine", "/theirs"));
}

TEST(JudgedSource, OfAProgramIsTheFolderWhereItIsBuiltAndRun) {
  search::CommandBackend command;
  command.argv = {"./run", "{TILE}"};
  command.build = {"make", "{flags}"};
  command.baseline_argv = {"./plain"};
  command.inputs = {"/program"};
  search::Problem problem = with(command);
  ASSERT_TRUE(set_judged_source(problem, judged(0)));
  const auto& moved = std::get<search::CommandBackend>(problem.backend);
  const search::Configuration candidate(
      {{"TILE", std::int64_t{16}}, {kCandidateParameter, std::int64_t{7}}});
  EXPECT_THAT(
      search::substituted(moved.argv, candidate),
      ElementsAre("sh", "-c", "cd \"$0\" && exec \"$@\"", "/night/judged/7", "./run", "16"));
  EXPECT_EQ(moved.build.back(), "{flags}");
  EXPECT_EQ(moved.baseline_argv.back(), "./plain");
  EXPECT_THAT(moved.inputs, IsEmpty());
}

TEST(JudgedSource, AProgramThatIsTheBaselineIsOfNobodyElse) {
  search::CommandBackend command;
  command.argv = {"./run"};
  command.baseline_argv = {"./plain"};
  search::Problem problem = with(command);
  ASSERT_TRUE(set_judged_source(problem, judged(3)));
  EXPECT_THAT(std::get<search::CommandBackend>(problem.backend).baseline_argv, IsEmpty());
}

TEST(JudgedSource, AServedProgramIsToldTheFolder) {
  search::CommandBackend command;
  command.mode = search::CommandBackend::Mode::kServer;
  command.argv = {"python3"};
  search::Problem problem = with(command);
  JudgedSource source = judged(0);
  source.source = "/a {brace}";
  ASSERT_TRUE(set_judged_source(problem, source));
  const auto& served = std::get<search::CommandBackend>(problem.backend);
  EXPECT_THAT(served.argv, ElementsAre("python3"));
  EXPECT_THAT(problem.parameters[1].values, ElementsAre(search::Value(std::int64_t{7})));
  EXPECT_EQ(*problem.baseline.find(kCandidateParameter), search::Value(std::int64_t{0}));
  ASSERT_THAT(served.environment, ElementsAre(Pair(kCandidatesVariable, "/a {{brace}")));
  EXPECT_EQ(search::substituted(served.environment[0].second, {}), "/a {brace}");
}

TEST(JudgedSource, ARecordingHasNone) {
  search::Problem problem = with(search::RecordedBackend{});
  EXPECT_FALSE(set_judged_source(problem, judged(0)));
  EXPECT_EQ(problem.parameters.size(), 1U);
}

TEST(JudgedSource, AFileIncludesWhatTheCompilerIsToldOf) {
  const std::string text =
      "#if NIGHTSHIFT_CANDIDATE == 1\n#include \"/a.cc\"\n#elif NIGHTSHIFT_CANDIDATE == 12\n"
      "#include \"/b.cc\"\n#else\n#include \"/own.cc\"\n#endif\n";
  EXPECT_EQ(included_source(text, {"-O2", "-DNIGHTSHIFT_CANDIDATE=1"}), "/a.cc");
  EXPECT_EQ(included_source(text, {"-DNIGHTSHIFT_CANDIDATE=12"}), "/b.cc");
  EXPECT_EQ(included_source(text, {"-DNIGHTSHIFT_CANDIDATE=0"}), "/own.cc");
  EXPECT_EQ(included_source(text, {"-O2"}), "");
  EXPECT_EQ(included_source("void f() {}", {"-DNIGHTSHIFT_CANDIDATE=1"}), "");
}

}  // namespace
}  // namespace nightshift::problems
