#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.h"

namespace nightshift::tools {

// What a command line may have, as the tables of options say it: what completions and manual pages
// are made of.
struct OptionShape {
  std::string name;   // "--budget", "-h,--help", or "FILE" of a word by its position
  std::string value;  // "LIMIT"; empty of flags and words by position
  std::string help;
  bool positional = false;
};

struct CommandShape {
  std::string program;  // "nightshift batch run"
  std::string summary, epilogue;
  std::vector<OptionShape> options;
  std::vector<CommandShape> subcommands;
};

// Declares the options, and reads no command line.
CommandShape shape_of(const Command& command, const std::string& program);
CommandShape shape_of_program(const std::vector<Command>& commands, const std::string& summary,
                              const std::string& epilogue);

// Scripts for the shell: commands, options and, where neither fits, files.
std::string bash_completion(const CommandShape& program);
std::string zsh_completion(const CommandShape& program);

// A manual page of section 1, with its subcommands'.
std::string man_page(const CommandShape& command, const std::string& version);

}  // namespace nightshift::tools
