#include "tools/compare/command_pair.h"

#include <algorithm>

#include "search/value.h"

namespace nightshift::tools {
namespace {

// Each word is a parameter with one value: then nothing in it is taken for a placeholder. The
// value is set afterwards, since a word may hold bytes that TOML has no form for.
std::string parameters_of(const std::string& name, std::size_t count) {
  std::string lines;
  for (std::size_t i = 0; i < count; ++i) lines += name + std::to_string(i) + " = [\"\"]\n";
  return lines;
}

void set_words(search::Problem& problem, const std::string& name,
               const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto it =
        std::ranges::find(problem.parameters, name + std::to_string(i), &search::Parameter::name);
    if (it == problem.parameters.end()) continue;
    it->values = {words[i]};
    it->default_value.reset();
  }
}

std::string argv_of(const std::string& name, std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) {
    list += (i > 0 ? ", " : "") + search::json_quoted("{" + name + std::to_string(i) + "}");
  }
  return "[" + list + "]\n";
}

std::string objective_of(const TwoCommands& commands) {
  const bool wall_time = commands.figure.empty() && commands.regex.empty();
  std::string name = commands.figure;
  if (name.empty()) name = wall_time ? "time" : "figure";
  std::string text = "[[objective]]\nname = " + search::json_quoted(name) + "\nunit = " +
                     search::json_quoted(wall_time && commands.unit.empty() ? "ms" : commands.unit);
  if (commands.higher_is_better) text += "\ndirection = \"maximise\"";
  if (commands.lower_is_better) text += "\ndirection = \"minimise\"";
  text += "\n[[command.figure]]\nsource = ";
  if (wall_time) return text + "\"wall-time\"\n";
  return text +
         (commands.regex.empty() ? "\"json\"\nkey = " + search::json_quoted(commands.figure)
                                 : "\"regex\"\nkey = " + search::json_quoted(commands.regex)) +
         "\n";
}

}  // namespace

search::Problem problem_of(const TwoCommands& commands,
                           const std::vector<problems::Override>& overrides) {
  const std::string text =
      "name = \"two commands\"\n[parameters]\n" + parameters_of("first_", commands.first.size()) +
      parameters_of("second_", commands.second.size()) +
      "[command]\nruns = 1\nbaseline_argv = " + argv_of("first_", commands.first.size()) +
      "argv = " + argv_of("second_", commands.second.size()) + objective_of(commands) +
      "[limits]\nmeasure = \"1h\"\ntrial = \"1h\"\n";
  search::Problem problem = problems::parse_problem(text, "the commands", overrides);
  set_words(problem, "first_", commands.first);
  set_words(problem, "second_", commands.second);
  problem.baseline = {};
  // The hours are ours: what nobody has said follows from the other command.
  const bool chosen = std::ranges::any_of(overrides, [](const problems::Override& one) {
    return one.first == "limits" || one.first == "limits.verify" || one.first == "limits.measure" ||
           one.first == "limits.trial" || one.first == "limits.times_baseline";
  });
  if (!chosen) problem.limits.times_baseline = search::Limits{}.times_baseline;
  return problem;
}

std::string shell_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool plain =
        !word.empty() && word.find_first_of(" \t\n'\"$&|;<>()*?[]{}\\`#~!") == std::string::npos;
    std::string quoted = word;
    if (!plain) {
      quoted = "'";
      for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      quoted += "'";
    }
    text += (text.empty() ? "" : " ") + quoted;
  }
  return text;
}

}  // namespace nightshift::tools
