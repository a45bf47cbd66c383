#include "tools/command_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <any>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "tests/fakes/paths.h"
#include "tools/cli/argument_parser.h"
#include "tools/cli/shared_options.h"
#include "tools/command_line.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

using Words = std::vector<std::string>;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Words names_of(const std::vector<Command>& commands) {
  Words names;
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

std::string answer_to(const std::vector<Command>& commands, const Words& words) {
  const auto parsed = parse_command_line(commands, words);
  const Answer* answer = std::get_if<Answer>(&parsed);
  return answer == nullptr ? "was taken as a command" : answer->text;
}

// The lines behind "Subcommands:", their first words.
Words listed_in(const std::string& help) {
  Words names;
  std::istringstream lines(help.substr(help.find("Subcommands:\n")));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line) && line.starts_with("  ");) {
    if (line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

TEST(CommandTable, IsWhatHelpLists) {
  EXPECT_EQ(listed_in(answer_to(command_table(), {"--help"})), names_of(command_table()));
}

// A subcommand is one file and one row: a file that nobody wrote into the table is found here, and
// so is a name that stands anywhere else.
TEST(CommandTable, HasEverySubcommandThatHasAFile) {
  std::set<std::string> in_files;
  const std::regex definition(R"(\nCommand (\w+)_command\(\) \{)");
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(testing_paths::source("tools"))) {
    if (entry.path().extension() != ".cc") continue;
    const std::string text = read_file(entry.path());
    std::smatch found;
    if (!std::regex_search(text, found, definition)) continue;
    EXPECT_EQ(entry.path().stem().string(), found[1].str());
    std::string name = found[1];
    std::ranges::replace(name, '_', '-');
    in_files.insert(name);
  }
  const Words names = names_of(command_table());
  EXPECT_EQ(in_files, std::set<std::string>(names.begin(), names.end()));
}

TEST(CommandTable, IsAskedForByTheScriptThatNeedsIt) {
  const std::string script = read_file(testing_paths::source("tools/tune"));
  EXPECT_THAT(script, HasSubstr("\"$nightshift\" commands"));
  for (const std::string& name : names_of(command_table())) {
    EXPECT_FALSE(std::regex_search(script, std::regex("\\| " + name + " \\|"))) << name;
  }
}

TEST(CommandTable, EveryCommandSaysWhatItIsInOneLine) {
  for (const Command& command : command_table()) {
    EXPECT_FALSE(command.summary.empty()) << command.name;
    EXPECT_EQ(command.summary.find('\n'), std::string::npos) << command.name;
    EXPECT_TRUE(command.declare || !command.subcommands.empty()) << command.name;
  }
}

// What a group of subcommands looks like.
struct RunOptions {
  Words files;
  std::string devices = "all";
  Overrides overrides;
  int jobs = 1;
  Words command;
};

void declare_run(ArgumentParser& parser, RunOptions& o) {
  parser.positionals("FILE", o.files, "Problem files");
  add_devices(parser, o.devices);
  add_budget(parser, o.overrides);
  add_set(parser, o.overrides);
  parser.required_option("--jobs N", o.jobs, whole_number<int>(1, 9), "At once");
  parser.command(o.command);
  parser.check([&] {
    if (o.files.empty()) parser.error("batch run: expected a file");
  });
}

ExitCode ignore(const RunOptions&) { return ExitCode::kSuccess; }

std::vector<Command> with_a_group() {
  Command group{"batch", "Several studies", "Examples: none"};
  group.subcommands = {make_command<RunOptions>("run", "Run them", "", declare_run, ignore),
                       make_command<RunOptions>("list", "List them", "", declare_run, ignore)};
  return {group, make_command<RunOptions>("run", "Run", "", declare_run, ignore)};
}

RunOptions parsed(const Words& words) {
  const auto result = parse_command_line(with_a_group(), words);
  if (const auto* answer = std::get_if<Answer>(&result)) {
    ADD_FAILURE() << answer->text;
    return {};
  }
  return std::any_cast<RunOptions>(std::get<Invocation>(result).options);
}

TEST(CommandGroup, TakesTheWordsOfItsSubcommand) {
  const RunOptions options = parsed({"batch", "run", "a", "--budget", "500ms", "b", "--jobs", "3",
                                     "list", "--set", "x=1", "--", "sh", "-c", "--", "true"});
  EXPECT_THAT(options.files, ElementsAre("a", "b", "list"));
  EXPECT_EQ(options.jobs, 3);
  EXPECT_THAT(options.command, ElementsAre("sh", "-c", "--", "true"));
  EXPECT_THAT(options.overrides,
              ElementsAre(Pair("x", "1"), Pair("budget.time", "0.5"), Pair("budget.trials", "0")));
}

TEST(CommandGroup, HasHelpAtEveryLevel) {
  EXPECT_THAT(listed_in(answer_to(with_a_group(), {"batch", "--help"})),
              ElementsAre("run", "list"));
  EXPECT_THAT(answer_to(with_a_group(), {"batch", "run", "--help"}),
              AllOf(HasSubstr("Usage: nightshift batch run"), HasSubstr("--jobs N REQUIRED")));
}

TEST(CommandGroup, CorrectsASlip) {
  EXPECT_THAT(answer_to(with_a_group(), {"batch", "rum"}), HasSubstr("did you mean 'run'?"));
  EXPECT_THAT(answer_to(with_a_group(), {"batch"}),
              AllOf(HasSubstr("a command is missing"), HasSubstr("`nightshift batch --help`")));
  EXPECT_THAT(answer_to(with_a_group(), {"batch", "quit"}), HasSubstr("known: run and list"));
}

TEST(CommandLineMistakes, AreAllNamedInOneGo) {
  EXPECT_THAT(
      answer_to(with_a_group(), {"run", "--devcies", "--budget", "soon", "--set", "x"}),
      AllOf(HasSubstr("unknown option '--devcies'; did you mean '--devices'?"),
            HasSubstr("--budget soon"), HasSubstr("--set x"), HasSubstr("--jobs is required"),
            HasSubstr("expected a file"), HasSubstr("`nightshift run --help`")));
}

TEST(CommandLineMistakes, AWordTooManyIsOne) {
  EXPECT_THAT(answer_to(command_table(), {"explain", "d", "0", "more"}),
              AllOf(HasSubstr("there is no place for 'more'"), HasSubstr("TRIAL 0")));
}

TEST(CommandLineMistakes, AnOptionThatIsNotThereIsMissed) {
  EXPECT_THAT(answer_to(command_table(), {"export"}),
              AllOf(HasSubstr("STUDY is required"), HasSubstr("--format is required")));
}

}  // namespace
}  // namespace nightshift::tools
