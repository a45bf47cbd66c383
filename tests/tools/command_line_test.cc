#include "tools/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <any>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "problems/budget_text.h"
#include "tools/cli/shared_options.h"
#include "tools/command_table.h"
#include "tools/commands/report.h"
#include "tools/compare/compare.h"
#include "tools/explain/explain.h"
#include "tools/export/export.h"
#include "tools/noise/noise.h"
#include "tools/study/resume.h"
#include "tools/study/tune.h"
#include "tools/verify/verify.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

using Words = std::vector<std::string>;

template <class Options>
Options parsed(const Words& words) {
  const auto result = parse_command_line(words);
  const Invocation* invocation = std::get_if<Invocation>(&result);
  if (invocation == nullptr) {
    ADD_FAILURE() << std::get<Answer>(result).text;
    return {};
  }
  return std::any_cast<Options>(invocation->options);
}

Answer answered(const Words& words) {
  const auto result = parse_command_line(words);
  const Answer* answer = std::get_if<Answer>(&result);
  if (answer == nullptr) {
    ADD_FAILURE() << "was taken as a command";
    return {};
  }
  return *answer;
}

TEST(CommandLine, TuneTakesEveryOption) {
  const auto tune = parsed<TuneOptions>({"tune",
                                         "p.toml",
                                         "--study",
                                         "s",
                                         "--budget",
                                         "400t",
                                         "--devices",
                                         "cpu:1,cpu:2",
                                         "--searcher",
                                         "random",
                                         "--seed",
                                         "7",
                                         "--outstanding",
                                         "3",
                                         "--set",
                                         "measure.samples=5",
                                         "--set",
                                         "parameters.MB=[16,32]",
                                         "--continue",
                                         "--grace",
                                         "5s",
                                         "--wind-up",
                                         "2m",
                                         "--json"});
  EXPECT_EQ(tune.problem, "p.toml");
  EXPECT_EQ(tune.study, "s");
  EXPECT_EQ(tune.devices, "cpu:1,cpu:2");
  EXPECT_TRUE(tune.run.json);
  EXPECT_TRUE(tune.go_on);
  EXPECT_EQ(tune.run.stop_times.grace, 5);
  EXPECT_EQ(tune.run.stop_times.wind_up, 120);
  EXPECT_THAT(tune.overrides,
              ElementsAre(Pair("measure.samples", "5"), Pair("parameters.MB", "[16,32]"),
                          Pair("budget.trials", "400"), Pair("budget.time", "0"),
                          Pair("search.searcher", "\"random\""), Pair("search.seed", "7"),
                          Pair("schedule.outstanding", "3")));
}

TEST(CommandLine, SetTakesOneValueEach) {
  const auto tune = parsed<TuneOptions>({"tune", "--set", "a.b=1", "p.toml"});
  EXPECT_EQ(tune.problem, "p.toml");
  EXPECT_THAT(tune.overrides, ElementsAre(Pair("a.b", "1")));
}

TEST(CommandLine, SetKeepsWhatFollowsTheFirstEqualsSign) {
  EXPECT_THAT(parsed<TuneOptions>({"tune", "p", "--set", "k=a=b"}).overrides,
              ElementsAre(Pair("k", "a=b")));
}

TEST(CommandLine, DevicesThatAreNotNamedAreLeftToTheStudy) {
  EXPECT_EQ(parsed<TuneOptions>({"tune", "p.toml"}).devices, std::nullopt);
  EXPECT_EQ(parsed<ResumeOptions>({"resume", "dir"}).devices, std::nullopt);
}

TEST(CommandLine, ThirtySecondsOfGraceAndAMinuteToWindUp) {
  const auto tune = parsed<TuneOptions>({"tune", "p.toml"});
  EXPECT_EQ(tune.run.stop_times.grace, 30);
  EXPECT_EQ(tune.run.stop_times.wind_up, 60);
  EXPECT_THAT(answered({"tune", "p.toml", "--grace", "soon"}).text,
              HasSubstr("--grace soon: expected a time such as 30s or 2m"));
}

TEST(CommandLine, ContinueNeedsAFolder) {
  EXPECT_THAT(answered({"tune", "p.toml", "--continue"}).text, HasSubstr("--study DIR"));
}

TEST(CommandLine, ResumeTakesABudgetAndDevices) {
  const auto resume = parsed<ResumeOptions>(
      {"resume", "dir", "--budget", "90s", "--devices", "cpu:3", "--grace", "1m", "--json"});
  EXPECT_EQ(resume.devices, "cpu:3");
  EXPECT_EQ(resume.run.stop_times.grace, 60);
  EXPECT_EQ(resume.study, "dir");
  EXPECT_TRUE(resume.run.json);
  EXPECT_THAT(resume.overrides, ElementsAre(Pair("budget.time", "90"), Pair("budget.trials", "0")));
}

TEST(CommandLine, ExplainTakesATrial) {
  const auto explain = parsed<ExplainOptions>({"explain", "dir", "17"});
  EXPECT_EQ(explain.study, "dir");
  EXPECT_EQ(explain.trial, "17");
  EXPECT_EQ(parsed<ExplainOptions>({"explain", "dir", "best"}).trial, "best");
}

TEST(CommandLine, ExportTakesAFormat) {
  EXPECT_EQ(parsed<ExportOptions>({"export", "d", "--format", "t4"}).format->name, "t4");
  EXPECT_EQ(parsed<ExportOptions>({"export", "d", "--format", "csv"}).format->name, "csv");
  EXPECT_EQ(parsed<ExportOptions>({"export", "d", "--format", "json"}).format->name, "json");
  const auto header =
      parsed<ExportOptions>({"export", "d", "--format", "header", "--output", "x.h"});
  EXPECT_EQ(header.format->name, "header");
  EXPECT_EQ(header.output, "x.h");
}

TEST(CommandLine, ABundleIsAFolderThatIsNamed) {
  const Answer answer = answered({"export", "d", "--format", "bundle"});
  EXPECT_EQ(answer.code, ExitCode::kUsage);
  EXPECT_THAT(answer.text, HasSubstr("expected the folder to write as --output"));
  const auto bundle = parsed<ExportOptions>({"export", "d", "--format", "bundle", "--output", "b"});
  EXPECT_EQ(bundle.format->name, "bundle");
}

TEST(CommandLine, VerifyTakesABundle) {
  const auto usual = parsed<VerifyOptions>({"verify", "b"});
  EXPECT_EQ(usual.bundle, "b");
  EXPECT_EQ(usual.terms.devices, "all");
  EXPECT_FALSE(usual.terms.kept || usual.dry_run || usual.json);
  EXPECT_FALSE(usual.terms.pairs || usual.terms.min_difference || usual.terms.budget);
  const auto verify = parsed<VerifyOptions>({"verify", "b", "--kept", "--pairs", "16",
                                             "--min-difference", "2%", "--budget", "1m", "--seed",
                                             "7", "--json", "--set", "measure.trust=none"});
  EXPECT_TRUE(verify.terms.kept && verify.json);
  EXPECT_EQ(verify.terms.pairs, 16);
  EXPECT_DOUBLE_EQ(*verify.terms.min_difference, 0.02);
  EXPECT_DOUBLE_EQ(*verify.terms.budget, 60);
  EXPECT_THAT(verify.terms.overrides, Contains(Pair("measure.trust", "none")));
  EXPECT_EQ(answered({"verify"}).code, ExitCode::kUsage);
  EXPECT_EQ(answered({"verify", "b", "--pairs", "7"}).code, ExitCode::kUsage);
}

TEST(CommandLine, AnUnknownFormatIsRefused) {
  const Answer answer = answered({"export", "d", "--format", "xml"});
  EXPECT_EQ(answer.code, ExitCode::kUsage);
  EXPECT_THAT(
      answer.text,
      HasSubstr("expected json, header, csv, t4, kernel-tuner, ktt, ktt-xml, cubin or bundle"));
}

TEST(CommandLine, EveryMistakeIsNamed) {
  const Answer answer = answered({"tune", "p.toml", "--budget", "soon", "--seed", "x",
                                  "--outstanding", "-1.5", "--set", "nonsense", "--set", "=1"});
  EXPECT_EQ(answer.code, ExitCode::kUsage);
  EXPECT_THAT(answer.text,
              AllOf(HasSubstr("--budget soon"), HasSubstr("--seed x"), HasSubstr("--outstanding"),
                    HasSubstr("--set nonsense"), HasSubstr("--set =1")));
}

TEST(CommandLine, ASlipInTheCommandIsCorrected) {
  const Answer answer = answered({"tunr", "p.toml"});
  EXPECT_EQ(answer.code, ExitCode::kUsage);
  EXPECT_THAT(answer.text, HasSubstr("did you mean 'tune'"));
}

TEST(CommandLine, NothingAtAllIsAMistake) {
  const Answer answer = answered({});
  EXPECT_EQ(answer.code, ExitCode::kUsage);
  EXPECT_THAT(answer.text, HasSubstr("a command is missing"));
}

TEST(CommandLine, AnUnknownOptionIsAMistake) {
  EXPECT_EQ(answered({"tune", "p.toml", "--colour"}).code, ExitCode::kUsage);
}

TEST(CommandLine, TrialZeroDoesNotExist) {
  EXPECT_EQ(answered({"explain", "d", "0"}).code, ExitCode::kUsage);
  EXPECT_EQ(answered({"explain", "d", "seven"}).code, ExitCode::kUsage);
  const Answer path = answered({"explain", "d", "0/foo"});
  EXPECT_THAT(path.text, HasSubstr("TRIAL 0/foo: expected the number of a trial"));
  EXPECT_THAT(path.text, Not(HasSubstr("is required"))) << "it was given";
  EXPECT_THAT(answered({"explain", "d"}).text, HasSubstr("TRIAL is required, or --parameters"));
}

TEST(CommandLine, HelpNamesCommandsExamplesAndExitCodes) {
  const Answer answer = answered({"--help"});
  EXPECT_EQ(answer.code, ExitCode::kSuccess);
  EXPECT_THAT(answer.text, AllOf(HasSubstr("tune"), HasSubstr("resume"), HasSubstr("explain"),
                                 HasSubstr("Examples:"), HasSubstr("Exit codes:")));
}

TEST(CommandLine, EveryCommandHasHelpWithItsOwnExamples) {
  for (const Command& listed : command_table()) {
    const std::string& command = listed.name;
    const Answer answer = answered({command, "--help"});
    EXPECT_EQ(answer.code, ExitCode::kSuccess) << command;
    EXPECT_THAT(answer.text, HasSubstr("Usage")) << command;
    const std::size_t examples = answer.text.find("Examples:\n");
    ASSERT_NE(examples, std::string::npos) << command;
    int own = 0;
    std::istringstream lines(answer.text.substr(examples));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  nightshift ")) continue;
      EXPECT_TRUE(line.starts_with("  nightshift " + command)) << line;
      ++own;
    }
    EXPECT_GE(own, 2) << command;
    EXPECT_LE(own, 4) << command;
  }
}

TEST(CommandLine, ReportTakesAPage) {
  EXPECT_FALSE(parsed<ReportOptions>({"report", "d"}).page);
  EXPECT_EQ(parsed<ReportOptions>({"report", "d", "--html", "x.html"}).page, "x.html");
  EXPECT_TRUE(parsed<ReportOptions>({"report", "d", "--markdown"}).markdown);
  EXPECT_THAT(answered({"report", "d", "--markdown", "--html", "x.html"}).text,
              HasSubstr("give one of them"));
}

TEST(CommandLine, VersionIsPrinted) {
  const Answer answer = answered({"--version"});
  EXPECT_EQ(answer.code, ExitCode::kSuccess);
  EXPECT_THAT(answer.text, ::testing::MatchesRegex("nightshift [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(BudgetOverrides, TimesAreSeconds) {
  const auto time_of = [](const char* text) { return problems::read_budget(text)->front().second; };
  EXPECT_EQ(time_of("90"), "90");
  EXPECT_EQ(time_of("90s"), "90");
  EXPECT_EQ(time_of("10m"), "600");
  EXPECT_EQ(time_of("1.5h"), "5400");
  EXPECT_EQ(time_of("1h30m15s"), "5415");
}

TEST(BudgetOverrides, OneLimitReplacesTheOther) {
  EXPECT_THAT(*problems::read_budget("400t"), Contains(Pair("budget.time", "0")));
  EXPECT_THAT(*problems::read_budget("10m"), Contains(Pair("budget.trials", "0")));
}

TEST(BudgetOverrides, AnythingElseIsRefused) {
  for (const char* text : {"", "t", "0t", "-4t", "1.5t", "10x", "m", "-3s", "0s", "inf", "nan",
                           "10m ", "1e400", "99999999999999999999t"}) {
    EXPECT_EQ(problems::read_budget(text), std::nullopt) << "'" << text << "'";
    EXPECT_THAT(answered({"tune", "p.toml", "--budget", text}).text,
                HasSubstr(problems::kBudgetForm));
  }
}

TEST(CommandLine, CompareTakesAProblemWithConfigurations) {
  const auto compare =
      parsed<CompareOptions>({"compare", "p.toml", "baseline", "X=1,Y=2", "--devices", "cpu:1",
                              "--confidence", "publish", "--pairs", "64", "--min-difference",
                              "2.5%", "--seed", "9", "--set", "measure.samples=3", "--json"});
  EXPECT_THAT(compare.what, ElementsAre("p.toml", "baseline", "X=1,Y=2"));
  EXPECT_FALSE(compare.commands);
  EXPECT_EQ(compare.devices, "cpu:1");
  EXPECT_EQ(compare.seed, 9U);
  EXPECT_TRUE(compare.json);
  EXPECT_THAT(
      compare.overrides,
      ElementsAre(Pair("measure.samples", "3"), Pair("acceptance.confidence", "\"publish\""),
                  Pair("acceptance.max_pairs", "64"), Pair("acceptance.min_improvement", "0.025")));
}

TEST(CommandLine, CompareTakesSeveralAndWritesPages) {
  const auto compare = parsed<CompareOptions>(
      {"compare", "p.toml", "baseline", "X=1", "X=2", "--html", "a.html", "--markdown", "a.md"});
  EXPECT_THAT(compare.what, ElementsAre("p.toml", "baseline", "X=1", "X=2"));
  EXPECT_EQ(compare.page, "a.html");
  EXPECT_EQ(compare.markdown, "a.md");
}

TEST(CommandLine, CompareTakesTwoCommandsAsTheyStand) {
  const auto compare =
      parsed<CompareOptions>({"compare", "--regex", "t=(.*)", "--metric-unit", "GB/s",
                              "--higher-is-better", "--", "a", "--json", "{x}", "--", "b"});
  ASSERT_TRUE(compare.commands);
  EXPECT_THAT(compare.commands->first, ElementsAre("a", "--json", "{x}"));
  EXPECT_THAT(compare.commands->second, ElementsAre("b"));
  EXPECT_EQ(compare.commands->regex, "t=(.*)");
  EXPECT_EQ(compare.commands->unit, "GB/s");
  EXPECT_TRUE(compare.commands->higher_is_better);
  EXPECT_FALSE(compare.json);
}

TEST(CommandLine, CompareOfARateNeedsADirection) {
  for (const auto& [option, word] : {std::pair{"--figure", "qps"},
                                     {"--figure", "read.bw"},
                                     {"--figure", "items_per_second"},
                                     {"--metric-unit", "GB/s"},
                                     {"--metric-unit", "MIPS"}}) {
    EXPECT_THAT(answered({"compare", option, word, "--", "a", "--", "b"}).text,
                AllOf(HasSubstr(std::string("'") + word + "' is a rate"),
                      HasSubstr("say --higher-is-better, or --lower-is-better")));
    EXPECT_TRUE(
        parsed<CompareOptions>({"compare", option, word, "--lower-is-better", "--", "a", "--", "b"})
            .commands->lower_is_better);
    EXPECT_TRUE(parsed<CompareOptions>(
                    {"compare", option, word, "--higher-is-better", "--", "a", "--", "b"})
                    .commands->higher_is_better);
  }
  for (const char* word : {"time_us", "error_rate", "result"}) {
    EXPECT_TRUE(
        parsed<CompareOptions>({"compare", "--figure", word, "--", "a", "--", "b"}).commands);
  }
  EXPECT_THAT(answered({"compare", "--figure", "x", "--higher-is-better", "--lower-is-better", "--",
                        "a", "--", "b"})
                  .text,
              HasSubstr("expected one of them"));
  EXPECT_THAT(answered({"compare", "p.toml", "A", "--lower-is-better"}).text,
              HasSubstr("are for two commands"));
}

TEST(CommandLine, CompareNamesEveryMistake) {
  EXPECT_THAT(answered({"compare"}).text, HasSubstr("expected PROBLEM A B"));
  EXPECT_THAT(answered({"compare", "--", "a"}).text, HasSubstr("exactly two commands"));
  EXPECT_THAT(answered({"compare", "--", "a", "--", "b", "--", "c"}).text,
              HasSubstr("exactly two commands"));
  EXPECT_THAT(answered({"compare", "--", "a", "--"}).text, HasSubstr("exactly two commands"));
  EXPECT_THAT(answered({"compare", "p.toml", "--", "a", "--", "b"}).text,
              HasSubstr("'p.toml' and two commands"));
  EXPECT_THAT(answered({"compare", "p.toml", "A", "--figure", "x"}).text,
              HasSubstr("are for two commands"));
  EXPECT_THAT(
      answered({"compare", "p", "A", "--pairs", "4", "--confidence", "high", "--min-difference",
                "0.5", "--seed", "x"})
          .text,
      AllOf(HasSubstr("--pairs 4"), HasSubstr("--confidence high"),
            HasSubstr("--min-difference 0.5: expected a percentage"), HasSubstr("--seed x")));
  EXPECT_THAT(answered({"compare", "p", "A", "--min-difference", "%"}).text,
              HasSubstr("--min-difference %"));
  EXPECT_EQ(answered({"compare", "--", "a"}).code, ExitCode::kUsage);
}

TEST(CommandLine, NoiseTakesAProblem) {
  const auto noise = parsed<NoiseOptions>({"noise", "p.toml", "--devices", "cpu:1", "--visits",
                                           "32", "--html", "n.html", "--set", "a=1", "--json"});
  EXPECT_EQ(noise.problem, "p.toml");
  EXPECT_EQ(noise.evaluations, 32);
  EXPECT_EQ(noise.page, "n.html");
  EXPECT_TRUE(noise.json);
  EXPECT_THAT(noise.overrides, ElementsAre(Pair("a", "1")));
  EXPECT_EQ(parsed<NoiseOptions>({"noise", "p.toml"}).evaluations, 64);
  EXPECT_THAT(answered({"noise", "p.toml", "--visits", "3"}).text, HasSubstr("--visits 3"));
  EXPECT_THAT(answered({"noise"}).text, HasSubstr("PROBLEM"));
}

}  // namespace
}  // namespace nightshift::tools
