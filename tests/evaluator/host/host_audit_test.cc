#include "evaluator/host/host_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "evaluator/host/build/host_builder.h"
#include "evaluator/host/build/host_call.h"
#include "evaluator/host/host_arguments.h"
#include "evaluator/host/host_backend.h"
#include "evaluator/host/host_reference.h"
#include "evaluator/host/kernel_library.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/sampling/honesty_rule.h"
#include "search/figures/audit_condition.h"
#include "search/value.h"
#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

using search::Measured;
using search::Phase;

class HostAuditTest : public ::testing::Test {
 protected:
  search::TrialOutcome outcome_where_nobody_is_trusted(const std::string& body) {
    return outcome(body, search::Trust::kNone);
  }
  // As a candidate that is about to be claimed is asked in a study whose problem trusts its author:
  // again, where others had the cores and the time for it was over.
  search::TrialOutcome outcome_of_a_claim(const std::string& body) {
    constexpr int kEvaluations = 8;  // of a hold-out
    search::TrialOutcome last;
    for (int i = 0; i < kEvaluations; ++i) {
      last = outcome(body, search::Trust::kUsual);
      const auto* measured = std::get_if<Measured>(&last);
      if (measured == nullptr ||
          measured->measurement.condition(search::kAuditCondition) != search::kAuditCutShort) {
        break;
      }
    }
    return last;
  }
  search::TrialOutcome outcome(const std::string& body, search::Trust trust) {
    auto problem = doubling_problem(folder_, kIncludes + doubling(body));
    problem.sampling.trust = trust;
    host_of(problem).arguments[1].access = access_;
    HostTrialBackend backend(setting_for(problem, folder_));
    ipc::EvaluateRequest request;
    const auto artifact = [&](ipc::BuildTarget target) {
      return std::get<ipc::Artifact>(backend.build({target, {}}, building_).result).hash;
    };
    request.artifact = artifact(ipc::BuildTarget::kCandidate);
    request.reference = artifact(ipc::BuildTarget::kReference);
    request.seed = kSeed;
    request.sampling = problem.sampling;
    request.sampling.trust = trust_of_request_;
    return backend.evaluate(request, progress_).outcome;
  }
  static std::string audit_of(const search::TrialOutcome& outcome) {
    const auto* measured = std::get_if<Measured>(&outcome);
    return measured == nullptr ? search::describe(outcome)
                               : measured->measurement.condition(search::kAuditCondition);
  }
  long samplings() const {
    return std::count(progress_.phases.begin(), progress_.phases.end(), Phase::kMeasure);
  }

  // x[0] of the inputs that are sampled, as C++ has it.
  std::string first_input() {
    const auto problem = doubling_problem(folder_, "");
    const auto& host = std::get<search::HostBackend>(problem.backend);
    const HostArguments arguments(host.arguments, shapes_of(host, {}), kSeed,
                                  HostArguments::View::kKernel);
    float first = 0;
    std::memcpy(&first, arguments.buffer(0).data(), sizeof first);
    return search::to_text(search::Value(static_cast<double>(first)));
  }

  static constexpr std::uint64_t kSeed = 7;
  static constexpr const char* kIncludes =
      "#include <cstring>\n#include <ctime>\n#include <map>\n#include <vector>\n"
      "static void work(long rounds) { for (volatile long i = 0; i < rounds; ++i) {} }\n";
  search::Trust trust_of_request_ = search::Trust::kNone;
  search::Argument::Access access_ = search::Argument::Access::kOut;
  TemporaryFolder folder_;
  FakeProgress building_, progress_;
};

constexpr const char* kHonest = "work(300000); for (long i = 0; i < n; ++i) y[i] = 2 * x[i];";

TEST_F(HostAuditTest, WhatIsHonestIsSampledOnce) {
  const auto outcome =
      outcome_where_nobody_is_trusted("for (long i = 0; i < n; ++i) y[i] = 2 * x[i];");
  ASSERT_TRUE(std::holds_alternative<Measured>(outcome)) << search::describe(outcome);
  EXPECT_EQ(samplings(), 1);
}

// Each has a limit of its own then, and no limit of the candidate's work counts it
// (scheduler/pool/phase_watch.h).
TEST_F(HostAuditTest, EachPairIsMarked) {
  const auto outcome =
      outcome_where_nobody_is_trusted("for (long i = 0; i < n; ++i) y[i] = 2 * x[i];");
  ASSERT_TRUE(std::holds_alternative<Measured>(outcome)) << search::describe(outcome);
  const auto& phases = progress_.phases;
  const auto sampled = std::find(phases.rbegin(), phases.rend(), Phase::kMeasure);
  EXPECT_GE(std::count(phases.rbegin(), sampled, Phase::kVerify), 2 * HonestyRule::kPairs);
}

// As a machine does whose core gets a neighbour between the samples and the audit: the kernel finds
// its outputs poisoned after many calls, and takes longer from then on.
TEST_F(HostAuditTest, WhatHasBecomeSlowerSinceItsSamplesHasTheTimeOfNewOnes) {
  const auto outcome = outcome_where_nobody_is_trusted(
      "static int calls = 0, rounds = 0;\n"
      "if (++calls > 3 && y[0] != 2 * x[0]) rounds = 100000;\n"
      "for (volatile int i = 0; i < rounds; ++i) {}\n"
      "for (long i = 0; i < n; ++i) y[i] = 2 * x[i];");
  ASSERT_TRUE(std::holds_alternative<Measured>(outcome)) << search::describe(outcome);
  EXPECT_EQ(samplings(), 2);
  const auto& values = std::get<Measured>(outcome).measurement.figures.front().values;
  EXPECT_THAT(values, ::testing::Each(::testing::Gt(1e-2)));  // ms; 100,000 rounds at 10 GHz
}

TEST_F(HostAuditTest, WhatFindsItsAnswerIsRefusedWithoutNewSamples) {
  const auto outcome = outcome_where_nobody_is_trusted(
      "const bool poisoned = y[0] != 2 * x[0];\n"
      "for (volatile int i = 0; i < (poisoned ? 100000 : 0); ++i) {}\n"
      "for (long i = 0; i < n; ++i) y[i] = 2 * x[i];");
  const auto* failed = std::get_if<search::LaunchFailed>(&outcome);
  ASSERT_NE(failed, nullptr) << search::describe(outcome);
  EXPECT_THAT(failed->message, ::testing::HasSubstr("its outputs do not hold the answer yet"));
  EXPECT_EQ(samplings(), 1);  // one kernel takes longer than itself in the same pairs
}

// --- Of a candidate whose author is trusted ---

// Each of them keeps answers that are right, and works only where it has none.
const std::map<std::string, std::string> kRemember = {
    {"all inputs that it ever had",
     "static std::map<std::vector<float>, std::vector<float>> known;"
     "std::vector<float>& answer = known[std::vector<float>(x, x + n)];"
     "if (answer.empty()) { work(300000); answer.assign(x, x + n); for (float& a : answer) a *= 2; "
     "}"
     "std::memcpy(y, answer.data(), n * sizeof *y);"},
    {"the inputs of the call before",
     "static std::vector<float> inputs;"
     "if (inputs != std::vector<float>(x, x + n)) { work(300000); inputs.assign(x, x + n); }"
     "for (long i = 0; i < n; ++i) y[i] = 2 * inputs[i];"},
    {"the first inputs that it had",
     "static std::vector<float> inputs;"
     "if (inputs.empty()) inputs.assign(x, x + n);"
     "else if (inputs != std::vector<float>(x, x + n)) work(300000);"
     "for (long i = 0; i < n; ++i) y[i] = 2 * x[i];"},
    {"inputs that came often",
     "static std::map<float, int> calls;"
     "if (++calls[x[0]] < 6) work(300000);"
     "for (long i = 0; i < n; ++i) y[i] = 2 * x[i];"},
};

TEST_F(HostAuditTest, AClaimThatRestsOnInputsThatWereSeenIsRefused) {
  for (const auto& [what, body] : kRemember) {
    const auto outcome = outcome_of_a_claim(body);
    const auto* failed = std::get_if<search::LaunchFailed>(&outcome);
    ASSERT_NE(failed, nullptr) << what << audit_of(outcome);
    EXPECT_THAT(failed->message, ::testing::HasSubstr("it has not seen the inputs")) << what;
  }
}

TEST_F(HostAuditTest, AClaimThatRestsOnPointersOrOnCallsIsRefused) {
  for (const std::string work_left_out :
       {"static const float* at; static std::vector<float> answer;"
        "if (x == at) { std::memcpy(y, answer.data(), n * sizeof *y); return; }"
        "work(300000); for (long i = 0; i < n; ++i) y[i] = 2 * x[i];"
        "at = x; answer.assign(y, y + n);",
        "static int calls = 0; static const float* at; if (x != at) calls = 0; at = x;"
        "if (++calls > 2) return;"
        "work(300000); for (long i = 0; i < n; ++i) y[i] = 2 * x[i];",
        "static int calls = 0; static std::vector<float> answer;"
        "if (++calls > 40) { std::memcpy(y, answer.data(), n * sizeof *y); return; }"
        "work(300000); for (long i = 0; i < n; ++i) y[i] = 2 * x[i]; answer.assign(y, y + n);"}) {
    const auto outcome = outcome_of_a_claim(work_left_out);
    EXPECT_TRUE(std::holds_alternative<search::WrongResult>(outcome)) << search::describe(outcome);
  }
}

TEST_F(HostAuditTest, AClaimThatRestsOnAnswersThatStandThereIsRefused) {
  const auto outcome = outcome_of_a_claim(
      "if (y[0] == 2 * x[0] && y[n - 1] == 2 * x[n - 1]) return;" + std::string(kHonest));
  const auto* failed = std::get_if<search::LaunchFailed>(&outcome);
  ASSERT_NE(failed, nullptr) << search::describe(outcome);
}

TEST_F(HostAuditTest, OnlyWhatWasAskedSaysThatItHeld) {
  for (const auto trust : {search::Trust::kNone, search::Trust::kUsual}) {
    trust_of_request_ = trust;
    const auto outcome = outcome_of_a_claim(kHonest);
    ASSERT_TRUE(std::holds_alternative<Measured>(outcome)) << search::describe(outcome);
    EXPECT_EQ(std::get<Measured>(outcome).measurement.condition("audit"),
              trust == search::Trust::kNone ? "its time held" : "");
  }
}

// The inputs that are sampled have the least work of all, by chance.
TEST_F(HostAuditTest, WorkThatDependsOnTheInputsIsHonest) {
  const std::string body = "work(x[0] == " + first_input() +
                           "f ? 100000 : 300000 + long(100000 * x[1]));" +
                           "for (long i = 0; i < n; ++i) y[i] = 2 * x[i];";
  for (const auto trust : {search::Trust::kNone, search::Trust::kUsual}) {
    const auto ended = outcome(body, trust);
    EXPECT_TRUE(std::holds_alternative<Measured>(ended)) << search::describe(ended);
  }
}

TEST_F(HostAuditTest, WhatIsEasierOnceItWasDoneInPlaceIsNoCheatOfWhoIsTrusted) {
  access_ = search::Argument::Access::kInOut;
  const std::string body =
      "if (y[0] != 2 * x[0]) work(300000);"
      "for (long i = 0; i < n; ++i) y[i] = 2 * x[i];";
  const auto ended = outcome_of_a_claim(body);
  EXPECT_TRUE(std::holds_alternative<Measured>(ended)) << search::describe(ended);
}

TEST_F(HostAuditTest, TablesThatAreMadeOnceAreHonest) {
  const auto ended = outcome_of_a_claim(
      "static std::vector<float> table; if (table.empty()) { work(3000000); table.assign(n, 2); }"
      "work(100000); for (long i = 0; i < n; ++i) y[i] = table[i] * x[i];");
  EXPECT_TRUE(std::holds_alternative<Measured>(ended)) << search::describe(ended);
}

// --- Who stalls where it is asked ---

class StallingAudit : public HostAuditTest {
 protected:
  static constexpr double kMostOfStalls = 0.05;  // seconds
  // Audits a kernel that was never sampled, whose calls are said to take so many seconds.
  std::optional<search::TrialOutcome> audited(const std::string& body, search::Trust trust,
                                              double sampled) {
    const auto problem = doubling_problem(folder_, kIncludes + doubling(body));
    const auto& host = std::get<search::HostBackend>(problem.backend);
    const auto setting = setting_for(problem, folder_);
    HostTrialBackend backend(setting);
    const auto library = [&](ipc::BuildTarget target) {
      const auto built = backend.build({target, {}}, building_);
      const std::string hash = std::get<ipc::Artifact>(built.result).hash;
      return library_of(host, artifact_path(setting.artifact_folder, hash), 0).string();
    };
    const std::string artifact = library(ipc::BuildTarget::kCandidate);
    const auto shapes = shapes_of(host, {});
    HostReference reference(host);
    const KernelLibrary loaded(artifact);
    HostArguments arguments(host.arguments, shapes, kSeed, HostArguments::View::kKernel);
    HostAudit::Parts parts{host,
                           shapes,
                           artifact,
                           library(ipc::BuildTarget::kReference),
                           setting.scratch_folder,
                           kSeed,
                           sampled,
                           1e-3,
                           trust,
                           0,
                           kMostOfStalls,
                           reference,
                           progress_};
    HostAudit audit(std::move(parts), loaded, arguments);
    auto wrong = audit.run();
    is_cut_short_ = audit.is_cut_short();
    return wrong;
  }
  bool is_cut_short_ = false;
};

std::string sleeps(int milliseconds) {
  return "struct timespec rest = {0, " + std::to_string(milliseconds) +
         "000000}; nanosleep(&rest, 0);";
}

TEST_F(StallingAudit, WhoSleepsOnNewInputsIsTold) {
  for (const auto trust : {search::Trust::kNone, search::Trust::kUsual}) {
    const auto wrong = audited(
        "static const float known = x[0]; if (x[0] != known) {" + sleeps(30) + "}" + kGoodLoop,
        trust, 1e-5);
    ASSERT_TRUE(wrong.has_value());
    EXPECT_THAT(search::describe(*wrong), ::testing::HasSubstr("it has not seen the inputs"));
  }
}

// All calls are longer than what samples let expect, and less than twice as long. No other limit
// ends the pairs.
TEST_F(StallingAudit, WhatIsNotPlainIsNotKnownOfWhoIsTrustedAndElseAFailure) {
  const std::string body = sleeps(200) + kGoodLoop;
  EXPECT_FALSE(audited(body, search::Trust::kUsual, 0.2 / 4.5).has_value());
  EXPECT_TRUE(is_cut_short_);
  const auto wrong = audited(body, search::Trust::kNone, 0.2 / 2.25);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_THAT(search::describe(*wrong), ::testing::HasSubstr("longer than its samples let expect"));
}

}  // namespace
}  // namespace nightshift::evaluator
