// Servers of ten lines in bash, perl and node that misbehave at one request: whatever they do, that
// trial has its typed outcome, and no figure of any trial is another's.
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
#include <tuple>
#include <vector>

#include "pool_driver.h"
#include "residue.h"
#include "server_program.h"
#include "tests/fakes/paths.h"

namespace nightshift::puzzles {
namespace {

using search::Crashed;
using search::TrialOutcome;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Language {
  const char* interpreter;
  std::string (*program)(const Acts& at_start, const Acts& at_nine);
};
void PrintTo(const Language& language, std::ostream* out) { *out << language.interpreter; }

bool is_there(const std::string& interpreter) {
  return std::system(("command -v " + interpreter + " > /dev/null").c_str()) == 0;
}

// --- What must become of it ---

using Check = std::function<void(const TrialOutcome&)>;

void expect_figure(const TrialOutcome& outcome, double expected) {
  const auto* measured = std::get_if<search::Measured>(&outcome);
  ASSERT_NE(measured, nullptr) << search::describe(outcome);
  const std::vector<search::Samples> figures{{"time", {expected}}};
  EXPECT_EQ(measured->measurement.figures, figures);
}
void right(const TrialOutcome& outcome) { expect_figure(outcome, 19); }

Check crashed(Crashed::Cause cause, int code, const std::string& words = "") {
  return [=](const TrialOutcome& outcome) {
    const auto* crash = std::get_if<Crashed>(&outcome);
    ASSERT_NE(crash, nullptr) << search::describe(outcome);
    EXPECT_EQ(crash->cause, cause) << search::describe(outcome);
    EXPECT_EQ(crash->code, code);
    EXPECT_EQ(crash->phase, search::Phase::kMeasure);
    EXPECT_THAT(search::describe(outcome), HasSubstr(words));
  };
}
Check corrupt(const std::string& words) { return crashed(Crashed::Cause::kCorruptReply, 0, words); }
Check by_exit(int code, const std::string& words = "") {
  return crashed(Crashed::Cause::kExitCode, code, words);
}
Check by_signal(int number) { return crashed(Crashed::Cause::kSignal, number); }
Check timed_out(const std::string& words) {
  return [=](const TrialOutcome& outcome) {
    EXPECT_TRUE(std::holds_alternative<search::TimedOut>(outcome));
    EXPECT_THAT(search::describe(outcome), HasSubstr(words));
  };
}
template <class Failure>
Check failed(const std::string& words) {
  return [=](const TrialOutcome& outcome) {
    EXPECT_TRUE(std::holds_alternative<Failure>(outcome));
    EXPECT_THAT(search::describe(outcome), HasSubstr(words));
  };
}
Check no_figure(const std::string& words) { return failed<search::LaunchFailed>(words); }

struct Misbehaviour {
  std::string name;
  Acts acts;
  Check check;
  bool takes_the_limit = false;  // ends only when limits.measure is over
};
void PrintTo(const Misbehaviour& misbehaviour, std::ostream* out) { *out << misbehaviour.name; }

const std::string kLog = "{\"level\": \"info\", \"msg\": \"warm\"}\n";
const std::string kAnswer = "{\"time\": 19}\n";

Misbehaviour said(const std::string& name, const std::string& text, const Check& check) {
  return {name, {say(text)}, check};
}

std::vector<Misbehaviour> ends() {
  return {
      {"Hang", {hang}, timed_out("it printed nothing; does it flush"), true},
      {"HangAfterTheAnswer", {answer, hang}, right, true},
      {"Stopped", {signal_self(SIGSTOP)}, timed_out("it printed nothing"), true},
      {"Exit", {leave(0)}, by_exit(0)},
      {"ExitWithACode", {complain("error: three\nbye\n"), leave(3)}, by_exit(3, "error: three")},
      {"ExitAfterTheAnswer", {answer, leave(0)}, right},
      {"ExitWithACodeAfterTheAnswer", {answer, leave(3)}, right},
      {"Segfault", {signal_self(SIGSEGV)}, by_signal(SIGSEGV)},
      {"Abort", {signal_self(SIGABRT)}, by_signal(SIGABRT)},
      {"Kill", {signal_self(SIGKILL)}, by_signal(SIGKILL)},
      {"Terminate", {signal_self(SIGTERM)}, by_signal(SIGTERM)},
      {"SegfaultAfterTheAnswer", {answer, signal_self(SIGSEGV)}, right},
      {"ClosedOutput", {close_output, hang}, corrupt("closed its standard output")},
      {"ClosedOutputAfterTheAnswer", {answer, close_output, hang}, right, true},
      {"ClosedInputAfterTheAnswer", {answer, close_input, hang}, right, true},
      {"ClosedInputBeforeTheAnswer", {close_input, answer, hang}, right, true},
      {"GrandchildHoldsTheOutput", {grandchild, answer}, right},
      {"GrandchildHoldsTheOutputOfTheDead", {grandchild, leave(3)}, by_exit(3)},
      {"Daemon", {daemon_child, answer}, right},
  };
}

std::vector<Misbehaviour> floods() {
  return {
      {"Flood", {pour("x")}, corrupt("limits.output")},
      {"FloodOfBraces", {pour("{")}, corrupt("limits.output")},
      {"FloodAfterTheAnswer", {answer, pour("x")}, corrupt("limits.output")},
      {"FloodOfErrors", {pour_errors, answer}, right},
      {"ObjectsAmongErrors", {complain("{\"time\": 1}\n"), answer}, right},
  };
}

std::vector<Misbehaviour> strays() {
  return {
      {"LogBefore", {say(kLog), answer}, corrupt("it has no 'time' and no 'error'")},
      {"LogAfter", {answer, say(kLog)}, corrupt("answered twice")},
      {"LogLater", {answer, later, say(kLog)}, corrupt("answered twice")},
      {"TwoAnswers", {answer, answer}, corrupt("answered twice")},
      {"TwoAnswersApart", {answer, say("...\n"), answer}, corrupt("answered twice")},
      {"AnswerOfOldFirst", {say("{\"time\": 500}\n"), answer}, corrupt("answered twice")},
      {"SecondAnswerLater", {answer, later, answer}, corrupt("answered twice")},
      {"SecondAnswerBegun", {answer, later, say("{\"ti")}, corrupt("began an object")},
      {"AnswerAfterAnError", {say("{\"error\": \"no\"}\n"), answer}, corrupt("answered twice")},
      said("TwoInALine", "{\"time\": 19} {\"time\": 19}\n", corrupt("no JSON object")),
      said("EchoOfAnother", "{\"time\": 15, \"configuration\": {\"u\": 5}}\n",
           corrupt("another configuration")),
      said("EchoOfTheBaseline", "{\"time\": 11, \"configuration\": {}}\n",
           corrupt("another configuration")),
      said("EchoAsText", "{\"time\": 19, \"configuration\": \"u=9\"}\n",
           corrupt("another configuration")),
  };
}

std::vector<Misbehaviour> texts() {
  return {
      {"CutAnswer", {say("{\"time\": 19"), hang}, timed_out("no end of line came after"), true},
      {"CutLine", {say("time"), hang}, timed_out("no end of line came after 'time'"), true},
      {"CutAnswerAndExit", {say("{\"time\": 19"), leave(0)}, by_exit(0)},
      {"Array", {say("[19]\n"), hang}, timed_out("1 other line: '[19]'"), true},
      {"BareNumber", {say("19\n20\n"), hang}, timed_out("2 other lines, the first: '19'"), true},
      said("CutObject", "{\"time\": \n", corrupt("no JSON object")),
      said("SingleQuotes", "{'time': 19}\n", corrupt("no JSON object: {'time': 19}")),
      said("NoUtf8", "{\"time\": 19, \"x\": \"\xff\xfe\"}\n", corrupt("no JSON object")),
      said("ZeroByte", "{\"time\": 19}" + std::string(1, '\0') + "\n", right),
      said("ByteOrderMark", "\xEF\xBB\xBF" + kAnswer, right),
      said("ReadyFirst", "ready\n" + kAnswer, right),
      said("TextAround", "working\n\n" + kAnswer + "done\n", right),
      said("CarriageReturns", "{\"time\": 19}\r\n", right),
      said("BlanksFirst", " \t" + kAnswer, right),
      said("SeveralSpaces", "{ \"time\" :  [ 19 ] }\n", right),
  };
}

std::vector<Misbehaviour> figures() {
  const std::string deep(2000, '[');
  return {
      said("NaN", "{\"time\": NaN}\n", no_figure("no finite number")),
      said("Null", "{\"time\": null}\n", no_figure("no finite number")),
      said("Huge", "{\"time\": 1e999}\n", corrupt("no JSON object")),
      said("Text", "{\"time\": \"soon\"}\n", no_figure("neither a number")),
      said("EmptyList", "{\"time\": []}\n", no_figure("empty list")),
      said("Deep", "{\"time\": " + deep + std::string(2000, ']') + "}\n", no_figure("no number")),
      said("NoFigure", "{}\n", corrupt("it has no 'time'")),
      said("OtherFigure", "{\"tiem\": 19}\n", corrupt("it has no 'time'")),
      said("Error", "{\"error\": \"too small\"}\n", no_figure("too small")),
      said("ErrorOfTheBuild", "{\"error\": \"no cc\", \"kind\": \"build_failed\"}\n",
           failed<search::BuildFailed>("did not build: no cc")),
      said("WrongResult", "{\"error\": \"off by one\", \"kind\": \"wrong_result\"}\n",
           failed<search::WrongResult>("wrong result: off by one")),
      said("ErrorWithoutWords", "{\"error\": 7}\n", no_figure("an error without words")),
  };
}

std::vector<Misbehaviour> all_of_them() {
  std::vector<Misbehaviour> all;
  for (auto part : {ends(), floods(), strays(), texts(), figures()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// --- The servers ---

class ServerPuzzle : public ::testing::Test {
 protected:
  void start(const Language& language, const Acts& at_start, const Acts& at_nine, bool briefly) {
    const std::string program = folder_.path() + "/server";
    std::ofstream(program) << language.program(at_start, at_nine);
    search::Problem problem;
    problem.name = "served";
    search::Parameter u;
    u.name = "u";
    u.values = {std::int64_t{1}};
    problem.parameters = {u};
    search::CommandBackend command;
    command.mode = search::CommandBackend::Mode::kServer;
    command.argv = {language.interpreter, program};
    command.directory = folder_.path();
    problem.backend = command;
    if (briefly) problem.limits.measure = kBriefly;
    problem.limits.times_baseline = 0;  // an interpreter on a busy machine is no hang
    PoolDriver::Options options;
    options.program = testing_paths::program("nightshift-evaluator");
    driver_.emplace(problem, options);
  }

  TrialOutcome ask(std::int64_t u) {
    return driver_->measure(search::Configuration({{"u", u}})).report.outcome;
  }
  TrialOutcome ask_for_baseline() { return driver_->measure({}).report.outcome; }

  void expect_nothing_left() {
    driver_->close();
    EXPECT_THAT(driver_->surprises(), IsEmpty());
    EXPECT_THAT(residue_.processes(), IsEmpty());
    EXPECT_EQ(residue_.extra_descriptors(), 0);
    EXPECT_TRUE(std::filesystem::is_empty(driver_->scratch()));
  }

 private:
  static constexpr double kBriefly = 3;  // seconds; an interpreter starts within them
  const Residue residue_;
  const TemporaryFolder folder_;
  std::optional<PoolDriver> driver_;
};

class ServerMisbehaviour
    : public ServerPuzzle,
      public ::testing::WithParamInterface<std::tuple<Language, Misbehaviour>> {};

TEST_P(ServerMisbehaviour, HasItsOutcomeAndEveryFigureIsRight) {
  const auto& [language, misbehaviour] = GetParam();
  if (!is_there(language.interpreter)) GTEST_SKIP() << language.interpreter << " is not installed";
  start(language, {}, misbehaviour.acts, misbehaviour.takes_the_limit);
  expect_figure(ask(3), 13);
  expect_figure(ask_for_baseline(), 11);
  misbehaviour.check(ask(9));
  expect_figure(ask(4), 14);
  expect_figure(ask_for_baseline(), 11);
  expect_figure(ask(5), 15);
  expect_nothing_left();
}

const std::vector<Language> kLanguages = {
    {"bash", program_in_bash}, {"perl", program_in_perl}, {"node", program_in_node}};

INSTANTIATE_TEST_SUITE_P(All, ServerMisbehaviour,
                         ::testing::Combine(::testing::ValuesIn(kLanguages),
                                            ::testing::ValuesIn(all_of_them())),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).interpreter) + "_" +
                                  std::get<1>(test.param).name;
                         });

class ServerStart : public ServerPuzzle, public ::testing::WithParamInterface<Language> {};

TEST_P(ServerStart, AnObjectAtTheStartIsNoAnswer) {
  if (!is_there(GetParam().interpreter)) GTEST_SKIP() << GetParam().interpreter << " is not there";
  start(GetParam(), {say("{\"time\": 1, \"ready\": true}\n")}, {answer}, false);
  for (const std::int64_t u : {3, 4}) corrupt("nobody had asked for")(ask(u));
  corrupt("nobody had asked for")(ask_for_baseline());
  expect_nothing_left();
}

TEST_P(ServerStart, TextAtTheStartIsSkipped) {
  if (!is_there(GetParam().interpreter)) GTEST_SKIP() << GetParam().interpreter << " is not there";
  start(GetParam(), {say("loading\nready\n")}, {answer}, false);
  expect_figure(ask(3), 13);
  expect_figure(ask(4), 14);
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(All, ServerStart, ::testing::ValuesIn(kLanguages),
                         [](const auto& test) { return std::string(test.param.interpreter); });

}  // namespace
}  // namespace nightshift::puzzles
