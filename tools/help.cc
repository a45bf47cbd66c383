#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "tools/cli/argument_parser.h"
#include "tools/cli/problem_help.h"
#include "tools/command_line.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Examples:
  nightshift help tune              the same as nightshift tune --help
  nightshift help problem           every table and key of a problem file
  nightshift help problem measure   ... of its table [measure])";

struct HelpOptions {
  std::vector<std::string> topic;
};

void declare(ArgumentParser& parser, HelpOptions& o) {
  parser.positionals("TOPIC", o.topic,
                     "A command, or problem and perhaps a table of a problem file");
}

ExitCode run(const HelpOptions& options) {
  const std::vector<std::string>& topic = options.topic;
  if (!topic.empty() && topic.front() == "problem") {
    if (topic.size() > 2) throw UsageError("help problem: expected one table, such as measure");
    std::fputs(problem_help(topic.size() == 2 ? topic[1] : "").c_str(), stdout);
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
