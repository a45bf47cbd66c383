#include "tools/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <utility>

#include "base/nearest.h"
#include "base/text.h"
#include "tools/cli/argument_parser.h"
#include "tools/cli/help_page.h"
#include "tools/command_table.h"
#include "tools/help_text.h"
#include "tools/text/page.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

using Words = std::vector<std::string>;

Answer wrong_usage(const Words& mistakes, const std::string& program) {
  std::string text;
  for (const std::string& m : mistakes) text += "nightshift: " + m + "\n";
  return {ExitCode::kUsage, text + "`" + program + " --help` says what is possible.\n"};
}

Answer help_of(const CLI::App& app, const CLI::Success& request) {
  std::ostringstream text;
  app.exit(request, text, text);
  return {ExitCode::kSuccess, text.str()};
}

Words names_of(const std::vector<Command>& commands) {
  Words names;
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

// The program, or a group of subcommands.
struct Group {
  std::string program;  // "nightshift batch"
  std::string summary, epilogue;
  const std::vector<Command>* commands;
  bool is_top = false;
};

// What begins with a dash stands where a subcommand should: help is asked for, or it is wrong.
Answer answer_of(const Group& group, const Words& words) {
  CLI::App app(group.summary, group.program);
  if (group.is_top) {
    app.set_version_flag("-V,--version", std::string("nightshift ") + version(),
                         "Print the version and exit");
  }
  app.footer(group.epilogue);
  for (const Command& command : *group.commands) {
    app.add_subcommand(command.name, command.summary);
  }
  ArgumentParser parser(app);
  try {
    Words mistakes = parser.parse(words);
    if (mistakes.empty()) mistakes = {"a command is missing"};
    return wrong_usage(mistakes, group.program);
  } catch (const CLI::Success& request) {
    return help_of(app, request);
  }
}

std::variant<Invocation, Answer> invocation_of(const Command& command, const std::string& program,
                                               Words words) {
  CLI::App app(command.summary, program);
  app.footer(command.epilogue);
  ArgumentParser parser(app);
  const auto finish = command.declare(parser);
  try {
    const Words mistakes = parser.parse(std::move(words));
    if (!mistakes.empty()) return wrong_usage(mistakes, program);
    return finish();
  } catch (const CLI::Success& request) {
    return help_of(app, request);
  }
}

std::string unknown_command(const Group& group, const std::string& word) {
  const Words known = names_of(*group.commands);
  const std::string meant = base::did_you_mean(word, known);
  return "unknown command '" + word + "'" +
         (meant.empty() ? "; known: " + base::list_of(known, "and") : meant);
}

std::variant<Invocation, Answer> parse_in(const Group& group, const Words& words) {
  if (words.empty()) return wrong_usage({"a command is missing"}, group.program);
  if (words.front().starts_with("-")) return answer_of(group, words);
  const auto& commands = *group.commands;
  const auto command = std::ranges::find(commands, words.front(), &Command::name);
  if (command == commands.end()) {
    return wrong_usage({unknown_command(group, words.front())}, group.program);
  }
  const std::string program = group.program + " " + command->name;
  const Words rest(words.begin() + 1, words.end());
  if (command->declare) return invocation_of(*command, program, rest);
  return parse_in({program, command->summary, command->epilogue, &command->subcommands}, rest);
}

}  // namespace

std::variant<Invocation, Answer> parse_command_line(const std::vector<Command>& commands,
                                                    const Words& arguments) {
  return parse_in({"nightshift", kIntroduction, kEpilogue, &commands, true}, arguments);
}

std::variant<Invocation, Answer> parse_command_line(const Words& arguments) {
  return parse_command_line(command_table(), arguments);
}

CommandShape program_shape() { return shape_of_program(command_table(), kIntroduction, kEpilogue); }

ExitCode print(const Answer& answer) {
  if (answer.code != ExitCode::kSuccess) {
    std::fputs(answer.text.c_str(), stderr);
  } else {
    std::fputs(help_page(answer.text, page_width(STDOUT_FILENO).lines).c_str(), stdout);
  }
  return answer.code;
}

}  // namespace nightshift::tools
