#include "evaluator/process/script_word.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace nightshift::evaluator {
namespace {

struct Interpreter {
  std::string_view name;
  std::string_view flags;   // letters that may stand together behind one dash, without a value
  std::string_view valued;  // letters whose value is what follows, in the same word or the next
};

constexpr std::string_view kShellFlags = "abefhiklmnptuvxBCEHPT";
constexpr std::array kInterpreters = {
    Interpreter{"sh", kShellFlags, "oO"},
    Interpreter{"bash", kShellFlags, "oO"},
    Interpreter{"dash", kShellFlags, "oO"},
    Interpreter{"zsh", kShellFlags, "oO"},
    Interpreter{"python", "bBdEiIOPqsSuvx", "XW"},
    Interpreter{"perl", "wWXtTU", "IM"},
    Interpreter{"ruby", "wvW", "Ir"},
    Interpreter{"node", "", "r"},
    Interpreter{"julia", "q", "tpLO"},
    Interpreter{"Rscript", "", ""},
    Interpreter{"lua", "iEW", "l"},
    Interpreter{"php", "nqC", "d"},
};

// Whatever its folder and the version behind its name: "python3.11" is python.
const Interpreter* interpreter_of(const std::string& program) {
  std::string name = std::filesystem::path(program).filename().string();
  name.erase(name.find_last_not_of("0123456789.") + 1);
  const auto* found = std::ranges::find(kInterpreters, name, &Interpreter::name);
  return found == kInterpreters.end() ? nullptr : found;
}

// How many words an option is with its value; 0: it is not known, or says that there is no script.
std::size_t words_of_option(const Interpreter& interpreter, std::string_view option) {
  if (option.starts_with("--")) {
    constexpr std::array<std::string_view, 6> kAlone = {"--norc",    "--noprofile", "--posix",
                                                        "--vanilla", "--slave",     "--no-save"};
    const bool has_value = option.find('=') != std::string_view::npos;
    return has_value || std::ranges::find(kAlone, option) != kAlone.end() ? 1 : 0;
  }
  for (std::size_t i = 1; i < option.size(); ++i) {
    if (interpreter.valued.find(option[i]) != std::string_view::npos) {
      return i + 1 == option.size() ? 2 : 1;
    }
    if (interpreter.flags.find(option[i]) == std::string_view::npos) return 0;
  }
  return option.size() > 1 ? 1 : 0;
}

}  // namespace

std::optional<std::string> script_word(std::span<const std::string> words) {
  const Interpreter* interpreter = words.empty() ? nullptr : interpreter_of(words.front());
  if (interpreter == nullptr) return std::nullopt;
  for (std::size_t i = 1; i < words.size();) {
    const std::string& word = words[i];
    if (word.empty() || word.front() == '+') return std::nullopt;
    if (word == "--") return i + 1 < words.size() ? std::optional(words[i + 1]) : std::nullopt;
    if (word.front() != '-') return word;
    const std::size_t count = words_of_option(*interpreter, word);
    if (count == 0) return std::nullopt;
    i += count;
  }
  return std::nullopt;
}

}  // namespace nightshift::evaluator
