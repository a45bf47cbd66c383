#include <functional>
#include <sstream>
#include <string>

#include "tools/cli/command_shape.h"

namespace nightshift::tools {
namespace {

using Visit = std::function<void(const CommandShape&)>;

void each(const CommandShape& command, const Visit& visit) {
  visit(command);
  for (const CommandShape& inner : command.subcommands) each(inner, visit);
}

// "-h,--help" in single words.
std::vector<std::string> words_of(const OptionShape& option) {
  std::vector<std::string> words;
  if (option.positional) return words;
  std::istringstream names(option.name);
  for (std::string name; std::getline(names, name, ',');) words.push_back(name);
  return words;
}

std::string last_word(const std::string& program) { return program.substr(program.rfind(' ') + 1); }

// 'text' for a shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// An entry of zsh's _describe: a colon ends the word.
std::string described(const std::string& word, const std::string& help) {
  std::string name;
  for (const char c : word) name += c == ':' ? std::string("\\:") : std::string(1, c);
  return " " + quoted(name + ":" + help);
}

// The subcommand that is being typed, from the words before: a loop that both shells understand.
std::string walk(const CommandShape& program, const std::string& words) {
  std::string known;
  each(program, [&](const CommandShape& command) {
    if (&command != &program) known += (known.empty() ? "" : "|") + quoted(command.program);
  });
  return "  local at=nightshift word\n  for word in " + words +
         "; do\n    case \"$at $word\" in\n      (" + known +
         ") at=\"$at $word\" ;;\n    esac\n  done\n";
}

}  // namespace

std::string bash_completion(const CommandShape& program) {
  std::string text = "# bash completion of nightshift\n_nightshift() {\n" +
                     walk(program, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"") +
                     "  local words=\n  case \"$at\" in\n";
  each(program, [&](const CommandShape& command) {
    std::string words;
    for (const CommandShape& inner : command.subcommands) words += " " + last_word(inner.program);
    for (const OptionShape& option : command.options) {
      for (const std::string& word : words_of(option)) words += " " + word;
    }
    text += "    (" + quoted(command.program) +
            ") words=" + quoted(words.substr(words.empty() ? 0 : 1)) + " ;;\n";
  });
  return text +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "}\n"
         "complete -o default -F _nightshift nightshift\n";
}

std::string zsh_completion(const CommandShape& program) {
  std::string text = "#compdef nightshift\n_nightshift() {\n" +
                     walk(program, "${words[2,CURRENT-1]}") +
                     "  local -a commands options\n  case \"$at\" in\n";
  each(program, [&](const CommandShape& command) {
    std::string commands, options;
    for (const CommandShape& inner : command.subcommands) {
      commands += described(last_word(inner.program), inner.summary);
    }
    for (const OptionShape& option : command.options) {
      for (const std::string& word : words_of(option)) options += described(word, option.help);
    }
    text += "    (" + quoted(command.program) + ")\n      commands=(" + commands +
            " )\n      options=(" + options + " ) ;;\n";
  });
  return text +
         "  esac\n"
         "  if [[ \"${words[CURRENT]}\" == -* ]]; then\n"
         "    _describe option options\n"
         "  elif (( $#commands )); then\n"
         "    _describe command commands\n"
         "  else\n"
         "    _files\n"
         "  fi\n"
         "}\n"
         "if [[ \"$funcstack[1]\" == _nightshift ]]; then\n"
         "  _nightshift \"$@\"\n"
         "else\n"
         "  compdef _nightshift nightshift\n"
         "fi\n";
}

}  // namespace nightshift::tools
