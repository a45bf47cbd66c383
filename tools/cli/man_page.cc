#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>

#include "tools/cli/command_shape.h"

namespace nightshift::tools {
namespace {

// For troff: backslashes and dashes as they are typed, and no line that begins as a request does.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool begins = result.empty() || result.back() == '\n';
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string dashed(std::string program) {
  std::ranges::replace(program, ' ', '-');
  return program;
}

// Laid out for a terminal already: examples and lists stay so.
std::string as_it_stands(const std::string& text) {
  return ".nf\n" + escaped(text) + (text.ends_with('\n') ? "" : "\n") + ".fi\n";
}

std::string synopsis_of(const CommandShape& command) {
  std::string line = bold(command.program);
  if (!command.subcommands.empty()) line += " " + italic("COMMAND");
  if (!command.options.empty()) line += " [" + italic("OPTION") + "]...";
  for (const OptionShape& option : command.options) {
    if (option.positional) line += " " + italic(option.name);
  }
  return line + "\n";
}

std::string options_of(const CommandShape& command) {
  std::string text;
  for (const OptionShape& option : command.options) {
    const std::string name = option.positional ? italic(option.name) : bold(option.name);
    text += ".TP\n" + name + (option.value.empty() ? "" : " " + italic(option.value)) + "\n" +
            escaped(option.help) + "\n";
  }
  return text;
}

// One line, as the section NAME has it: of a summary of several lines the first sentence, up to what a
// colon explains.
std::string name_line(const std::string& summary) {
  const std::size_t line = summary.find('\n');
  if (line == std::string::npos) return summary;
  const std::string first = summary.substr(0, summary.find("\n\n"));
  const std::size_t end = std::min(
      {first.find(": "), first.find(":\n"), first.find(". "), first.find(".\n"), first.size()});
  std::string name = first.substr(0, end);
  std::ranges::replace(name, '\n', ' ');
  if (name.ends_with('.')) name.pop_back();
  return name;
}

}  // namespace

std::string man_page(const CommandShape& command, const std::string& version) {
  std::string title = dashed(command.program);
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string text = ".TH " + title + " 1 \"\" \"nightshift " + escaped(version) + "\"\n";
  text += ".SH NAME\n" + escaped(dashed(command.program)) + " \\- " +
          escaped(name_line(command.summary)) + "\n";
  text += ".SH SYNOPSIS\n" + synopsis_of(command);
  if (command.options.size() > 0) text += ".SH OPTIONS\n" + options_of(command);
  for (const CommandShape& inner : command.subcommands) {
    text += ".SH " + escaped(inner.program) + "\n" + escaped(inner.summary) + "\n";
    // Those of the program have pages of their own.
    if (command.program.find(' ') != std::string::npos) text += ".PP\n" + options_of(inner);
  }
  if (!command.epilogue.empty()) text += ".SH MORE\n" + as_it_stands(command.epilogue.substr(1));
  return text;
}

}  // namespace nightshift::tools
