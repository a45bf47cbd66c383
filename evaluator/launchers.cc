#include "evaluator/launchers.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/text.h"

namespace nightshift::evaluator {
namespace {

using Words = std::span<const std::string>;

struct Launcher {
  std::string_view name;
  std::string_view flags;       // single letters without a value
  std::string_view with_value;  // those whose value is the rest of the word, or the next one
  std::string_view long_flags;  // between blanks; of long ones with a value " --name= " is one
  std::size_t operands = 0;     // before the command: a mask, a duration
};

// Options that start nothing, such as -p of taskset, are not among them, and neither is what starts on
// another machine, as srun and ssh do: there is another PATH.
constexpr std::array kLaunchers = {
    Launcher{"env", "v0", "u", " --null --debug --unset= "},
    Launcher{"taskset", "ac", "", " --all-tasks --cpu-list ", 1},
    Launcher{"nice", "", "n", " --adjustment= "},
    Launcher{"ionice", "t", "cn", " --ignore --class= --classdata= "},
    Launcher{"timeout", "vf", "ks",
             " --preserve-status --foreground --verbose --kill-after= --signal= ", 1},
    Launcher{"chrt", "abdfiorR", "TPD", " --all-tasks --batch --fifo --idle --other --rr ", 1},
    Launcher{"numactl", "al", "imNCpPw",
             " --all --localalloc --interleave= --membind= --cpunodebind= --physcpubind= "
             "--preferred= "},
    Launcher{"stdbuf", "", "ioe", " --input= --output= --error= "},
    Launcher{"time", "apqv", "fo",
             " --append --portability --quiet --verbose --format= --output= "},
    Launcher{"setsid", "cfw", "", " --ctty --fork --wait "},
    Launcher{"nohup", "", "", " "},
    Launcher{"eatmydata", "", "", " "}};

const Launcher* find(std::string_view word) {
  const std::string name = std::filesystem::path(word).filename().string();
  const auto* found = std::ranges::find(kLaunchers, name, &Launcher::name);
  return found == kLaunchers.end() ? nullptr : found;
}

// Whether the long option is one, and how many words it takes.
std::size_t length_of_long(const Launcher& launcher, std::string_view option) {
  const std::size_t sign = option.find('=');
  const bool has = sign != std::string_view::npos;
  const auto knows = [&](std::string_view name, std::string_view end) {
    return launcher.long_flags.find(" " + std::string(name) + std::string(end) + " ") !=
           std::string_view::npos;
  };
  if (knows(option.substr(0, sign), "=")) return has ? 1 : 2;
  return !has && knows(option, "") ? 1 : 0;
}

// How many words an option takes; 0 where it is none that we know.
std::size_t length_of_option(const Launcher& launcher, std::string_view option) {
  if (option.starts_with("--")) return length_of_long(launcher, option);
  const bool is_old_nice = launcher.name == "nice" &&
                           option.find_first_not_of("0123456789", 1) == std::string_view::npos;
  if (is_old_nice) return 1;
  for (std::size_t i = 1; i < option.size(); ++i) {
    if (launcher.with_value.find(option[i]) != std::string_view::npos)
      return i + 1 < option.size() ? 1 : 2;
    if (launcher.flags.find(option[i]) == std::string_view::npos) return 0;
  }
  return 1;
}

bool is_setting(std::string_view word) {
  const std::size_t sign = word.find('=');
  return sign != std::string_view::npos && sign > 0;
}

}  // namespace

std::span<const std::string> launched_words(std::span<const std::string> words) {
  const Launcher* launcher = words.empty() ? nullptr : find(words.front());
  if (launcher == nullptr) return {};
  std::size_t i = 1;
  for (; i < words.size() && words[i].size() > 1 && words[i].front() == '-'; ++i) {
    if (words[i] == "--") {
      ++i;
      break;
    }
    const std::size_t length = length_of_option(*launcher, words[i]);
    if (length == 0) return {};
    i += length - 1;
  }
  if (launcher->name == "env") {
    for (; i < words.size() && is_setting(words[i]); ++i) {
      if (words[i].starts_with("PATH=")) return {};
    }
  }
  const std::size_t begin = i + launcher->operands;
  return begin < words.size() ? words.subspan(begin) : Words();
}

}  // namespace nightshift::evaluator
