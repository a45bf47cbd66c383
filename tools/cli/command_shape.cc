#include "tools/cli/command_shape.h"

#include <CLI/CLI.hpp>

#include "tools/cli/argument_parser.h"

namespace nightshift::tools {
namespace {

std::vector<OptionShape> options_of(const CLI::App& app) {
  std::vector<OptionShape> shapes;
  for (const CLI::Option* option : app.get_options()) {
    OptionShape shape;
    shape.positional = option->get_positional();
    shape.name = option->get_name(shape.positional, !shape.positional);
    shape.value = shape.positional ? "" : option->get_type_name();
    for (const char c : option->get_description()) shape.help += c == '\n' ? ' ' : c;
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace

CommandShape shape_of(const Command& command, const std::string& program) {
  CommandShape shape{program + " " + command.name, command.summary, command.epilogue, {}, {}};
  CLI::App app(command.summary, shape.program);
  ArgumentParser parser(app);
  if (command.declare) (void)command.declare(parser);
  shape.options = options_of(app);
  for (const Command& inner : command.subcommands) {
    shape.subcommands.push_back(shape_of(inner, shape.program));
  }
  return shape;
}

CommandShape shape_of_program(const std::vector<Command>& commands, const std::string& summary,
                              const std::string& epilogue) {
  CommandShape shape{"nightshift", summary, epilogue, {}, {}};
  shape.options = {{"-h,--help", "", "Print this help message and exit", false},
                   {"-V,--version", "", "Print the version and exit", false}};
  for (const Command& command : commands) {
    shape.subcommands.push_back(shape_of(command, shape.program));
  }
  return shape;
}

}  // namespace nightshift::tools
