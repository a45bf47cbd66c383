#pragma once

#include <any>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/exit_code.h"

namespace nightshift::tools {

class ArgumentParser;

// A command line that was understood: the options of its subcommand, and what runs with them.
struct Invocation {
  std::any options;  // the subcommand's own struct
  std::function<ExitCode(const std::any&)> run;

  ExitCode operator()() const { return run(options); }
};

// One subcommand of `nightshift`, or a group of them such as `batch run` and `batch add`.
// tools/command_table.cc lists those at the top.
struct Command {
  std::string name;      // as it is typed
  std::string summary;   // its line in the list of commands
  std::string epilogue;  // stands behind the options in its help: what else to know, examples
  // Declares the options, and gives what to call once they are read. Empty for a group.
  std::function<std::function<Invocation()>(ArgumentParser&)> declare = {};
  std::vector<Command> subcommands = {};  // of a group
};

// A subcommand that keeps its options in a struct: `declare` binds the members, `run` does the work
// and throws what main.cc turns into a message.
template <class Options>
Command make_command(std::string name, std::string summary, std::string epilogue,
                     void (*declare)(ArgumentParser&, Options&), ExitCode (*run)(const Options&)) {
  const auto start = [run](const std::any& options) {
    return run(std::any_cast<const Options&>(options));
  };
  return {std::move(name), std::move(summary), std::move(epilogue),
          [declare, start](ArgumentParser& parser) -> std::function<Invocation()> {
            const auto options = std::make_shared<Options>();
            declare(parser, *options);
            return [options, start] { return Invocation{*options, start}; };
          }};
}

}  // namespace nightshift::tools
