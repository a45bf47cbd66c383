#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/cli/argument_parser.h"
#include "tools/cli/command_shape.h"
#include "tools/cli/help_page.h"
#include "tools/cli/problem_help.h"
#include "tools/cli/searcher_help.h"
#include "tools/command_line.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

constexpr std::string_view kProblem = "problem", kSearchers = "searchers";

constexpr const char* kEpilogue = R"(
Examples:
  nightshift help tune              the same as nightshift tune --help
  nightshift help problem measure   its table [measure]; without a name all of a problem file
  nightshift help searchers genetic the options of a searcher, without a name those of all
  nightshift help --man batch | man -l -
  source <(nightshift help --completion bash))";

enum class Shell : std::uint8_t { kNone, kBash, kZsh };

struct HelpOptions {
  std::vector<std::string> topic;
  bool man = false;
  bool markdown = false;
  Shell completion = Shell::kNone;
};

void declare(ArgumentParser& parser, HelpOptions& o) {
  parser.positionals("TOPIC", o.topic,
                     "A command, problem and perhaps a table of a problem file, or searchers and "
                     "perhaps the name of one");
  parser.flag("--man", o.man, "Print the manual page of the program, or of the command TOPIC");
  parser.flag("--markdown", o.markdown,
              "Of problem or searchers: print all of it as a page in Markdown");
  parser.option("--completion SHELL", o.completion,
                one_of<Shell>({{"bash", Shell::kBash}, {"zsh", Shell::kZsh}}),
                "Print the script by which a shell, bash or zsh, completes command lines");
  parser.check([&] {
    if (o.man && o.completion != Shell::kNone) parser.error("--man and --completion: give one");
    const bool has_page =
        o.topic.size() == 1 && (o.topic[0] == kProblem || o.topic[0] == kSearchers);
    if (o.markdown && (o.man || !has_page)) {
      parser.error("--markdown is of `help problem` and `help searchers` alone");
    }
    if (o.completion != Shell::kNone && !o.topic.empty()) {
      parser.error("--completion is of all commands at once");
    }
  });
}

// The command of the words "batch run"; throws UsageError where there is none.
const CommandShape& find(const CommandShape& shape, const std::vector<std::string>& words) {
  const CommandShape* found = &shape;
  for (const std::string& word : words) {
    const auto& inner = found->subcommands;
    const auto next = std::ranges::find(inner, found->program + " " + word, &CommandShape::program);
    if (next == inner.end()) {
      throw UsageError("help --man: there is no command '" + found->program + " " + word + "'");
    }
    found = &*next;
  }
  return *found;
}

// Of what is no command.
std::optional<std::string> page_of(const std::vector<std::string>& topic, bool markdown) {
  if (topic.empty()) return std::nullopt;
  const std::string part = topic.size() == 2 ? topic[1] : "";
  if (topic.front() == kProblem) {
    if (topic.size() > 2) throw UsageError("help problem: expected one table, such as measure");
    return markdown ? problem_reference() : problem_help(part);
  }
  if (topic.front() == kSearchers) {
    if (topic.size() > 2) throw UsageError("help searchers: expected one name, such as genetic");
    return markdown ? searcher_reference() : searcher_help(part);
  }
  return std::nullopt;
}

ExitCode run(const HelpOptions& options) {
  const std::vector<std::string>& topic = options.topic;
  if (options.man || options.completion != Shell::kNone) {
    const CommandShape program = program_shape();
    const std::string text = options.man ? man_page(find(program, topic), version())
                             : options.completion == Shell::kBash ? bash_completion(program)
                                                                  : zsh_completion(program);
    std::fputs(text.c_str(), stdout);
    return ExitCode::kSuccess;
  }
  if (const auto page = page_of(topic, options.markdown)) {
    const std::size_t columns =
        options.markdown ? std::string::npos : page_width(STDOUT_FILENO).lines;
    std::fputs(help_page(*page, columns).c_str(), stdout);
    return ExitCode::kSuccess;
  }
  std::vector<std::string> words = topic;
  words.emplace_back("--help");
  return print(std::get<Answer>(parse_command_line(words)));
}

}  // namespace

Command help_command() {
  return make_command<HelpOptions>("help",
                                   "Explain a command, the keys of a problem file, or searchers",
                                   kEpilogue, declare, run);
}

}  // namespace nightshift::tools
