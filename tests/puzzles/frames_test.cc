// Servers of protocol 2 in Perl that misbehave at one request: whatever they do, that trial has its
// typed outcome in the phase that it was in, and no figure of any trial is another's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pool_driver.h"
#include "residue.h"
#include "tests/fakes/paths.h"

namespace nightshift::puzzles {
namespace {

using search::Crashed;
using search::Phase;
using search::TrialOutcome;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// `at_start` before the hello, `built` and `measured` where the configuration is {"u": 9},
// `dropped` at a drop: Perl, with say(TEXT), phase(NAME), answer() and $id.
struct Program {
  std::string measured = "answer();";
  std::string built = "made();";
  std::string at_start = "hello(2);";
  std::string dropped = "say(qq({\"dropped\": $id}));";
};

std::string text_of(const Program& program) {
  return R"pl($| = 1;
my ($id, $u, $folder);
sub say { print $_[0], "\n"; }
sub hello { say(qq({"hello": $_[0], "roles": ["build", "measure"], "versions": {"perl": "5"}})); }
sub phase { say(qq({"id": $id, "phase": "$_[0]"})); }
sub answer { say(qq({"id": $id, "time": [) . (10 + $u) . qq(], "conditions": {"sets": 5}})); }
sub fail { say(qq({"id": $id, "failure": "$_[0]", "words": "so it is"$_[1]})); }
sub made { open(my $f, '>', "$folder/code"); print $f $u; close $f; say(qq({"id": $id, "built": true, "registers": 40})); }
)pl" + program.at_start +
         R"pl(
while (my $line = <STDIN>) {
  ($id) = $line =~ /"id": (\d+)/;
  if ($line =~ /"do": "drop"/) { )pl" +
         program.dropped + R"pl( next; }
  $u = $line =~ /"u": (\d+)/ ? $1 : 1;
  ($folder) = $line =~ /"artifact": "([^"]*)"/;
  if ($line =~ /"do": "build"/) {
    phase('build');
    if ($u != 9) { made(); next; }
    )pl" +
         program.built + R"pl(
    next;
  }
  phase('load'); phase('verify'); phase('measure');
  if ($u != 9) { answer(); next; }
  )pl" + program.measured +
         R"pl(
}
)pl";
}

using Check = std::function<void(const TrialOutcome&)>;

void expect_figure(const TrialOutcome& outcome, double expected) {
  const auto* measured = std::get_if<search::Measured>(&outcome);
  ASSERT_NE(measured, nullptr) << search::describe(outcome);
  EXPECT_EQ(measured->measurement.figures, (std::vector<search::Samples>{{"time", {expected}}}));
}
void right(const TrialOutcome& outcome) { expect_figure(outcome, 19); }

Check crashed(Crashed::Cause cause, int code, Phase phase, const std::string& words = "") {
  return [=](const TrialOutcome& outcome) {
    const auto* crash = std::get_if<Crashed>(&outcome);
    ASSERT_NE(crash, nullptr) << search::describe(outcome);
    EXPECT_EQ(crash->cause, cause) << search::describe(outcome);
    EXPECT_EQ(crash->code, code);
    EXPECT_EQ(crash->phase, phase);
    EXPECT_THAT(crash->last_words, HasSubstr(words));
  };
}
Check corrupt(const std::string& words) {
  return crashed(Crashed::Cause::kCorruptReply, 0, Phase::kMeasure, words);
}
Check timed_out(Phase phase) {
  return [=](const TrialOutcome& outcome) {
    const auto* late = std::get_if<search::TimedOut>(&outcome);
    ASSERT_NE(late, nullptr) << search::describe(outcome);
    EXPECT_EQ(late->phase, phase);
  };
}
template <class Failure>
Check failed(const std::string& words) {
  return [=](const TrialOutcome& outcome) {
    EXPECT_TRUE(std::holds_alternative<Failure>(outcome)) << search::describe(outcome);
    EXPECT_THAT(search::describe(outcome), HasSubstr(words));
  };
}

struct Misbehaviour {
  std::string name;
  Program program;
  Check check;
};
void PrintTo(const Misbehaviour& misbehaviour, std::ostream* out) { *out << misbehaviour.name; }

const std::string kForever = " sleep 1000;";

std::vector<Misbehaviour> ends() {
  using Cause = Crashed::Cause;
  return {
      {"Exit", {"exit 3;"}, crashed(Cause::kExitCode, 3, Phase::kMeasure)},
      {"ExitInItsPhase",
       {"phase('verify'); exit 3;"},
       crashed(Cause::kExitCode, 3, Phase::kVerify)},
      {"Segfault", {"kill 11, $$; sleep 9;"}, crashed(Cause::kSignal, SIGSEGV, Phase::kMeasure)},
      {"ExitAfterTheAnswer", {"answer(); exit 3;"}, right},
      {"Died",
       {R"(phase('warm_up'); say(qq({"id": $id, "died": {"signal": 11}, "words": "stack"}));)"},
       crashed(Cause::kSignal, SIGSEGV, Phase::kWarmUp, "stack")},
      {"DiedWithACode",
       {R"(say(qq({"id": $id, "died": {"exit": 7}}));)"},
       crashed(Cause::kExitCode, 7, Phase::kMeasure)},
      {"DeviceError",
       {"fail('device_error', ', \"code\": 700');"},
       crashed(Cause::kDeviceError, 700, Phase::kMeasure, "so it is")},
      {"DeviceErrorAndExit",
       {"fail('device_error', ', \"code\": 700'); exit 1;"},
       crashed(Cause::kDeviceError, 700, Phase::kMeasure)},
      {"Daemon", {"system('setsid sleep 1000 &'); answer();"}, right},
      {"DaemonOfTheDead",
       {"system('setsid sleep 1000 &'); exit 3;"},
       crashed(Cause::kExitCode, 3, Phase::kMeasure)},
  };
}

// Limits of a second, of all phases.
std::vector<Misbehaviour> hangs() {
  const std::string asleep = "while (1) { my $r = <STDIN>; ($id) = $r =~ /\"id\": (\\d+)/; last; }";
  return {
      {"HangAndDrop",
       {"phase('verify'); " + asleep + R"( say(qq({"dropped": $id}));)"},
       timed_out(Phase::kVerify)},
      {"HangAndIgnoreTheDrop", {"phase('verify');" + kForever}, timed_out(Phase::kVerify)},
      {"Stopped", {"kill 19, $$;"}, timed_out(Phase::kMeasure)},
      {"AnswerBesideTheDrop",
       {asleep + R"( answer(); say(qq({"dropped": $id}));)"},
       timed_out(Phase::kMeasure)},
      {"BeatsForever",
       {"$SIG{ALRM} = 'IGNORE'; while (1) { phase('measure'); select(undef, undef, undef, 0.05); "
        "}"},
       timed_out(Phase::kMeasure)},
  };
}

std::vector<Misbehaviour> words() {
  return {
      {"StrayText", {"say('Warning: {x}'); answer(); say('done');"}, right},
      // At once: what came later would be the next trial's to find.
      {"Twice",
       {R"(my $both = qq({"id": $id, "time": [19]}\n) x 2; print $both;)"},
       corrupt("more than its answer")},
      {"WrongId", {"++$id; answer();"}, corrupt("another request")},
      {"NoId", {"say('{\"time\": 1}');"}, corrupt("it has no id")},
      {"NoFigure", {R"(say(qq({"id": $id, "tiem": 3}));)"}, corrupt("no 'time'")},
      {"Halves",
       {R"(print qq({"id": $id, "ti); select(undef, undef, undef, 0.1); print qq(me": 19}\n);)"},
       right},
      {"HalfAndExit",
       {R"(print qq({"id": $id, "ti); exit 0;)"},
       crashed(Crashed::Cause::kExitCode, 0, Phase::kMeasure)},
      {"HelloAgain", {"hello(2); answer();"}, corrupt("hello again")},
      {"UnknownFailure", {"fail('tired', '');"}, corrupt("no known kind")},
      {"UnknownPhase", {"phase('nap'); answer();"}, corrupt("'phase' is none")},
      {"FloodOfPhases", {"phase('measure') while 1;"}, corrupt("limits.output")},
      {"FloodOfText", {"print 'x' x 1000000 while 1;"}, corrupt("limits.output")},
      {"NaN", {R"(say(qq({"id": $id, "time": NaN}));)"}, failed<search::LaunchFailed>("finite")},
      {"Infeasible", {"fail('infeasible', '');"}, failed<search::BuildFailed>("infeasible: so")},
      {"OutOfMemory", {"fail('out_of_memory', '');"}, failed<search::LaunchFailed>("memory: so")},
      {"Wrong",
       {"fail('wrong_result', ', \"element\": 3, \"got\": 1, \"expected\": 2');"},
       failed<search::WrongResult>("so it is")},
      {"Drops", {R"(say(qq({"dropped": $id}));)"}, corrupt("dropped what it was not told to")},
  };
}

std::vector<Misbehaviour> all_of_them() {
  std::vector<Misbehaviour> all;
  for (auto part : {ends(), hangs(), words()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

class FramesPuzzle : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v perl > /dev/null") != 0) GTEST_SKIP() << "perl is not installed";
  }

  void start(const Program& program, bool builds = false, double limit = 5) {
    const std::string file = folder_.path() + "/server.pl";
    std::ofstream(file) << text_of(program);
    search::Problem problem;
    problem.name = "served";
    search::Parameter u;
    u.name = "u";
    u.values = {std::int64_t{1}};
    problem.parameters = {u};
    search::CommandBackend command;
    command.mode = search::CommandBackend::Mode::kServer;
    command.protocol = 2;
    command.builds = builds;
    command.argv = {"perl", file};
    command.directory = folder_.path();
    problem.backend = command;
    problem.limits.prepare = problem.limits.verify = problem.limits.measure = limit;
    problem.limits.build = 2 * limit;
    problem.limits.trial = 4 * limit;
    problem.limits.boot = 3;
    PoolDriver::Options options;
    options.builders = builds ? 1 : 0;
    options.program = testing_paths::program("nightshift-evaluator");
    driver_.emplace(problem, options);
  }

  TrialOutcome ask(std::int64_t u) {
    return driver_->measure(search::Configuration({{"u", u}})).report.outcome;
  }
  TrialOutcome ask_for_baseline() { return driver_->measure({}).report.outcome; }

  void expect_nothing_left() {
    driver_->close();
    EXPECT_THAT(residue_.processes(), IsEmpty());
    EXPECT_EQ(residue_.extra_descriptors(), 0);
    EXPECT_TRUE(std::filesystem::is_empty(driver_->scratch()));
  }

  const Residue residue_;
  const TemporaryFolder folder_;
  std::optional<PoolDriver> driver_;
};

class FramesMisbehaviour : public FramesPuzzle,
                           public ::testing::WithParamInterface<Misbehaviour> {};

TEST_P(FramesMisbehaviour, HasItsOutcomeAndEveryFigureIsRight) {
  start(GetParam().program, false, 2);
  expect_figure(ask(3), 13);
  expect_figure(ask_for_baseline(), 11);
  GetParam().check(ask(9));
  expect_figure(ask(4), 14);
  expect_figure(ask_for_baseline(), 11);
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(All, FramesMisbehaviour, ::testing::ValuesIn(all_of_them()),
                         [](const auto& test) { return test.param.name; });

// --- Builders ---

class FramesBuilder : public FramesPuzzle {
 protected:
  // Of what was built; or why it was not.
  std::string hash_of(std::int64_t u) {
    const scheduler::JobEnded end = driver_->build(search::Configuration({{"u", u}}));
    return end.artifact ? end.artifact->hash : search::describe(end.report.outcome);
  }
};

struct BadBuild {
  std::string name, acts, words;
};
void PrintTo(const BadBuild& bad, std::ostream* out) { *out << bad.name; }
class FramesBadBuild : public FramesBuilder, public ::testing::WithParamInterface<BadBuild> {};

TEST_P(FramesBadBuild, CostsOneBuild) {
  Program program;
  program.built = GetParam().acts;
  start(program, true, 1);
  const std::string three = hash_of(3);
  EXPECT_EQ(three.size(), 32U) << three;
  EXPECT_THAT(hash_of(9), HasSubstr(GetParam().words));
  EXPECT_EQ(hash_of(4).size(), 32U);
  EXPECT_EQ(hash_of(3), three);
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(
    All, FramesBadBuild,
    ::testing::Values(BadBuild{"Fails", "fail('build_failed', '');", "so it is"},
                      BadBuild{"Infeasible", "fail('infeasible', '');", "infeasible: so it is"},
                      BadBuild{"Exits", "exit 5;", "exited with code 5"},
                      BadBuild{"Segfaults", "kill 11, $$; sleep 9;", "SIGSEGV"},
                      BadBuild{"Hangs", "sleep 1000;", "longer than limits.build, 2.0 s"},
                      BadBuild{"HangsAndBeats",
                               "while (1) { phase('build'); select(undef, undef, undef, 0.05); }",
                               "longer than limits.build, 2.0 s"},
                      BadBuild{"IsStopped", "kill 'STOP', $$; sleep 9;", "stopped by a signal"},
                      BadBuild{"FillsNothing", "say(qq({\"id\": $id, \"built\": true}));",
                               "no file"},
                      BadBuild{"SaysHalf", "print '{\"id\"'; exit 0;", "exited with code 0"}),
    [](const auto& test) { return test.param.name; });

TEST_F(FramesBuilder, EqualContentIsOneArtifact) {
  Program program;
  program.built = "$u = 3; made();";
  start(program, true);
  EXPECT_EQ(hash_of(9), hash_of(3));
  EXPECT_NE(hash_of(9), hash_of(4));
}

// --- Hello ---

class FramesHello : public FramesPuzzle, public ::testing::WithParamInterface<BadBuild> {};

TEST_P(FramesHello, IsNeeded) {
  Program program;
  program.at_start = GetParam().acts;
  start(program, false, 1);
  EXPECT_THAT(driver_->failure(), HasSubstr(GetParam().words));
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(
    All, FramesHello,
    ::testing::Values(BadBuild{"Another", "hello(3);", "speaks protocol 3"},
                      BadBuild{"None", "", "no hello came"},
                      BadBuild{"NotFirst", "say('{\"id\": 1}');", "is no hello"},
                      BadBuild{"NoRoles", "say('{\"hello\": 2, \"roles\": []}');",
                               "no role 'measure'"},
                      BadBuild{"Ended", "print STDERR \"no module\\n\"; exit 1;", "no module"}),
    [](const auto& test) { return test.param.name; });

TEST_F(FramesPuzzle, ConditionsAndVersionsAreKept) {
  start({});
  const TrialOutcome outcome = ask(3);
  const auto& conditions = std::get<search::Measured>(outcome).measurement.conditions;
  using Condition = std::pair<std::string, std::string>;
  EXPECT_THAT(conditions, ::testing::Contains(Condition("sets", "5")));
  EXPECT_THAT(conditions, ::testing::Contains(Condition("perl", "5")));
}

}  // namespace
}  // namespace nightshift::puzzles
