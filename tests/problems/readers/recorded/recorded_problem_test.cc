#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "problems/problem_file.h"
#include "problems/readers/recorded/recording.h"
#include "tests/problems/data_files.h"
#include "tests/problems/scratch_folder.h"

namespace nightshift::problems {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string error_of(const std::string& path, const std::vector<Override>& overrides) {
  try {
    read_problem(path, overrides);
  } catch (const ProblemFileError& error) {
    return error.what();
  }
  return "no error";
}

class RecordedProblem : public ::testing::TestWithParam<const char*> {};

TEST_P(RecordedProblem, IsAProblemOfItsOwn) {
  const search::Problem problem = read_problem(data_file(GetParam()));
  EXPECT_EQ(problem.name, "stencil");
  EXPECT_EQ(std::get<search::RecordedBackend>(problem.backend).file, data_file(GetParam()));
  EXPECT_EQ(problem.target, search::Target::kRecording);
  EXPECT_THAT(problem.objectives, ElementsAre(search::Objective{}));
  EXPECT_THAT(problem.parameters, SizeIs(4));
  EXPECT_EQ(problem.budget.trials, 400U);
  EXPECT_DOUBLE_EQ(problem.budget.seconds, 0);
  EXPECT_EQ(problem.baseline.to_json(),
            R"({"block": 32, "tile": 1, "unroll": 0, "order": "columns"})");
  EXPECT_EQ(search::resolved(problem, {}), problem.baseline);
}

TEST_P(RecordedProblem, HasExactlyTheRecordedConfigurationsAsItsSpace) {
  const search::Problem problem = read_problem(data_file(GetParam()));
  const search::ParameterSpace space = make_space(problem);
  EXPECT_EQ(space.size(), 70U);
  EXPECT_TRUE(space.index_of(problem.baseline).has_value());
}

TEST_P(RecordedProblem, KeepsNoTextButCanBeReadAgainFromItsFile) {
  std::string text = "something";
  const search::Problem problem = read_problem(data_file(GetParam()), {}, &text);
  EXPECT_EQ(text, "");
  const search::Problem again =
      parse_problem(text, data_file(GetParam()), {{"budget.trials", "9"}});
  EXPECT_EQ(again.baseline, problem.baseline);
  EXPECT_EQ(again.budget.trials, 9U);
}

// They would be minimised otherwise, and the worst of them be claimed.
TEST(RecordedObjective, IsBetterWhenHigherWhereItIsARate) {
  using search::Direction;
  for (const char* name : {"GFLOP/s", "bandwidth", "Throughput", "speedup", "GFLOPS", "score"}) {
    EXPECT_EQ(objective_named(name).direction, Direction::kMaximise) << name;
  }
  EXPECT_EQ(objective_named("work", "items/s").direction, Direction::kMaximise);
  for (const char* name : {"time", "energy", "memory", "error"}) {
    EXPECT_EQ(objective_named(name, "ms").direction, Direction::kMinimise) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, RecordedProblem,
                         ::testing::Values("stencil.json", "stencil.json.gz", "stencil.T4.json",
                                           "stencil.T4.json.gz"));

TEST(RecordedSettings, CountTimeAsSimulatedTime) {
  const search::Problem problem = read_problem(data_file("stencil.json"), {{"budget.time", "2m"}});
  EXPECT_DOUBLE_EQ(problem.budget.simulated_seconds, 120);
  EXPECT_DOUBLE_EQ(problem.budget.seconds, 0);
  EXPECT_EQ(problem.budget.trials, 0U);
}

TEST(RecordedSettings, SayHowItIsReplayed) {
  const search::Problem problem = read_problem(
      data_file("stencil.json"), {{"recorded.noise", "0.05"}, {"recorded.samples", "4"}});
  const auto& backend = std::get<search::RecordedBackend>(problem.backend);
  EXPECT_EQ(backend.noise, 0.05);
  EXPECT_EQ(backend.samples, 4);
  EXPECT_EQ(
      std::get<search::RecordedBackend>(read_problem(data_file("stencil.json")).backend).noise, 0);
}

TEST(RecordedSettings, NameABaseline) {
  const search::Problem problem =
      read_problem(data_file("stencil.json"),
                   {{"baseline.block", "64"}, {"baseline", "{tile = 2, block = 64}"}});
  EXPECT_EQ(problem.baseline.to_json(),
            R"({"block": 64, "tile": 2, "unroll": 0, "order": "columns"})");
  EXPECT_EQ(search::resolved(problem, {}), problem.baseline);
}

TEST(RecordedSettings, MustBeRight) {
  const std::string file = data_file("stencil.json");
  EXPECT_THAT(error_of(file, {{"baseline.blok", "64"}}), HasSubstr("did you mean 'block'?"));
  EXPECT_THAT(error_of(file, {{"baseline.block", "65"}}), HasSubstr("'block' has no value 65"));
  EXPECT_THAT(error_of(file, {{"baseline.unroll", "1"}}), HasSubstr("was not recorded"));
  EXPECT_THAT(error_of(file, {{"baseline.order", "rows"}}), HasSubstr("is recorded as a failure"));
  EXPECT_THAT(error_of(file, {{"recorded.noise", "-0.1"}}), HasSubstr("recorded.noise"));
  EXPECT_THAT(error_of(file, {{"recorded.noise", "1.5"}}), HasSubstr("recorded.noise"));
  EXPECT_THAT(error_of(file, {{"serch.seed", "1"}}), HasSubstr("did you mean 'search'?"));
}

// Of 'a' and 'b', four configurations, of which the first failed.
std::string failed_first(const ScratchFolder& folder) {
  return folder.write("space.json",
                      R"({"device_name": "d", "kernel_name": "k", "tune_params_keys": ["a", "b"],
     "tune_params": {"a": [1, 2], "b": [1, 2]}, "objective": "time", "cache": {
       "1,1": {"a": 1, "b": 1, "time": "RuntimeFailedConfig"},
       "1,2": {"a": 1, "b": 2, "time": 4, "times": [4, 4]},
       "2,1": {"a": 2, "b": 1, "time": 3, "times": [3, 3]},
       "2,2": {"a": 2, "b": 2, "time": "CompilationFailedConfig"}}})");
}

TEST(RecordedSettings, AnObjectiveIsTheRecordingsOwn) {
  EXPECT_THAT(error_of(data_file("stencil.json"), {{"objective", "energy"}}),
              HasSubstr("the objective that it names, 'time': leave 'objective' away"));
}

TEST(RecordedBaseline, ThatAnotherOneStandsInForAFailedDefaultIsSaid) {
  const ScratchFolder folder;
  const search::Problem problem = read_problem(failed_first(folder));
  EXPECT_EQ(problem.baseline.to_json(), R"({"a": 1, "b": 2})");
  EXPECT_THAT(problem.notes,
              ElementsAre(AllOf(HasSubstr(R"(the default configuration, {"a": 1, "b": 1}, is )"
                                          "recorded as a failure"),
                                HasSubstr(R"(the baseline is {"a": 1, "b": 2})"))));
  EXPECT_THAT(read_problem(failed_first(folder), {{"baseline.a", "2"}, {"baseline.b", "1"}}).notes,
              SizeIs(0));
}

TEST(RecordedBaseline, HasTheDefaultsThatTheFileNames) {
  const ScratchFolder folder;
  const std::string head = "name = 'p'\n[recorded]\nfile = '" + failed_first(folder) +
                           "'\n[parameters]\na = { values = [1, 2], default = 2 }\n";
  const search::Problem one = read_problem(folder.write("one.toml", head));
  EXPECT_EQ(one.baseline.to_json(), R"({"a": 2, "b": 1})");
  EXPECT_THAT(one.notes, SizeIs(0));
  const search::Problem failed =
      read_problem(folder.write("failed.toml", head + "b = { values = [1, 2], default = 2 }\n"));
  EXPECT_EQ(failed.baseline.to_json(), R"({"a": 1, "b": 2})");
  EXPECT_THAT(failed.notes,
              ElementsAre(HasSubstr(R"({"a": 2, "b": 2}, is recorded as a failure)")));
  const search::Problem gone =
      read_problem(folder.write("gone.toml", "constraints = ['a * b < 4']\n" + head +
                                                 "b = { values = [1, 2], default = 2 }\n"));
  EXPECT_THAT(gone.notes, ElementsAre(HasSubstr("no recorded configuration has the defaults")));
}

TEST(RecordedBackend, NarrowsItsRecordingDown) {
  const ScratchFolder folder;
  const search::Problem problem = parse_problem(
      "name = 'part'\nconstraints = ['block * tile <= 128']\n"
      "[recorded]\nfile = '" +
          data_file("stencil.json") +
          "'\nsamples = 3\nnoise = 0.03\n[parameters]\nblock = [64, 128]\n"
          "[[objective]]\nunit = 'us'\n",
      folder.path("part.toml"));
  EXPECT_EQ(std::get<search::RecordedBackend>(problem.backend).samples, 3);
  EXPECT_EQ(std::get<search::RecordedBackend>(problem.backend).noise, 0.03);
  EXPECT_EQ(problem.objectives.front().unit, "us");
  EXPECT_THAT(problem.parameters, SizeIs(4));
  const search::ParameterSpace space = make_space(problem);
  // 64: tile 1 without and 2 with and without unrolling; 128: tile 1; each in both orders.
  EXPECT_EQ(space.size(), 8U);
  EXPECT_EQ(problem.baseline.to_json(),
            R"({"block": 64, "tile": 1, "unroll": 0, "order": "rows"})");
}

TEST(RecordedBackend, ReportsWhatItsRecordingDoesNotHave) {
  const ScratchFolder folder;
  const std::string head =
      "name = 'part'\n[recorded]\nfile = '" + data_file("stencil.json") + "'\n";
  const auto error = [&](const std::string& more) {
    return error_of(folder.write("part.toml", head + more), {});
  };
  EXPECT_THAT(error("[parameters]\nblok = [1]"), HasSubstr("did you mean 'block'?"));
  EXPECT_THAT(error("[parameters]\nblock = [1]"),
              HasSubstr("none of the 70 recorded configurations"));
  EXPECT_THAT(error("[[objective]]\nname = 'energy'"), HasSubstr("one objective, 'time'"));
  EXPECT_THAT(error("[parameters]\nblock = [64]\ntile = { values = [1, 2], when = 'block > 1' }"),
              HasSubstr("write it as a constraint"));
  EXPECT_THAT(error_of(folder.write("none.toml", "name = 'x'\n[recorded]\nfile = 'none.toml'"), {}),
              HasSubstr("is no recorded space"));
}

TEST(PublishedSpaces, AreSpacesOfTheirOwn) {
  const std::string path = published_space("convolution-A100.json.gz");
  if (path.empty()) GTEST_SKIP() << "the published spaces are not here";
  const search::Problem problem = read_problem(path);
  EXPECT_EQ(problem.name, "convolution-A100");
  EXPECT_EQ(make_space(problem).size(), 4362U);
}

TEST(RecordingProblem, FiguresOfAnySignAreComparedByTheirDifferences) {
  const ScratchFolder folder;
  const std::string path = folder.write("space.json", R"({"tune_params": {"x": [1, 2, 3]},
      "tune_params_keys": ["x"], "objective": "score", "cache": {
      "1": {"x": 1, "score": -1.5}, "2": {"x": 2, "score": 0.5}, "3": {"x": 3, "score": -0.5}}})");
  const search::Problem problem = read_problem(path);
  EXPECT_EQ(problem.objectives.front().direction, search::Direction::kMaximise);
  EXPECT_DOUBLE_EQ(problem.objectives.front().difference_scale, 2);
  ASSERT_EQ(problem.notes.size(), 1U);
  EXPECT_NE(problem.notes.front().find("'score' goes down to -1.5"), std::string::npos);
  EXPECT_EQ(read_problem(data_file("stencil.json")).objectives.front().difference_scale, 0);
}

}  // namespace
}  // namespace nightshift::problems
