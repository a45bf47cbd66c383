#include "evaluator/host/host_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/file_text.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/damaged_artifact.h"
#include "search/trial.h"
#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

using search::LaunchFailed;
using search::Measured;
using search::Phase;
using search::WrongResult;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HostBackendTest : public ::testing::Test {
 protected:
  std::string artifact(HostTrialBackend& backend, ipc::BuildTarget target,
                       const search::Configuration& c = {}) {
    const auto reply = backend.build({target, c}, building_);
    if (const auto* failed = std::get_if<search::BuildFailed>(&reply.result)) {
      throw std::runtime_error(failed->message);
    }
    return std::get<ipc::Artifact>(reply.result).hash;
  }

  // Builds and evaluates, against the problem's reference or else its baseline.
  search::TrialReport evaluate(const search::Problem& problem,
                               const search::Configuration& c = {}) {
    HostTrialBackend backend(setting_for(problem, folder_));
    return evaluate_on(backend, problem, c);
  }
  search::TrialReport evaluate_on(HostTrialBackend& backend, const search::Problem& problem,
                                  const search::Configuration& c = {}) {
    const bool own = !std::get<search::HostBackend>(problem.backend).reference.file.empty();
    ipc::EvaluateRequest request;
    request.configuration = c;
    request.artifact = artifact(backend, ipc::BuildTarget::kCandidate, c);
    request.reference =
        artifact(backend, own ? ipc::BuildTarget::kReference : ipc::BuildTarget::kCandidate);
    request.seed = 7;
    request.sampling = problem.sampling;
    request.give_up_above = give_up_above_;
    return backend.evaluate(request, progress_);
  }
  search::TrialOutcome outcome(const std::string& body) {
    return evaluate(doubling_problem(folder_, doubling(body))).outcome;
  }
  // What made the outcome a LaunchFailed; or how else it ended.
  static std::string complaint(const search::TrialOutcome& outcome) {
    const auto* failed = std::get_if<LaunchFailed>(&outcome);
    return failed != nullptr ? failed->message : search::describe(outcome);
  }
  std::string refusal(const search::Problem& problem) {
    try {
      HostTrialBackend backend(setting_for(problem, folder_));
    } catch (const std::exception& e) {
      return e.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
  FakeProgress building_, progress_;
  double give_up_above_ = 0;
};

TEST_F(HostBackendTest, GoodKernelIsMeasuredInTheObjectivesUnit) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  const auto report = evaluate(problem);
  ASSERT_TRUE(std::holds_alternative<Measured>(report.outcome)) << complaint(report.outcome);
  const auto& measurement = std::get<Measured>(report.outcome).measurement;
  const search::Samples* time = measurement.find("time");
  ASSERT_NE(time, nullptr);
  EXPECT_EQ(time->values.size(), 5u);
  EXPECT_THAT(time->values, Each(Gt(0)));
  EXPECT_GT(report.cost.check, 0);
  EXPECT_GT(report.cost.measure, 0);
}

TEST_F(HostBackendTest, PhasesAreMarkedInTheirOrder) {
  evaluate(doubling_problem(folder_, doubling(kGoodLoop)));
  EXPECT_THAT(progress_.phases, ElementsAre(Phase::kLoad, Phase::kPrepare, Phase::kVerify,
                                            Phase::kWarmUp, Phase::kMeasure));
  EXPECT_GE(progress_.beats, 5u);
}

TEST_F(HostBackendTest, ConditionsNameCoresCacheAndCalls) {
  const auto report = evaluate(doubling_problem(folder_, doubling(kGoodLoop)));
  std::vector<std::string> names;
  for (const auto& [name, value] : std::get<Measured>(report.outcome).measurement.conditions) {
    names.push_back(name);
    EXPECT_FALSE(value.empty()) << name;
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"cores", "cache", "calls per sample"}));
}

TEST_F(HostBackendTest, WrongElementIsNamedWithWhatItShouldBe) {
  const auto result = outcome(std::string(kGoodLoop) + "y[731] += 0.5f;");
  ASSERT_TRUE(std::holds_alternative<WrongResult>(result)) << complaint(result);
  const auto& wrong = std::get<WrongResult>(result);
  EXPECT_EQ(wrong.output, "y");
  EXPECT_EQ(wrong.element, 731u);
  EXPECT_NEAR(wrong.error, 0.5, 1e-6);
  EXPECT_NEAR(wrong.got, wrong.expected + 0.5, 1e-6);
}

TEST_F(HostBackendTest, AnOutputThatIsNotWrittenIsSaidToBeSo) {
  EXPECT_THAT(search::describe(outcome("")),
              AllOf(StartsWith("wrong result: y[0] was not written, where "),
                    HasSubstr(" was expected"), Not(HasSubstr("nan"))));
  const auto result = outcome("for (long i = 0; i < n; ++i) if (i != 17) y[i] = 2 * x[i];");
  ASSERT_TRUE(std::holds_alternative<WrongResult>(result)) << complaint(result);
  const auto& wrong = std::get<WrongResult>(result);
  EXPECT_EQ(wrong.output, "y");
  EXPECT_EQ(wrong.element, 17u);
  EXPECT_THAT(wrong.message, HasSubstr("y[17] was not written"));
  EXPECT_THAT(
      search::describe(outcome("for (long i = 0; i < n; ++i) y[i] = __builtin_nanf(\"\");")),
      HasSubstr("y[0] is nan where"))
      << "that was written";
}

// Of integers every pattern is a number, so that what nobody writes would be right.
TEST_F(HostBackendTest, AnOutputOfIntegersThatNobodyWritesIsRefused) {
  const std::string good = "for (long i = 0; i < n; ++i) y[i] = 7;";
  const auto outcome_of = [&](const std::string& kernel, const std::string& reference) {
    auto problem =
        doubling_problem(folder_, "void doubled(const float* x, int* y, long n) {" + kernel + "}");
    host_of(problem).arguments[1].type = search::ElementType::kInt32;
    folder_.write("doubled_reference.cc",
                  "void doubled_reference(const double* x, int* y, long n) {" + reference + "}");
    if (reference.empty()) host_of(problem).reference = {};
    try {
      return evaluate(problem).outcome;
    } catch (const std::runtime_error& refused) {  // as serve.h has it
      return search::TrialOutcome(LaunchFailed{refused.what()});
    }
  };
  EXPECT_TRUE(std::holds_alternative<Measured>(outcome_of(good, good)));
  EXPECT_EQ(complaint(outcome_of("", ";")), "the reference does not write output 'y'");
  EXPECT_EQ(complaint(outcome_of("", "")),
            "the baseline, whose answers are expected, does not write output 'y'");
  EXPECT_EQ(complaint(outcome_of("", good)),
            "wrong result: y[0] was not written, where 7.0 was expected");
}

// Nobody knows then what is right there, and the kernel is not to blame.
TEST_F(HostBackendTest, AnElementThatTheReferenceLeavesIsTold) {
  const std::string whole = "for (long i = 0; i < n; ++i) y[i] = 7;";
  const std::string most = "for (long i = 0; i < n - 1; ++i) y[i] = 7;";
  for (const auto& [type, name] :
       {std::pair{search::ElementType::kInt32, std::string("int")},
        std::pair{search::ElementType::kFloat32, std::string("float")}}) {
    const auto told = [&](const std::string& kernel, const std::string& reference) {
      auto problem = doubling_problem(
          folder_, "void doubled(const float* x, " + name + "* y, long n) {" + kernel + "}");
      host_of(problem).arguments[1].type = type;
      const std::string wide = name == "float" ? "double" : name;
      folder_.write("doubled_reference.cc", "void doubled_reference(const double* x, " + wide +
                                                "* y, long n) {" + reference + "}");
      return evaluate(problem).outcome;
    };
    const auto result = told(whole, most);
    ASSERT_TRUE(std::holds_alternative<WrongResult>(result)) << complaint(result);
    EXPECT_THAT(search::describe(result),
                AllOf(HasSubstr("the reference does not write y["),
                      HasSubstr("], which is 7.0 here"), Not(HasSubstr("was expected"))));
    EXPECT_TRUE(std::holds_alternative<Measured>(told(most, most))) << "neither writes it";
    EXPECT_THAT(search::describe(told(most, whole)), HasSubstr("was not written, where 7.0 was"));
  }
}

// What stood there before may be an answer of 8 or 16 bits, so that it is said to be one perhaps.
TEST_F(HostBackendTest, ANarrowElementThatNobodyMayHaveWrittenIsTold) {
  const std::string whole = "for (long i = 0; i < n; ++i) y[i] = 7;";
  const std::string most = "for (long i = 0; i < n - 1; ++i) y[i] = 7;";
  struct Narrow {
    search::ElementType type;
    std::string name, before;
  };
  const Narrow types[] = {{search::ElementType::kInt8, "signed char", "-91"},
                          {search::ElementType::kUint8, "unsigned char", "165"},
                          {search::ElementType::kInt16, "short", "-23131"},
                          {search::ElementType::kUint16, "unsigned short", "42405"}};
  for (const auto& [type, name, before] : types) {
    const auto told = [&](const std::string& kernel, const std::string& reference) {
      auto problem = doubling_problem(
          folder_, "void doubled(const float* x, " + name + "* y, long n) {" + kernel + "}");
      host_of(problem).arguments[1].type = type;
      folder_.write("doubled_reference.cc", "void doubled_reference(const double* x, " + name +
                                                "* y, long n) {" + reference + "}");
      return search::describe(evaluate(problem).outcome);
    };
    const std::string words = " may not write y[999], where " + before + ".0 stands before it runs";
    EXPECT_THAT(told(whole, most), HasSubstr("the reference" + words));
    EXPECT_THAT(told(most, whole), HasSubstr("the kernel" + words));
    EXPECT_THAT(told("y[0] = 8;" + whole.substr(0, whole.size() - 1) + " + (i == 5);", whole),
                AllOf(HasSubstr("y[5] is 8 where 7 was expected"), Not(HasSubstr("may not"))));
  }
}

TEST_F(HostBackendTest, NanIsWrong) {
  const auto result = outcome(std::string(kGoodLoop) + "y[3] = 0.0f / (x[3] - x[3]);");
  ASSERT_TRUE(std::holds_alternative<WrongResult>(result)) << complaint(result);
  EXPECT_EQ(std::get<WrongResult>(result).element, 3u);
}

TEST_F(HostBackendTest, ElementThatIsNeverWrittenIsWrong) {
  const auto result = outcome("for (long i = 0; i < n - 1; ++i) y[i] = 2 * x[i];");
  ASSERT_TRUE(std::holds_alternative<WrongResult>(result)) << complaint(result);
  EXPECT_EQ(std::get<WrongResult>(result).element, 999u);
}

TEST_F(HostBackendTest, KernelThatOnlyWorksTheFirstTimeIsFound) {
  const auto result =
      outcome("static bool done = false; if (done) return; done = true;" + std::string(kGoodLoop));
  EXPECT_TRUE(std::holds_alternative<WrongResult>(result)) << complaint(result);
}

TEST_F(HostBackendTest, WritingJustBehindAVectorIsFound) {
  auto problem = doubling_problem(folder_, doubling(std::string(kGoodLoop) + "y[n] = 1;"));
  host_of(problem).cases.front() = {{"N", 1001}};
  EXPECT_THAT(complaint(evaluate(problem).outcome), HasSubstr("outside of argument 'y'"));
}

TEST_F(HostBackendTest, WritingToAnInputIsFound) {
  EXPECT_THAT(complaint(outcome(std::string(kGoodLoop) + "const_cast<float*>(x)[0] = 0;")),
              HasSubstr("argument 'x', which the problem file calls an input"));
}

TEST_F(HostBackendTest, ExceptionOfTheKernelIsAFailureWithItsWords) {
  auto problem = doubling_problem(
      folder_, "#include <stdexcept>\n" + doubling("throw std::logic_error(\"bad tile\");"));
  EXPECT_THAT([&] { evaluate(problem); },
              ::testing::ThrowsMessage<std::runtime_error>(HasSubstr("bad tile")));
}

TEST_F(HostBackendTest, WithoutReferenceTheBaselineSaysWhatIsRight) {
  auto problem = doubling_problem(
      folder_, doubling("for (long i = 0; i < n; ++i) y[i] = 2 * x[i] + (STEP == 4);"));
  host_of(problem).reference = {};
  EXPECT_TRUE(std::holds_alternative<Measured>(
      evaluate(problem, configuration({{"STEP", std::int64_t{2}}})).outcome));
  EXPECT_TRUE(std::holds_alternative<WrongResult>(
      evaluate(problem, configuration({{"STEP", std::int64_t{4}}})).outcome));
}

TEST_F(HostBackendTest, ArgumentThatIsInputAndOutputIsRestoredBeforeEachCall) {
  auto problem = doubling_problem(folder_,
                                  "void doubled(float* x, long n) {\n"
                                  "  if (x[0] > 1) throw 1;\n"
                                  "  for (long i = 0; i < n; ++i) x[i] *= 2;\n}\n");
  host_of(problem).reference.file = folder_.write(
      "doubled_reference.cc",
      "void doubled_reference(double* x, long n) { for (long i = 0; i < n; ++i) x[i] *= 2; }");
  auto x = vector_argument("x", search::Argument::Access::kInOut);
  x.fill = search::Argument::Fill::kConstant;
  x.low = 1;
  host_of(problem).arguments = {x, scalar_argument("n", "N")};
  for (const double seconds : {0.0, 1e-3}) {
    problem.sampling.min_sample_seconds = seconds;
    const auto report = evaluate(problem);
    ASSERT_TRUE(std::holds_alternative<Measured>(report.outcome)) << complaint(report.outcome);
    const auto& measurement = std::get<Measured>(report.outcome).measurement;
    EXPECT_THAT(measurement.find("time")->values, Each(Gt(0)));
    EXPECT_THAT(measurement.condition("calls per sample"),
                seconds == 0 ? ::testing::Matcher<std::string>("1") : Not("1"));
  }
}

TEST_F(HostBackendTest, IntegerVectorsAreComparedExactly) {
  auto problem =
      doubling_problem(folder_,
                       "void doubled(const long* x, long* y, long n) {\n"
                       "  for (long i = 0; i < n; ++i) y[i] = x[i] + (STEP == 4 && i == 5);\n}\n");
  host_of(problem).reference.file =
      folder_.write("doubled_reference.cc",
                    "void doubled_reference(const long* x, long* y, long n) {\n"
                    "  for (long i = 0; i < n; ++i) y[i] = x[i];\n}\n");
  for (std::size_t i : {0u, 1u}) {
    host_of(problem).arguments[i].type = search::ElementType::kInt64;
    host_of(problem).arguments[i].low = 4611686018427387904.0;
    host_of(problem).arguments[i].high = 4611686018427387904.0;
  }
  EXPECT_TRUE(std::holds_alternative<Measured>(evaluate(problem).outcome));
  const auto result = evaluate(problem, configuration({{"STEP", std::int64_t{4}}})).outcome;
  ASSERT_TRUE(std::holds_alternative<WrongResult>(result)) << complaint(result);
  EXPECT_EQ(std::get<WrongResult>(result).element, 5u);
  EXPECT_EQ(std::get<WrongResult>(result).error, 1);
}

TEST_F(HostBackendTest, IntegersMayBeOffByWhatTheOutputOrTheProblemGives) {
  auto problem = doubling_problem(folder_,
                                  "void doubled(const int* x, int* y, long n) {\n"
                                  "  for (long i = 0; i < n; ++i) y[i] = x[i] + STEP;\n}\n");
  host_of(problem).reference.file =
      folder_.write("doubled_reference.cc",
                    "void doubled_reference(const int* x, int* y, long n) {\n"
                    "  for (long i = 0; i < n; ++i) y[i] = x[i];\n}\n");
  for (std::size_t i : {0u, 1u}) {
    host_of(problem).arguments[i].type = search::ElementType::kInt32;
    host_of(problem).arguments[i].low = host_of(problem).arguments[i].high = 262144;
  }
  const auto off_by_two = configuration({{"STEP", std::int64_t{2}}});
  const auto is_right = [&] {
    return std::holds_alternative<Measured>(evaluate(problem, off_by_two).outcome);
  };
  EXPECT_FALSE(is_right());  // a share of 1e-5 would let it pass
  host_of(problem).tolerance.relative = 1e-5;
  EXPECT_TRUE(is_right());
  host_of(problem).arguments[1].tolerance = {0, 1};
  EXPECT_FALSE(is_right());
  host_of(problem).arguments[1].tolerance = {0, 2};
  EXPECT_TRUE(is_right());
}

// What a kernel leaves in its process, by the includes and the statement that leave it.
TEST_F(HostBackendTest, AProcessThatAKernelLeftChangedServesNoOther) {
  const std::pair<const char*, const char*> traces[] = {
      {"fcntl.h", "open(\"/dev/null\", O_RDONLY)"},
      {"sys/resource.h", "rlimit r{1 << 30, RLIM_INFINITY}; setrlimit(RLIMIT_CORE, &r)"},
      {"signal.h", "signal(SIGUSR2, SIG_IGN)"},
      {"signal.h",
       "sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR2); "
       "sigprocmask(SIG_BLOCK, &s, nullptr)"},
      {"sys/time.h", "itimerval t{{0, 0}, {1000, 0}}; setitimer(ITIMER_REAL, &t, nullptr)"},
      {"sys/resource.h",
       "setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) == 19 ? 18 : 19)"},
      {"sys/prctl.h", "prctl(PR_SET_TIMERSLACK, 12345)"},
      {"sys/stat.h", "umask(0777)"},
      {"unistd.h", "if (chdir(\"/proc\")) {}"},
      {"stdlib.h", "setenv(\"LEFT_BY_A_KERNEL\", \"1\", 1)"},
      {"unistd.h", "if (fork() == 0) _exit(0)"},
  };
  for (const auto& [header, statement] : traces) {
    const bool is_of_priority = std::string_view(statement).substr(0, 11) == "setpriority";
    if (is_of_priority && getpriority(PRIO_PROCESS, 0) == 19 && geteuid() != 0) {
      std::puts("SKIPPED: at priority 19 only root may choose another");
      continue;
    }
    const auto problem = doubling_problem(
        folder_,
        "#include <" + std::string(header) + ">\nstatic bool left = false;\n" +
            doubling(std::string(kGoodLoop) + "\nif (!left) { left = true; " + statement + "; }"));
    EXPECT_EXIT(
        {
          HostTrialBackend backend(setting_for(problem, folder_));
          const auto report = evaluate_on(backend, problem);
          std::_Exit(std::holds_alternative<Measured>(report.outcome) && backend.spent() ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "")
        << statement;
  }
}

// They lie in a library that stays, and the next kernel would run on fewer cores.
TEST_F(HostBackendTest, SettingsOfThreadsThatAKernelLeavesEndItsProcess) {
  for (const auto& [statement, spent] : std::initializer_list<std::pair<const char*, bool>>{
           {"omp_set_num_threads(omp_get_max_threads() + 1)", true},
           {"omp_set_schedule(omp_sched_dynamic, 3)", true},
           {"omp_set_dynamic(!omp_get_dynamic())", true},
           {"omp_set_num_threads(omp_get_max_threads())", false}}) {
    auto problem = doubling_problem(
        folder_,
        "#include <omp.h>\nstatic bool left = false;\n" +
            doubling(std::string(kGoodLoop) + "\nif (!left) { left = true; " + statement + "; }"));
    host_of(problem).kernel.flags = {"-fopenmp"};
    EXPECT_EXIT(
        {
          HostTrialBackend backend(setting_for(problem, folder_));
          const auto report = evaluate_on(backend, problem);
          const bool is_right = std::holds_alternative<Measured>(report.outcome);
          std::_Exit(is_right && backend.spent() == spent ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "")
        << statement;
  }
}

// They live on in the pool of OpenMP, and the next kernel would compute with them. In a program of its own,
// where the runtime that is loaded has no threads yet and lets them wait as it is told to.
TEST_F(HostBackendTest, SettingsThatThreadsOfAPoolKeepEndTheirProcess) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "threads that it does not know get no signal while they wait";
#endif
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  for (const auto& [statement, spent] : std::initializer_list<std::pair<const char*, bool>>{
           {"fesetround(FE_DOWNWARD)", true},
           {"if (omp_get_thread_num() == 1) fesetround(FE_UPWARD)", true},
           {"feraiseexcept(FE_INEXACT)", false},
           {"", false}}) {
    auto problem = doubling_problem(
        folder_, "#include <fenv.h>\n#include <omp.h>\n" +
                     doubling("_Pragma(\"omp parallel num_threads(2)\") { " +
                              std::string(statement) + "; }\n" + std::string(kGoodLoop)));
    host_of(problem).kernel.flags = {"-fopenmp"};
    const bool is_spent = spent;
    EXPECT_EXIT(
        {
          ::setenv("OMP_WAIT_POLICY", "passive", 1);
          HostTrialBackend backend(setting_for(problem, folder_));
          // A thread may be late to wait, on a machine that has much to do, and ends the process as well.
          bool always = true;
          for (int i = 0; i < 5 && always; ++i) {
            const auto report = evaluate_on(backend, problem);
            if (!std::holds_alternative<Measured>(report.outcome)) std::_Exit(2);
            always = backend.spent();
          }
          std::_Exit(always == is_spent ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "")
        << statement;
  }
}

TEST_F(HostBackendTest, AProcessThatNothingWasLeftInServesOn) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  HostTrialBackend backend(setting_for(problem, folder_));
  for (int i = 0; i < 3; ++i) {
    evaluate_on(backend, problem);
    EXPECT_FALSE(backend.spent()) << i;
  }
}

// A library built with -ffast-math makes denormal numbers 0 from the moment it is loaded.
TEST_F(HostBackendTest, SettingsOfFloatingPointArePutBack) {
  auto problem = doubling_problem(
      folder_,
      "#include <fenv.h>\n" + doubling(std::string(kGoodLoop) + "\nfesetround(FE_DOWNWARD);"));
  EXPECT_TRUE(std::holds_alternative<Measured>(evaluate(problem).outcome));
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST_F(HostBackendTest, ColdCacheTakesOneCallASample) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  problem.sampling.cold_cache = true;
  problem.sampling.samples = 2;
  problem.sampling.warm_up_runs = 0;
  const auto report = evaluate(problem);
  ASSERT_TRUE(std::holds_alternative<Measured>(report.outcome)) << complaint(report.outcome);
  const auto& conditions = std::get<Measured>(report.outcome).measurement.conditions;
  EXPECT_THAT(conditions, ::testing::Contains(::testing::Pair("calls per sample", "1")));
  EXPECT_THAT(conditions, ::testing::Contains(::testing::Pair("cache", HasSubstr("cold"))));
}

search::Measurement measurement_of(const search::TrialReport& report) {
  const auto* measured = std::get_if<Measured>(&report.outcome);
  EXPECT_NE(measured, nullptr) << search::describe(report.outcome);
  return measured != nullptr ? measured->measurement : search::Measurement{};
}

std::vector<std::string> condition_names(const search::Measurement& measurement) {
  std::vector<std::string> names;
  for (const auto& [name, value] : measurement.conditions) names.push_back(name);
  return names;
}

// On one core OpenMP starts no thread, so that nothing but its name tells of it.
TEST_F(HostBackendTest, ThreadsThatHaveOneCoreAreTold) {
  cpu_set_t all, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core) {
    if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
  }
  auto plain = doubling_problem(folder_, doubling(kGoodLoop));
  auto threaded = doubling_problem(
      folder_, doubling("_Pragma(\"omp parallel for\") " + std::string(kGoodLoop)));
  host_of(threaded).kernel.flags = {"-fopenmp"};
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  const auto told = measurement_of(evaluate(threaded)).conditions;
  const auto untold = condition_names(measurement_of(evaluate(plain)));
  ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_THAT(told, ::testing::Contains(::testing::Pair("threads on one core", "OpenMP")));
  EXPECT_THAT(untold, Not(::testing::Contains("threads on one core")));
  if (CPU_COUNT(&all) < 2) return;
  EXPECT_THAT(condition_names(measurement_of(evaluate(threaded))),
              Not(::testing::Contains("threads on one core")));
}

TEST_F(HostBackendTest, SamplingEndsEarlyButWithThreeSamples) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  problem.sampling.samples = 1000;
  problem.sampling.max_seconds = 1e-9;
  const auto report = evaluate(problem);
  EXPECT_EQ(std::get<Measured>(report.outcome).measurement.find("time")->values.size(), 3u);
}

TEST_F(HostBackendTest, SamplingGoesOnForPrecisionUpToTheMost) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  problem.sampling.precision = 1e-12;
  problem.sampling.most_samples = 9;
  const auto measurement = measurement_of(evaluate(problem));
  EXPECT_EQ(measurement.find("time")->values.size(), 9u);
  EXPECT_THAT(condition_names(measurement),
              ::testing::IsSupersetOf({"warm-up", "precision", "lag-1 autocorrelation"}));
}

TEST_F(HostBackendTest, UnsteadyKernelIsCalledUnstable) {
  auto problem = doubling_problem(
      folder_,
      "#include <time.h>\n" + doubling("static int calls = 0; timespec t{0, calls++ % 2 * 2000000};"
                                       "nanosleep(&t, nullptr);" +
                                       std::string(kGoodLoop)));
  problem.sampling.precision = 0.005;
  problem.sampling.most_samples = 9;
  problem.sampling.min_sample_seconds = 0;
  EXPECT_THAT(measurement_of(evaluate(problem)).conditions,
              ::testing::Contains(::testing::Pair("unstable", HasSubstr("9 samples"))));
  problem.sampling.precision = 0;
  EXPECT_THAT(condition_names(measurement_of(evaluate(problem))),
              ::testing::Not(::testing::Contains("unstable")));
}

TEST_F(HostBackendTest, ShapeIsNamedFromTwentySamplesOn) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  problem.sampling.samples = 20;
  EXPECT_THAT(condition_names(measurement_of(evaluate(problem))),
              ::testing::IsSupersetOf({"shape", "outliers"}));
  problem.sampling.samples = 19;
  EXPECT_THAT(condition_names(measurement_of(evaluate(problem))),
              ::testing::Not(::testing::Contains("shape")));
}

TEST_F(HostBackendTest, SlowKernelIsGivenUpAfterThreeSamples) {
  give_up_above_ = 1e-9;
  const auto measurement = measurement_of(evaluate(doubling_problem(folder_, doubling(kGoodLoop))));
  EXPECT_TRUE(measurement.censored);
  EXPECT_EQ(measurement.find("time")->values.size(), 3u);
}

TEST_F(HostBackendTest, LimitOfGivingUpIsInTheObjectivesUnit) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  problem.objectives.front().unit = "ns";
  give_up_above_ = 1e12;  // a thousand seconds
  EXPECT_FALSE(measurement_of(evaluate(problem)).censored);
  give_up_above_ = 1;
  EXPECT_TRUE(measurement_of(evaluate(problem)).censored);
}

TEST_F(HostBackendTest, WrongAnswerIsFoundAfterGivingUp) {
  give_up_above_ = 1e-9;
  const auto result =
      outcome("static bool done = false; if (done) return; done = true;" + std::string(kGoodLoop));
  EXPECT_TRUE(std::holds_alternative<WrongResult>(result)) << complaint(result);
}

TEST_F(HostBackendTest, SizeThatMakesNoSenseIsSaidWithTheArgument) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  host_of(problem).arguments[0].size = search::Expression::parse("N // 0");
  EXPECT_THAT([&] { evaluate(problem); },
              ::testing::ThrowsMessage<std::runtime_error>(HasSubstr("the size of argument 'x'")));
}

TEST_F(HostBackendTest, MissingArtifactIsAFailureToLaunch) {
  HostTrialBackend backend(setting_for(doubling_problem(folder_, doubling(kGoodLoop)), folder_));
  ipc::EvaluateRequest request;
  request.artifact = folder_.path() + "/gone.so";
  request.reference = request.artifact;
  EXPECT_THAT([&] { backend.evaluate(request, progress_); },
              ::testing::ThrowsMessage<std::runtime_error>(HasSubstr("gone.so")));
}

TEST_F(HostBackendTest, WithoutAnythingToCompareWithNothingIsMeasured) {
  HostTrialBackend backend(setting_for(doubling_problem(folder_, doubling(kGoodLoop)), folder_));
  ipc::EvaluateRequest request;
  request.artifact = artifact(backend, ipc::BuildTarget::kCandidate);
  EXPECT_THAT(complaint(backend.evaluate(request, progress_).outcome), HasSubstr("no reference"));
}

TEST_F(HostBackendTest, WhatIsNoFigureOfAKernelIsRefused) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  problem.objectives = {{"throughput", "GFLOP/s", search::Direction::kMaximise}};
  EXPECT_THAT(refusal(problem), HasSubstr("no figure of a host kernel"));
  problem.objectives = {{"time", "ms", search::Direction::kMaximise}};
  EXPECT_THAT(refusal(problem), HasSubstr("minimised"));
  problem.objectives = {{"time", "furlongs", search::Direction::kMinimise}};
  EXPECT_THAT(refusal(problem), HasSubstr("cannot be given in 'furlongs'"));
}

TEST_F(HostBackendTest, ProblemWithoutOutputIsRefused) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  host_of(problem).arguments[1].access = search::Argument::Access::kIn;
  EXPECT_THAT(refusal(problem), HasSubstr("no argument is an output"));
}

TEST_F(HostBackendTest, TimesScaleWithTheUnit) {
  auto problem = doubling_problem(
      folder_, "#include <time.h>\n" + doubling("timespec t{0, 2000000}; nanosleep(&t, nullptr);" +
                                                std::string(kGoodLoop)));
  problem.objectives = {{"time", "us", search::Direction::kMinimise}};
  problem.sampling.samples = 3;
  const auto report = evaluate(problem);
  ASSERT_TRUE(std::holds_alternative<Measured>(report.outcome)) << complaint(report.outcome);
  EXPECT_THAT(std::get<Measured>(report.outcome).measurement.find("time")->values,
              Each(::testing::Ge(2000)));
}

// --- Cases ---

search::Problem of_two_sizes(const TemporaryFolder& folder, const std::string& kernel) {
  search::Problem problem = doubling_problem(folder, kernel);
  host_of(problem).cases = {search::CaseSizes{{"N", 100}}, search::CaseSizes{{"N", 100000}}};
  problem.cases.names = {"N=100", "N=100000"};
  return problem;
}

TEST_F(HostBackendTest, EachCaseIsMeasuredWithItsSizes) {
  auto problem = of_two_sizes(
      folder_, doubling("static_assert(N == 100 || N == 100000);" + std::string(kGoodLoop)));
  const auto report = evaluate(problem, configuration({{"STEP", std::int64_t{4}}}));
  ASSERT_TRUE(std::holds_alternative<Measured>(report.outcome)) << complaint(report.outcome);
  const auto& measurement = std::get<Measured>(report.outcome).measurement;
  const search::Samples& time = measurement.figures.front();
  ASSERT_EQ(time.cases.size(), 2U);
  EXPECT_EQ(time.cases[0].size(), 5U);
  EXPECT_GT(time.cases[1][0], time.cases[0][0]);
  // By logarithms: its last digits differ from those of the root.
  EXPECT_NEAR(time.values[0] / std::sqrt(time.cases[0][0] * time.cases[1][0]), 1, 1e-12);
  EXPECT_EQ(measurement.condition("cases"), "2");
}

TEST_F(HostBackendTest, AnAnswerThatIsWrongInOneCaseNamesIt) {
  auto problem = of_two_sizes(
      folder_, doubling("for (long i = 0; i < n; ++i) y[i] = N == 100 || i > 9 ? 2 * x[i] : 1;"));
  const auto outcome = evaluate(problem).outcome;
  ASSERT_TRUE(std::holds_alternative<WrongResult>(outcome)) << complaint(outcome);
  EXPECT_THAT(search::describe(outcome), HasSubstr("in case N=100000, off by"));
}

TEST_F(HostBackendTest, ACaseThatDoesNotCompileIsNamed) {
  auto problem = of_two_sizes(folder_, doubling("static_assert(N == 100);"));
  EXPECT_THAT([&] { evaluate(problem); },
              ::testing::ThrowsMessage<std::runtime_error>(StartsWith("case N=100000: ")));
}

TEST_F(HostBackendTest, CasesWithoutMacrosAreCompiledOnce) {
  auto problem = of_two_sizes(folder_, doubling(kGoodLoop));
  host_of(problem).names = search::SourceNames::kNone;
  HostTrialBackend backend(setting_for(problem, folder_));
  building_ = {};
  const std::string hash = artifact(backend, ipc::BuildTarget::kCandidate);
  const auto place = artifact_path(setting_for(problem, folder_).artifact_folder, hash);
  EXPECT_EQ(base::read_whole_file((place / "0.so").string()),
            base::read_whole_file((place / "1.so").string()));
  EXPECT_TRUE(std::holds_alternative<Measured>(evaluate_on(backend, problem).outcome));
}

TEST_F(HostBackendTest, AnArtifactOfCasesThatChangedIsDamaged) {
  auto problem = of_two_sizes(folder_, doubling(kGoodLoop));
  HostTrialBackend backend(setting_for(problem, folder_));
  ASSERT_TRUE(std::holds_alternative<Measured>(evaluate_on(backend, problem).outcome));
  ipc::EvaluateRequest request;
  request.artifact = artifact(backend, ipc::BuildTarget::kCandidate);
  request.reference = artifact(backend, ipc::BuildTarget::kReference);
  request.sampling = problem.sampling;
  const auto place = artifact_path(setting_for(problem, folder_).artifact_folder, request.artifact);
  base::write_whole_file((place / "1.so").string(), "torn");
  EXPECT_THROW(backend.evaluate(request, progress_), DamagedArtifact);
}

}  // namespace
}  // namespace nightshift::evaluator
