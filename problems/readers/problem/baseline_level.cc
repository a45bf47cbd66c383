#include "problems/readers/problem/baseline_level.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "problems/readers/diagnostics.h"
#include "search/option_text.h"

namespace nightshift::problems {
namespace {

using search::CommandBackend;
using search::FlagParameter;
using search::HostBackend;
using Words = std::vector<std::string>;

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Also within a word, as in "CFLAGS=-O2 -g" or in the text of a shell.
bool names_level(std::string_view word) {
  for (std::size_t at = word.find("-O"); at != std::string_view::npos;
       at = word.find("-O", at + 1)) {
    const bool begins = at == 0 || (!is_alphanumeric(word[at - 1]) && word[at - 1] != '-');
    if (begins) return true;
  }
  return false;
}

struct Level {
  std::string parameter, value;
};

// A parameter that chooses a level, with the usual one.
std::optional<Level> level_of(const search::Problem& problem,
                              const std::vector<FlagParameter>& flags) {
  for (const FlagParameter& flag : flags) {
    for (const search::Parameter& parameter : problem.parameters) {
      if (parameter.name != flag.parameter) continue;
      std::optional<Level> found;
      for (const search::Value& value : parameter.values) {
        const std::string text = search::option_text(flag, value);
        if (!names_level(text)) continue;
        if (!found || text == "-O2") found = Level{parameter.name, search::to_json(value)};
      }
      if (found) return found;
    }
  }
  return std::nullopt;
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// What the baseline's compiler is given, as far as the problem says it; nullopt where it is not
// built by us.
std::optional<Words> baseline_words(const search::Problem& problem) {
  const search::Configuration baseline = search::resolved(problem, {});
  if (const auto* host = std::get_if<HostBackend>(&problem.backend)) {
    const bool own = !host->baseline.file.empty();
    Words words = own ? host->baseline.flags : host->kernel.flags;
    if (!own) append(words, search::option_words(host->flag_parameters, baseline));
    return words;
  }
  const auto* command = std::get_if<CommandBackend>(&problem.backend);
  if (command == nullptr || command->build.empty()) return std::nullopt;
  if (command->baseline_build.empty() && !command->baseline_argv.empty()) return std::nullopt;
  Words words = command->baseline_build.empty() ? command->build : command->baseline_build;
  const bool has_options = std::ranges::find(words, search::kFlagsWord) != words.end();
  if (has_options) append(words, search::option_words(command->flag_parameters, baseline));
  for (const auto& [name, value] : command->build_environment) words.push_back(value);
  for (std::string& word : words) {
    for (const auto& [name, value] : baseline.entries()) {
      if (word.find("{" + name + "}") != std::string::npos) word += " " + search::to_text(value);
    }
  }
  return words;
}

}  // namespace

std::string baseline_level_note(const search::Problem& problem) {
  const auto* host = std::get_if<HostBackend>(&problem.backend);
  const auto* command = std::get_if<CommandBackend>(&problem.backend);
  if (host == nullptr && command == nullptr) return "";
  const auto level =
      level_of(problem, host != nullptr ? host->flag_parameters : command->flag_parameters);
  const auto words = baseline_words(problem);
  if (!level || !words || std::ranges::any_of(*words, names_level)) return "";
  const std::string baseline = level->parameter + " = " + level->value;
  const bool is_configuration = search::baseline_configuration(problem).has_value();
  return "nothing gives the baseline an optimisation level: compilers then build for debugging "
         "(-O0), and every improvement is over that; " +
         (is_configuration ? "[baseline] " + baseline + " compares with what one would ship"
                           : std::string("flags of its own, such as -O2, compare with what one "
                                         "would ship"));
}

}  // namespace nightshift::problems
