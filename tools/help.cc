#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "tools/cli/argument_parser.h"
#include "tools/cli/command_shape.h"
#include "tools/cli/problem_help.h"
#include "tools/command_line.h"
#include "tools/usage_error.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Examples:
  nightshift help tune              the same as nightshift tune --help
  nightshift help problem           every table and key of a problem file
  nightshift help problem measure   ... of its table [measure]
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
                     "A command, or problem and perhaps a table of a problem file");
  parser.flag("--man", o.man, "Print the manual page of the program, or of the command TOPIC");
  parser.flag("--markdown", o.markdown, "Of problem: print all of it as a page in Markdown");
  parser.option("--completion SHELL", o.completion,
                one_of<Shell>({{"bash", Shell::kBash}, {"zsh", Shell::kZsh}}),
                "Print the script by which a shell, bash or zsh, completes command lines");
  parser.check([&] {
    if (o.man && o.completion != Shell::kNone) parser.error("--man and --completion: give one");
    if (o.markdown && (o.man || o.topic != std::vector<std::string>{"problem"})) {
      parser.error("--markdown is of `help problem` alone");
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
  if (!topic.empty() && topic.front() == "problem") {
    if (topic.size() > 2) throw UsageError("help problem: expected one table, such as measure");
    const std::string text =
        options.markdown ? problem_reference() : problem_help(topic.size() == 2 ? topic[1] : "");
    std::fputs(text.c_str(), stdout);
    return ExitCode::kSuccess;
  }
  std::vector<std::string> words = topic;
  words.emplace_back("--help");
  return print(std::get<Answer>(parse_command_line(words)));
}

}  // namespace

Command help_command() {
  return make_command<HelpOptions>("help", "Explain a command, or the keys of a problem file",
                                   kEpilogue, declare, run);
}

}  // namespace nightshift::tools
