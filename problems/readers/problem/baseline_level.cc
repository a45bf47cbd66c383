#include "problems/readers/problem/baseline_level.h"

#include <algorithm>
#include <iterator>
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

// What hands its text on to a linker or an assembler. ptxas is at its highest level by itself.
bool hands_on(std::string_view word) {
  constexpr std::string_view kWords[] = {
      "-Xptxas", "--ptxas-options", "-Xlinker",        "-Xassembler", "-Wl,",
      "-Wa,",    "-Xnvlink",        "--nvlink-options"};
  return std::ranges::any_of(kWords, [word](auto begin) { return word.starts_with(begin); });
}

// Compilers that optimise unless they are told not to: Intel's, AMD's, NVIDIA's for hosts.
bool has_own_level(std::string_view compiler) {
  constexpr std::string_view kNames[] = {"icx",   "icpx", "ifx",   "icc",       "icpc",
                                         "ifort", "nvc",  "nvc++", "nvfortran", "hipcc"};
  compiler.remove_prefix(compiler.rfind('/') + 1);  // npos + 1 is 0
  return std::ranges::find(kNames, compiler) != std::end(kNames);
}

// Also behind '=', as in "CFLAGS=-O2".
bool is_level(std::string_view word) {
  for (std::size_t at = word.find("-O"); at != std::string_view::npos;
       at = word.find("-O", at + 1)) {
    if (at == 0 || (!is_alphanumeric(word[at - 1]) && word[at - 1] != '-')) return true;
  }
  return false;
}

// Each of `texts` may be several words, as the text of a shell is.
bool gives_level(const Words& texts) {
  bool is_handed_on = false;  // "-Xptxas" "-O1"
  for (std::string_view text : texts) {
    while (!text.empty()) {
      const std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
      text.remove_prefix(std::min(word.size() + 1, text.size()));
      const bool hands = hands_on(word);
      if (has_own_level(word) || (!is_handed_on && !hands && is_level(word))) return true;
      is_handed_on = hands && word.find_first_of("=,") == std::string_view::npos;
    }
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
        if (!gives_level({text})) continue;
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
    Words words = {host->compiler};
    append(words, own ? host->baseline.flags : host->kernel.flags);
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
  if (!level || !words || gives_level(*words)) return "";
  const std::string baseline = level->parameter + " = " + level->value;
  const bool is_configuration = search::baseline_configuration(problem).has_value();
  return "nothing gives the baseline an optimisation level: compilers then build for debugging "
         "(-O0), and every improvement is over that; " +
         (is_configuration ? "[baseline] " + baseline + " compares with what one would ship"
                           : std::string("flags of its own, such as -O2, compare with what one "
                                         "would ship"));
}

}  // namespace nightshift::problems
