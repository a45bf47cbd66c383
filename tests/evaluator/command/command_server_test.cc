#include "evaluator/command/command_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>

#include "evaluator/command/command_backend.h"
#include "ipc/orphans.h"
#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

using search::Crashed;
using search::LaunchFailed;
using search::Measured;
using search::TimedOut;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Servers are Python programs whose answer() is given; it runs once per line.
class CommandServerTest : public ::testing::Test {
 protected:
  CommandServerTest() {
    ipc::become_subreaper();
    ::signal(SIGPIPE, SIG_IGN);
  }

  void serve_with(const std::string& answer) {
    const std::string body = folder_.write("server.py",
                                           "import json, os, signal, sys, time\n"
                                           "served = 0\n"
                                           "def say(text):\n"
                                           "  sys.stdout.write(text)\n"
                                           "  sys.stdout.flush()\n" +
                                               answer +
                                               "\nfor line in sys.stdin:\n"
                                               "  served += 1\n"
                                               "  answer(json.loads(line))\n");
    search::CommandBackend command;
    command.mode = search::CommandBackend::Mode::kServer;
    command.argv = {"python3", body};
    command.directory = folder_.path();
    command.numbered = numbered_;
    problem_.backend = command;
    problem_.parameters = {parameter("TILE", {std::int64_t{8}, std::int64_t{16}})};
    backend_ = std::make_unique<CommandTrialBackend>(setting_for(problem_, folder_),
                                                     std::make_unique<CoreWatch>());
  }

  search::TrialOutcome ask(std::int64_t tile) { return ask(configuration({{"TILE", tile}})); }
  search::TrialOutcome ask(const search::Configuration& c) {
    ipc::EvaluateRequest request;
    request.configuration = c;
    return backend_->evaluate(request, progress_).outcome;
  }
  std::vector<double> times(std::int64_t tile) {
    const auto result = ask(tile);
    const auto* measured = std::get_if<Measured>(&result);
    EXPECT_NE(measured, nullptr) << search::describe(result);
    return measured != nullptr ? measured->measurement.find("time")->values : std::vector<double>{};
  }
  // The words of a Crashed{kCorruptReply}; or how else it ended.
  static std::string corruption(const search::TrialOutcome& result) {
    const auto* crashed = std::get_if<Crashed>(&result);
    const bool corrupt = crashed != nullptr && crashed->cause == Crashed::Cause::kCorruptReply;
    return corrupt ? crashed->last_words : "not corrupt: " + search::describe(result);
  }

  TemporaryFolder folder_;
  search::Problem problem_;
  bool numbered_ = false;
  FakeProgress progress_;
  std::unique_ptr<CommandTrialBackend> backend_;
};

constexpr const char* kHonest =
    "  say(json.dumps({'time': c.get('TILE', 99), 'served': served}) + '\\n')\n";

TEST_F(CommandServerTest, IsStartedOnceAndServedLineByLine) {
  serve_with("def answer(c):\n  say(json.dumps({'time': [c['TILE'], served]}) + '\\n')\n");
  EXPECT_THAT(times(8), ElementsAre(8, 1));
  EXPECT_THAT(times(16), ElementsAre(16, 2));
}

TEST_F(CommandServerTest, EmptyObjectAsksForTheBaseline) {
  serve_with("def answer(c):\n" + std::string(kHonest));
  const auto result = ask(search::Configuration());
  EXPECT_THAT(std::get<Measured>(result).measurement.find("time")->values, ElementsAre(99));
}

TEST_F(CommandServerTest, OtherLinesAreIgnored) {
  serve_with("print('hello')\ndef answer(c):\n  say('working...\\n\\n')\n" + std::string(kHonest) +
             "  say('done\\n')\n");
  EXPECT_THAT(times(8), ElementsAre(8));
  EXPECT_THAT(times(16), ElementsAre(16));
}

TEST_F(CommandServerTest, ReportedErrorsAreTypedAndTheServerLivesOn) {
  serve_with(
      "def answer(c):\n"
      "  if c['TILE'] == 8: say('{\"error\": \"too small\", \"kind\": \"build_failed\"}\\n')\n"
      "  else: say(json.dumps({'time': served}) + '\\n')\n");
  EXPECT_EQ(ask(8), search::TrialOutcome(search::BuildFailed{"too small"}));
  EXPECT_THAT(times(16), ElementsAre(2));
}

TEST_F(CommandServerTest, UnusableFigureIsAFailureToLaunchAndTheServerLivesOn) {
  serve_with(
      "def answer(c):\n"
      "  say(json.dumps({'time': float('nan') if c['TILE'] == 8 else served}) + '\\n')\n");
  EXPECT_THAT(std::get<LaunchFailed>(ask(8)).message, HasSubstr("no finite number"));
  EXPECT_THAT(times(16), ElementsAre(2));
}

TEST_F(CommandServerTest, DeathIsACrashWithTheLastWordsAndTheNextTrialGetsAnother) {
  serve_with("def answer(c):\n  if c['TILE'] == 8: sys.stderr.write('oh no\\n'); sys.exit(5)\n" +
             std::string(kHonest));
  EXPECT_THAT(times(16), ElementsAre(16));
  const auto result = ask(8);
  ASSERT_TRUE(std::holds_alternative<Crashed>(result)) << search::describe(result);
  EXPECT_EQ(std::get<Crashed>(result),
            (Crashed{Crashed::Cause::kExitCode, 5, search::Phase::kMeasure, "oh no"}));
  EXPECT_THAT(times(16), ElementsAre(16));
}

TEST_F(CommandServerTest, DeathByTheEndOfWhatItMayPrintNamesTheLimit) {
  problem_.limits.output_bytes = 4096;
  serve_with("def answer(c):\n  while True: sys.stderr.write('a warning\\n')\n");
  const auto result = ask(8);
  ASSERT_TRUE(std::holds_alternative<Crashed>(result)) << search::describe(result);
  EXPECT_THAT(std::get<Crashed>(result).last_words,
              ::testing::EndsWith("was cut off at limits.output, 4096 bytes; --set "
                                  "limits.output=16384 reads more"));
}

// As make and scripts do.
TEST_F(CommandServerTest, WhatItStartsOpensItsStandardErrorAnew) {
  serve_with(
      "def answer(c):\n"
      "  code = os.system('echo one > /dev/stderr && echo two >> /dev/stderr && echo three >&2')\n"
      "  if c['TILE'] == 8: sys.exit(7)\n"
      "  say(json.dumps({'time': code + 5}) + '\\n')\n");
  EXPECT_THAT(times(16), ElementsAre(5));
  EXPECT_EQ(std::get<Crashed>(ask(8)).last_words, "one\ntwo\nthree");
}

TEST_F(CommandServerTest, WhatItPrintsUnaskedStaysWithinBounds) {
  const std::string full = folder_.path() + "/full";
  serve_with(
      "import threading\n"
      "def prints():\n"
      "  try:\n"
      "    while True: os.write(2, b'x' * 4096)\n"
      "  except OSError: open('full', 'w').close()\n"
      "def answer(c):\n"
      "  if served == 1: threading.Thread(target=prints).start()\n" +
      std::string(kHonest));
  EXPECT_THAT(times(8), ElementsAre(8));
  while (!std::filesystem::exists(full)) backend_->idle();
  EXPECT_THAT(times(16), ElementsAre(16));
}

TEST_F(CommandServerTest, DeathByASignalIsNamed) {
  serve_with("def answer(c):\n  os.kill(os.getpid(), signal.SIGSEGV)\n");
  EXPECT_EQ(std::get<Crashed>(ask(8)).code, SIGSEGV);
}

TEST_F(CommandServerTest, LastWordsAreThoseOfThisTrial) {
  serve_with(
      "def answer(c):\n  sys.stderr.write('tile %d\\n' % c['TILE'])\n"
      "  sys.stderr.flush()\n  if c['TILE'] == 8: os._exit(1)\n" +
      std::string(kHonest));
  times(16);
  EXPECT_EQ(std::get<Crashed>(ask(8)).last_words, "tile 8");
}

TEST_F(CommandServerTest, DeathRightAfterAGoodReplyCostsNothing) {
  serve_with("def answer(c):\n" + std::string(kHonest) + "  os._exit(0)\n");
  EXPECT_THAT(times(8), ElementsAre(8));
  EXPECT_THAT(times(16), ElementsAre(16));
}

TEST_F(CommandServerTest, HangIsTimedOutAndNothingIsLeft) {
  problem_.limits.measure = 0.5;
  serve_with(
      "import subprocess\ndef answer(c):\n"
      "  subprocess.Popen(['setsid', 'sleep', '1000'])\n  time.sleep(1000)\n");
  const auto result = ask(8);
  ASSERT_TRUE(std::holds_alternative<TimedOut>(result)) << search::describe(result);
  EXPECT_EQ(std::get<TimedOut>(result).limit_seconds, 0.5);
  EXPECT_GT(progress_.beats, 0u);
  EXPECT_EQ(ipc::sweep_orphans({}), 0u);
}

TEST_F(CommandServerTest, TwoAnswersAreNone) {
  serve_with("def answer(c):\n  say('{\"time\": 1}\\n{\"time\": 2}\\n')\n");
  EXPECT_THAT(corruption(ask(8)), HasSubstr("answered twice"));
}

TEST_F(CommandServerTest, SecondAnswerAfterTheNextRequestHasBegunSpoilsItsOwnTrial) {
  serve_with(
      "import select\n"
      "def answer(c):\n" +
      std::string(kHonest) +
      "  if c['TILE'] == 8:\n"
      "    select.select([sys.stdin], [], [])\n"
      "    say('{\"time\": 666}\\n')\n");
  EXPECT_THAT(corruption(ask(8)), HasSubstr("answered twice: {\"time\": 666}"));
  EXPECT_THAT(times(16), ElementsAre(16));
}

TEST_F(CommandServerTest, WhatAGrandchildSaysBetweenTrialsCondemnsTheServer) {
  serve_with(
      "import subprocess\n"
      "def answer(c):\n"
      "  subprocess.Popen(['sh', '-c', 'read x < go; echo \"{}\"; : > told'])\n" +
      std::string(kHonest));
  ASSERT_EQ(::mkfifo((folder_.path() + "/go").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((folder_.path() + "/told").c_str(), 0600), 0);
  EXPECT_THAT(times(8), ElementsAre(8));
  folder_.write("go", "\n");
  folder_.read("told");
  EXPECT_THAT(corruption(ask(16)), HasSubstr("nobody had asked for: {}"));
}

TEST_F(CommandServerTest, ObjectWithoutTheFigureStopsTheServer) {
  serve_with("def answer(c):\n  if c['TILE'] == 8: say('{\"level\": \"info\"}\\n')\n" +
             std::string(kHonest));
  EXPECT_THAT(times(16), ElementsAre(16));
  EXPECT_THAT(corruption(ask(8)), HasSubstr("it has no 'time' and no 'error': {\"level\""));
  EXPECT_THAT(times(16), ElementsAre(16));
}

TEST_F(CommandServerTest, WhoHasRepeatedARequestRepeatsAll) {
  serve_with(
      "def answer(c):\n"
      "  reply = {'time': 1, 'configuration': c}\n"
      "  if served == 2: reply = {'error': 'no'}\n"
      "  if served == 3: del reply['configuration']\n"
      "  say(json.dumps(reply) + '\\n')\n");
  EXPECT_THAT(times(8), ElementsAre(1));
  EXPECT_TRUE(std::holds_alternative<LaunchFailed>(ask(8))) << "but for reports of an error";
  EXPECT_THAT(corruption(ask(8)), HasSubstr("has repeated its requests so far"));
}

TEST_F(CommandServerTest, TheBaselineIsRepeatedAsTheEmptyObject) {
  serve_with("def answer(c):\n  say('{\"time\": 1, \"configuration\": {\"TILE\": 8}}\\n')\n");
  EXPECT_THAT(corruption(ask(search::Configuration())), HasSubstr("another configuration"));
}

TEST_F(CommandServerTest, AFigureMayBeCalledConfiguration) {
  problem_.objectives = {{"configuration", ""}};
  serve_with("def answer(c):\n  say('{\"configuration\": 3}\\n')\n");
  EXPECT_TRUE(std::holds_alternative<Measured>(ask(8)));
}

TEST_F(CommandServerTest, NumberedAnswersComeWhenTheyLike) {
  numbered_ = true;
  // It reads on while it works, and answers each request twice, the second time after the next.
  serve_with(
      "last = None\n"
      "def answer(c):\n"
      "  global last\n"
      "  time = c['configuration'].get('TILE', 99)\n"
      "  number = last['id'] if last and time == 16 else c['id']\n"
      "  last = c\n"
      "  say(json.dumps({'id': number, 'time': time}) + '\\n')\n");
  EXPECT_THAT(times(8), ElementsAre(8));
  EXPECT_THAT(corruption(ask(16)), HasSubstr("another request than number 2"));
  const auto result = ask(search::Configuration());
  EXPECT_THAT(std::get<Measured>(result).measurement.find("time")->values, ElementsAre(99));
}

TEST_F(CommandServerTest, NumberedAnswersNeedTheirNumber) {
  numbered_ = true;
  serve_with("def answer(c):\n  say('{\"time\": 1}\\n')\n");
  EXPECT_THAT(corruption(ask(8)), HasSubstr("lacks the id"));
}

TEST_F(CommandServerTest, WhatIsNotUnderstoodIsShownWithAHint) {
  problem_.limits.measure = 0.5;
  serve_with("def answer(c):\n  if c['TILE'] == 16: say('[16]\\n')\n");
  EXPECT_THAT(search::describe(ask(8)), HasSubstr("printed nothing; does it flush"));
  EXPECT_THAT(search::describe(ask(16)), HasSubstr("1 other line: '[16]'"));
}

TEST_F(CommandServerTest, SaysWhetherItWasAskedAfresh) {
  serve_with("def answer(c):\n  if c['TILE'] == 8: os._exit(3)\n" + std::string(kHonest));
  ask(16);
  EXPECT_TRUE(backend_->ran_afresh());
  ask(16);
  EXPECT_FALSE(backend_->ran_afresh());
  ask(8);
  EXPECT_FALSE(backend_->ran_afresh());
  ask(8);
  EXPECT_TRUE(backend_->ran_afresh()) << "the one before had ended";
}

TEST_F(CommandServerTest, AnswerForAnotherConfigurationIsCorrupt) {
  serve_with("def answer(c):\n  say('{\"time\": 1, \"configuration\": {\"TILE\": 8}}\\n')\n");
  EXPECT_THAT(times(8), ElementsAre(1));
  EXPECT_THAT(corruption(ask(16)), HasSubstr("another configuration"));
}

TEST_F(CommandServerTest, GarbageThatLooksLikeAnObjectIsCorrupt) {
  serve_with("def answer(c):\n  say(\"{'time': 1}\\n\")\n");
  EXPECT_THAT(corruption(ask(8)), HasSubstr("no JSON object: {'time': 1}"));
}

TEST_F(CommandServerTest, HalfAReplyIsNone) {
  serve_with("def answer(c):\n  say('{\"time\": 1')\n  os._exit(0)\n");
  const auto result = ask(8);
  ASSERT_TRUE(std::holds_alternative<Crashed>(result)) << search::describe(result);
  EXPECT_EQ(std::get<Crashed>(result).cause, Crashed::Cause::kExitCode);
}

TEST_F(CommandServerTest, FloodWithoutAnAnswerIsStopped) {
  problem_.limits.output_bytes = 100000;
  serve_with("def answer(c):\n  while True: say('x' * 1000 + '\\n')\n");
  EXPECT_THAT(corruption(ask(8)), HasSubstr("limits.output"));
}

TEST_F(CommandServerTest, OneEndlessLineIsStopped) {
  problem_.limits.output_bytes = 100000;
  serve_with("def answer(c):\n  while True: say('{' * 1000)\n");
  EXPECT_THAT(corruption(ask(8)), HasSubstr("limits.output"));
}

TEST_F(CommandServerTest, ClosingItsOutputIsCorrupt) {
  serve_with("def answer(c):\n  os.close(1)\n  time.sleep(1000)\n");
  EXPECT_THAT(corruption(ask(8)), HasSubstr("closed its standard output"));
}

TEST_F(CommandServerTest, ServerThatDoesNotReadIsTimedOut) {
  problem_.limits.measure = 0.5;
  serve_with("time.sleep(1000)\ndef answer(c): pass\n");
  const auto result = ask(configuration({{"LONG", std::string(1 << 20, 'x')}}));
  EXPECT_TRUE(std::holds_alternative<TimedOut>(result)) << search::describe(result);
}

TEST_F(CommandServerTest, MissingProgramIsAFailureToLaunch) {
  serve_with("def answer(c): pass\n");
  std::get<search::CommandBackend>(problem_.backend).argv = {"no-such-program"};
  backend_ = std::make_unique<CommandTrialBackend>(setting_for(problem_, folder_),
                                                   std::make_unique<CoreWatch>());
  const auto result = ask(8);
  ASSERT_TRUE(std::holds_alternative<LaunchFailed>(result)) << search::describe(result);
  EXPECT_THAT(std::get<LaunchFailed>(result).message, HasSubstr("no-such-program"));
}

TEST_F(CommandServerTest, EndsWithItsBackend) {
  serve_with("def answer(c):\n" + std::string(kHonest));
  times(8);
  backend_.reset();
  EXPECT_EQ(ipc::sweep_orphans({}), 0u);
}

// Keeps what is noted, and lets a server go on that waits for a note of half a line.
struct NotedProgress final : ProgressSink {
  explicit NotedProgress(const TemporaryFolder& told) : folder(told) {}
  void mark(search::Phase) override {}
  void beat(std::uint64_t) override {}
  void note(const std::string& words) override {
    if (!notes.empty() && notes.back() == words) return;
    notes.push_back(words);
    if (words.starts_with("no end of line")) folder.write("noted", "");
  }

  const TemporaryFolder& folder;
  std::vector<std::string> notes;
};

// The parent may end the wait, so that these are the last words of it.
TEST_F(CommandServerTest, NotesWhatCameAsLongAsItWaits) {
  serve_with(
      "def answer(c):\n"
      "  say('{\"time\": 1')\n"
      "  while not os.path.exists('noted'): time.sleep(0.01)\n"
      "  say('6}\\n')\n");
  NotedProgress noted(folder_);
  const ipc::EvaluateRequest request;
  const auto outcome = backend_->evaluate(request, noted).outcome;
  ASSERT_TRUE(std::holds_alternative<Measured>(outcome)) << search::describe(outcome);
  EXPECT_THAT(noted.notes,
              ::testing::Contains(HasSubstr("no end of line came after '{\"time\": 1'; does it")));
  EXPECT_EQ(noted.notes.back(), "") << "it has answered";
}

}  // namespace
}  // namespace nightshift::evaluator
