#include "evaluator/command/command_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <set>

#include "evaluator/command/command_backend.h"
#include "evaluator/process/damaged_artifact.h"
#include "evaluator/process/held_build.h"
#include "ipc/orphans.h"
#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;
using search::Measured;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The build is a script, which notes each of its starts in `builds`.
class CommandBuilderTest : public ::testing::Test {
 protected:
  CommandBuilderTest() {
    ipc::become_subreaper();
    problem_.name = "built";
    problem_.parameters = {parameter("OPT", {std::int64_t{1}, std::int64_t{2}}),
                           parameter("RUN", {std::int64_t{1}, std::int64_t{2}})};
    problem_.backend = search::CommandBackend{};
    command().directory = folder_.path();
    command().runs = 1;
    build_with("echo 'echo \"{{\\\"time\\\": {OPT}$1}\"' > {artifact}/run");
    command().argv = {"sh", "{artifact}/run", "{RUN}"};
  }

  search::CommandBackend& command() { return std::get<search::CommandBackend>(problem_.backend); }
  void build_with(const std::string& script) {
    command().build = {"sh", "-c", "echo x >> builds; " + script};
  }
  ipc::BuiltReply build(const search::Configuration& c = {}) {
    if (!builder_) builder_.emplace(setting_for(problem_, folder_));
    ipc::BuildRequest request;
    request.configuration = c;
    return builder_->build(request, progress_);
  }
  ipc::Artifact built(const search::Configuration& c = {}) {
    const ipc::BuiltReply reply = build(c);
    const auto* artifact = std::get_if<ipc::Artifact>(&reply.result);
    EXPECT_NE(artifact, nullptr) << std::get<search::BuildFailed>(reply.result).message;
    return artifact != nullptr ? *artifact : ipc::Artifact{};
  }
  std::string complaint() {
    const ipc::BuiltReply reply = build();
    const auto* failed = std::get_if<search::BuildFailed>(&reply.result);
    return failed != nullptr ? failed->message : "built";
  }
  std::size_t builds() const { return folder_.read("builds").size() / 2; }
  std::vector<double> times(const search::Configuration& c, const std::string& artifact) {
    CommandTrialBackend backend(setting_for(problem_, folder_), std::make_unique<CoreWatch>());
    ipc::EvaluateRequest request;
    request.configuration = c;
    request.artifact = artifact;
    const auto outcome = backend.evaluate(request, progress_).outcome;
    const auto* measured = std::get_if<Measured>(&outcome);
    EXPECT_NE(measured, nullptr) << search::describe(outcome);
    return measured != nullptr ? measured->measurement.find("time")->values : std::vector<double>{};
  }

  static search::Configuration at(std::int64_t opt, std::int64_t run) {
    return configuration({{"OPT", opt}, {"RUN", run}});
  }

  TemporaryFolder folder_;
  search::Problem problem_;
  FakeProgress progress_;
  std::optional<CommandBuilder> builder_;
};

TEST_F(CommandBuilderTest, WhatIsBuiltIsRun) {
  const ipc::Artifact one = built(at(1, 2)), two = built(at(2, 2));
  EXPECT_THAT(times(at(1, 2), one.hash), ElementsAre(12));
  EXPECT_THAT(times(at(2, 2), two.hash), ElementsAre(22));
  EXPECT_THAT(times(at(2, 2), one.hash), ElementsAre(12)) << "it is the artifact that runs";
  EXPECT_GT(one.bytes, 10U);
}

TEST_F(CommandBuilderTest, WhatGoesInTwiceIsBuiltOnce) {
  const ipc::Artifact first = built(at(1, 1)), second = built(at(1, 2));
  EXPECT_EQ(builds(), 1U) << "RUN does not concern the build";
  EXPECT_NE(first.hash, second.hash) << "but the run";
  EXPECT_EQ(built(at(1, 1)).hash, first.hash);
  built(at(2, 1));
  EXPECT_EQ(builds(), 2U);
  command().build_environment = {{"X", "{RUN}"}};
  builder_.reset();
  built(at(1, 1));
  built(at(1, 2));
  EXPECT_EQ(builds(), 4U);
}

TEST_F(CommandBuilderTest, EqualOutputRunAlikeHasOneName) {
  build_with("echo {OPT} > made; echo 'echo 1' > {artifact}/run");
  const ipc::Artifact one = built(at(1, 1)), two = built(at(2, 1));
  EXPECT_EQ(builds(), 2U);
  EXPECT_EQ(one.hash, two.hash);
  EXPECT_NE(built(at(2, 2)).hash, one.hash);
}

TEST_F(CommandBuilderTest, NamesBytesAndPermissionsMakeTheContent) {
  std::vector<std::string> hashes;
  for (const char* last : {"true", "chmod +x {artifact}/run", "mv {artifact}/run {artifact}/ran",
                           "mkdir {artifact}/sub", "ln -s run {artifact}/other"}) {
    build_with(std::string("echo 1 > {artifact}/run; ") + last);
    builder_.reset();
    hashes.push_back(built().hash);
  }
  EXPECT_THAT(std::set<std::string>(hashes.begin(), hashes.end()), ::testing::SizeIs(5));
}

TEST_F(CommandBuilderTest, ASourceThatItsWordsNameIsBuiltAgainWhenItIsAnother) {
  folder_.write("build.sh", "#include \"part.h\"\necho x >> builds; echo 1 > $1/run\n");
  folder_.write("part.h", "1");
  command().build = {"sh", "build.sh", "{artifact}", "{OPT}"};
  built(at(1, 1));
  built(at(1, 2));
  EXPECT_EQ(builds(), 1U);
  folder_.write("part.h", "22");
  built(at(1, 1));
  EXPECT_EQ(builds(), 2U);
}

TEST_F(CommandBuilderTest, WhatIsWrittenToWhileItIsBuiltOutlivesNoProcess) {
  folder_.write("source", "1");
  command().inputs = {folder_.path() + "/source"};
  build_with("echo more >> source; cat source > {artifact}/run");
  built(at(1, 1));
  folder_.write("source", "1");
  builder_.reset();
  built(at(1, 1));
  EXPECT_EQ(builds(), 2U) << "the build before was of other inputs than its key names";
}

TEST_F(CommandBuilderTest, DeclaredInputsLetABuildOutliveItsProcess) {
  folder_.write("source", "1");
  built(at(1, 1));
  builder_.reset();
  built(at(1, 1));
  EXPECT_EQ(builds(), 2U) << "without inputs nobody knows whether the sources are the same";
  command().inputs = {folder_.path() + "/source"};
  builder_.reset();
  const ipc::Artifact kept = built(at(1, 1));
  builder_.reset();
  EXPECT_EQ(built(at(1, 1)).hash, kept.hash);
  EXPECT_EQ(builds(), 3U);
  folder_.write("source", "2");
  built(at(1, 1));
  EXPECT_EQ(builds(), 4U);
}

TEST_F(CommandBuilderTest, DamagedArtifactIsBuiltAnew) {
  folder_.write("source", "1");
  command().inputs = {folder_.path() + "/source"};
  const ipc::Artifact artifact = built(at(1, 1));
  folder_.write("artifacts/" + artifact.hash + "/run", "torn");
  builder_.reset();
  EXPECT_EQ(built(at(1, 1)).hash, artifact.hash);
  EXPECT_EQ(builds(), 2U);
  EXPECT_THAT(times(at(1, 1), artifact.hash), ElementsAre(11));
}

TEST_F(CommandBuilderTest, AnArtifactThatGoesWhileItIsUsedIsNoFailureOfTheProgram) {
  build_with(
      "printf '#!/bin/sh\\necho \"{{\\\"time\\\": 1}\"; rm -rf artifacts\\n' > {artifact}/run; "
      "chmod +x {artifact}/run");
  command().argv = {"{artifact}/run"};
  command().runs = 2;
  const std::string artifact = built(at(1, 1)).hash;
  EXPECT_THROW(times(at(1, 1), artifact), DamagedArtifact);
}

TEST_F(CommandBuilderTest, TheBaselineMayBeBuiltOtherwiseOrNotAtAll) {
  command().baseline_build = {"sh", "-c", "echo 'echo \"{{\\\"time\\\": 9$1}\"' > {artifact}/run"};
  EXPECT_THAT(times({}, built().hash), ElementsAre(91));
  command().baseline_build.clear();
  command().baseline_argv = {"echo", "{{\"time\": 7}"};
  builder_.reset();
  EXPECT_THAT(times({}, built().hash), ElementsAre(7));
  EXPECT_FALSE(fs::exists(folder_.path() + "/builds"));
  command().baseline_argv.clear();
  builder_.reset();
  EXPECT_THAT(times({}, built().hash), ElementsAre(11)) << "as everything else";
}

TEST_F(CommandBuilderTest, FailuresNameTheFirstErrorOfTheCompiler) {
  folder_.write("a.c", "int main(void) { return f() + g(); }\n");
  build_with("cc -w a.c -o {artifact}/run");
  EXPECT_THAT(complaint(), HasSubstr("undefined reference to `f'"));
  EXPECT_THAT(search::describe(search::BuildFailed{complaint()}), HasSubstr("to `f'"));
  builder_.reset();
  build_with("echo nothing was said on standard error; exit 3");
  EXPECT_THAT(complaint(), HasSubstr("nothing was said"));
  builder_.reset();
  build_with("exit 3");
  EXPECT_EQ(complaint(), "the build failed without a word: exit code 3");
  builder_.reset();
  command().build = {"no-such-compiler", "{artifact}"};
  EXPECT_THAT(complaint(), HasSubstr("the build cannot be started"));
  builder_.reset();
  build_with("true");
  EXPECT_THAT(complaint(), HasSubstr("put no file into {artifact}"));
}

TEST_F(CommandBuilderTest, ABuildHasALimit) {
  problem_.limits.build = 0.3;
  build_with("setsid sleep 1000 & sleep 1000");
  EXPECT_EQ(complaint(), "the build took longer than limits.build, 0.3 s");
  EXPECT_EQ(ipc::sweep_orphans({}), 0U);
}

TEST_F(CommandBuilderTest, ABuildThatIsStoppedUntilItsLimitIsNoFailureOfIts) {
  problem_.limits.build = 0.5;
  for (const char* build : {"kill -STOP $$", "sh -c 'kill -STOP $$'; exit 1"}) {
    builder_.reset();
    build_with(build);
    try {
      complaint();
      ADD_FAILURE() << build;
    } catch (const HeldBuild& held) {
      EXPECT_EQ(held.outcome(), (search::TimedOut{search::Phase::kBuild, 0.5, false,
                                                  "the build was stopped by a signal"}));
    }
  }
  EXPECT_EQ(ipc::sweep_orphans({}), 0U);
}

TEST_F(CommandBuilderTest, AFailedBuildIsTriedAgainWhenItIsAskedFor) {
  build_with("test -e there && echo 'echo 1' > {artifact}/run");
  EXPECT_THAT(complaint(), HasSubstr("failed without a word"));
  folder_.write("there", "");
  EXPECT_EQ(complaint(), "built");
}

// What stands between us and the compiler tells of its end, on either stream.
TEST_F(CommandBuilderTest, ABuildWhoseCompilerIsKilledIsStartedAgain) {
  folder_.write("Makefile", "all:\n\tkill -9 $$$$\n");
  for (const std::string end :
       {"kill -9 $$", "make || exit 2", "echo 'make: *** [Makefile:2: run] Killed' >&2; exit 2",
        "echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1"}) {
    fs::remove(folder_.path() + "/builds");
    builder_.reset();
    build_with("if [ $(wc -l < builds) = 1 ]; then " + end +
               "; fi; echo 'echo \"{{\\\"time\\\": 1}\"' > {artifact}/run");
    EXPECT_EQ(built().hash.size(), 32U) << end;
    EXPECT_EQ(builds(), 2U) << end;
  }
}

}  // namespace
}  // namespace nightshift::evaluator
