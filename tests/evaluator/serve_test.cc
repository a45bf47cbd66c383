#include "evaluator/serve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <fstream>
#include <iterator>

#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

using ipc::MessageKind;
using search::Measured;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// How our program ends when it is started with `arguments`.
std::pair<int, std::string> end_of(const std::vector<std::string>& arguments) {
  ipc::SpawnOptions options;
  options.program = evaluator_program();
  options.arguments = arguments;
  ipc::ChildProcess child = ipc::ChildProcess::spawn(options);
  pollfd death{child.pidfd(), POLLIN, 0};
  ::poll(&death, 1, 60000);
  const auto report = child.reap();
  const auto* exited = report ? std::get_if<ipc::Exited>(&*report) : nullptr;
  return {exited != nullptr ? exited->code : -1, child.standard_error()};
}

TEST(EvaluatorProgram, UnknownArgumentsAreAUsageError) {
  const std::string self = std::to_string(::getpid());
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{},
        {"--help"},
        {"--evaluator"},
        {"--evaluator", "x", "1", "-", "0", "0"},
        {"--evaluator", self, "1", "1,", "0", "0"},
        {"--evaluator", self, "1", "-", "2", "0"},
        {"--evaluator", self, "1", "-", "0", "0", "x"}}) {
    const auto [code, words] = end_of(arguments);
    EXPECT_EQ(code, 2);
    EXPECT_THAT(words, HasSubstr("cannot make sense of"));
  }
}

TEST(EvaluatorProgram, CoreThatDoesNotExistIsSaid) {
  const auto [code, words] =
      end_of({"--evaluator", std::to_string(::getpid()), "1", "9999", "0", "0"});
  EXPECT_EQ(code, 71);
  EXPECT_THAT(words, HasSubstr("pinning to cores"));
}

class ServeTest : public ::testing::Test {
 protected:
  std::string configure(const search::Problem& problem) {
    const auto reply = evaluator_.ask<ipc::ConfiguredReply>(MessageKind::kConfigure,
                                                            setting_for(problem, folder_));
    return reply ? reply->error : "died";
  }
  std::string build(ipc::BuildTarget target, const search::Configuration& c = {}) {
    const auto reply =
        evaluator_.ask<ipc::BuiltReply>(MessageKind::kBuild, ipc::BuildRequest{target, c});
    if (!reply || !std::holds_alternative<ipc::Artifact>(reply->result)) return "";
    return std::get<ipc::Artifact>(reply->result).hash;
  }
  search::Problem command(const std::string& script) {
    search::CommandBackend backend;
    backend.argv = {"/bin/sh", "-c", script};
    backend.directory = folder_.path();
    backend.runs = 1;
    search::Problem problem;
    problem.backend = backend;
    problem.parameters = {parameter("TILE", {std::int64_t{8}})};
    return problem;
  }
  // Configured for `kernel`, with both artifacts.
  ipc::EvaluateRequest host_request(const std::string& kernel) {
    const auto problem = doubling_problem(folder_, kernel);
    EXPECT_THAT(configure(problem), IsEmpty());
    ipc::EvaluateRequest request;
    request.artifact = build(ipc::BuildTarget::kCandidate);
    request.reference = build(ipc::BuildTarget::kReference);
    request.sampling = problem.sampling;
    return request;
  }
  std::optional<search::TrialOutcome> evaluate(const ipc::EvaluateRequest& request) {
    const auto reply = evaluator_.ask<ipc::EvaluatedReply>(MessageKind::kEvaluate, request);
    if (!reply) return std::nullopt;
    return reply->report.outcome;
  }

  TemporaryFolder folder_;
  EvaluatorProcess evaluator_;
};

TEST_F(ServeTest, BuildsAndMeasuresThroughTheMailbox) {
  const auto outcome = evaluate(host_request(doubling(kGoodLoop)));
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(std::holds_alternative<Measured>(*outcome)) << search::describe(*outcome);
}

TEST_F(ServeTest, StopEndsItWell) {
  EXPECT_THAT(configure(command("true")), IsEmpty());
  evaluator_.post(MessageKind::kStop, {});
  EXPECT_EQ(std::get<ipc::Exited>(evaluator_.end()).code, 0);
}

TEST_F(ServeTest, SecondProblemReplacesTheFirst) {
  EXPECT_THAT(configure(command("echo '{{\"time\": 1}'")), IsEmpty());
  EXPECT_THAT(configure(command("echo '{{\"time\": 2}'")), IsEmpty());
  const auto outcome = evaluate({});
  EXPECT_EQ(std::get<Measured>(*outcome).measurement.find("time")->values.front(), 2);
}

TEST_F(ServeTest, RefusedProblemIsAnErrorAndAnotherCanFollow) {
  EXPECT_THAT(configure(command("{NO_SUCH}")), HasSubstr("{NO_SUCH}"));
  EXPECT_THAT(configure(command("true")), IsEmpty());
}

TEST_F(ServeTest, RequestThatCannotBeReadEndsIt) {
  evaluator_.post(MessageKind::kConfigure, std::vector<std::byte>(100, std::byte{0xff}));
  EXPECT_FALSE(evaluator_.await());
  EXPECT_EQ(std::get<ipc::Exited>(evaluator_.end()).code, 70);
}

TEST_F(ServeTest, RequestOfAnUnknownKindEndsIt) {
  evaluator_.post(static_cast<MessageKind>(99), {});
  EXPECT_EQ(std::get<ipc::Exited>(evaluator_.end()).code, 70);
}

TEST_F(ServeTest, TrialWithoutAProblemEndsIt) {
  EXPECT_FALSE(evaluate({}));
  EXPECT_EQ(std::get<ipc::Exited>(evaluator_.end()).code, 70);
}

TEST_F(ServeTest, ExceptionOfABackendIsAFailureToLaunchAndServiceGoesOn) {
  auto request = host_request(doubling(kGoodLoop));
  auto gone = request;
  gone.artifact = folder_.path() + "/gone.so";
  EXPECT_THAT(std::get<search::LaunchFailed>(*evaluate(gone)).message, HasSubstr("gone.so"));
  EXPECT_TRUE(std::holds_alternative<Measured>(*evaluate(request)));
}

TEST_F(ServeTest, ReportTooLargeForTheMailboxIsAFailureThatSaysSo) {
  auto request = host_request(doubling(kGoodLoop));
  request.sampling.samples = static_cast<int>(ipc::kResponseBytes / sizeof(double));
  request.sampling.min_sample_seconds = 0;
  request.sampling.max_seconds = 1e6;  // else a busy machine takes fewer samples
  EXPECT_THAT(std::get<search::LaunchFailed>(*evaluate(request)).message, HasSubstr("mailbox"));
}

TEST_F(ServeTest, OverrunKillsTheEvaluatorWhileVerifying) {
  const auto request = host_request(doubling(std::string(kGoodLoop) + "y[n + 100000] = 1;"));
  EXPECT_FALSE(evaluate(request));
  EXPECT_EQ(std::get<ipc::Killed>(evaluator_.end()).signal, SIGSEGV);
  EXPECT_EQ(evaluator_.progress().phase, search::Phase::kVerify);
}

TEST_F(ServeTest, ExitOfTheKernelIsSeenWithItsCode) {
  const auto request =
      host_request("#include <stdlib.h>\n" + doubling("_Exit(n == 1000 ? 9 : 1);"));
  EXPECT_FALSE(evaluate(request));
  EXPECT_EQ(std::get<ipc::Exited>(evaluator_.end()).code, 9);
}

TEST_F(ServeTest, CommandsDieWithTheEvaluator) {
  ASSERT_EQ(::mkfifo((folder_.path() + "/pid").c_str(), 0600), 0);
  EXPECT_THAT(configure(command("echo $$ > pid; exec sleep 1000")), IsEmpty());
  evaluator_.post(MessageKind::kEvaluate, ipc::encode(ipc::EvaluateRequest{}));
  const int pid = std::stoi(folder_.read("pid"));
  const ipc::UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  ASSERT_TRUE(process);
  ::kill(evaluator_.child().pid(), SIGKILL);
  pollfd death{process.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&death, 1, 60000), 1);
}

// Resident pages and open descriptors of the evaluator.
std::pair<long, long> belongings(pid_t pid) {
  const std::string proc = "/proc/" + std::to_string(pid);
  std::ifstream statm(proc + "/statm");
  long size = 0, resident = 0;
  statm >> size >> resident;
  const auto fds = std::filesystem::directory_iterator(proc + "/fd");
  return {resident, std::distance(begin(fds), end(fds))};
}

TEST_F(ServeTest, TwoHundredTrialsLeaveNothingBehind) {
  auto problem = doubling_problem(folder_, doubling("for (long i = 0; i < n; ++i) y[i] = 2 * x[i];"
                                                    "static volatile int step; step = STEP;"));
  host_of(problem).cases.front() = {{"N", 100000}};
  ASSERT_THAT(configure(problem), IsEmpty());
  std::vector<ipc::EvaluateRequest> requests(3);
  const std::string reference = build(ipc::BuildTarget::kReference);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].configuration = configuration({{"STEP", std::int64_t{1} << i}});
    requests[i].artifact = build(ipc::BuildTarget::kCandidate, requests[i].configuration);
    requests[i].reference = reference;
    requests[i].sampling = problem.sampling;
  }
  const auto serve = [&](int trials) {
    for (int i = 0; i < trials; ++i) {
      auto& request = requests[static_cast<std::size_t>(i) % requests.size()];
      request.seed = static_cast<std::uint64_t>(i);
      ASSERT_TRUE(std::holds_alternative<Measured>(*evaluate(request)));
    }
  };
  constexpr int kTrials = 200;
#ifdef __SANITIZE_THREAD__
  // The sanitizer lists the modules at each dlopen and dlclose, and never frees that: two pages.
  constexpr long kKeptByTheSanitizer = 4 * kTrials;
#else
  constexpr long kKeptByTheSanitizer = 0;
#endif
  serve(40);  // more than the answers of the reference that are kept
  const auto [pages, descriptors] = belongings(evaluator_.child().pid());
  serve(kTrials);
  const auto [pages_later, descriptors_later] = belongings(evaluator_.child().pid());
  EXPECT_EQ(descriptors_later, descriptors);
  // One vector of a trial has 98 pages, and there are 5.
  EXPECT_LE(pages_later, pages + 512 + kKeptByTheSanitizer);
}

}  // namespace
}  // namespace nightshift::evaluator
