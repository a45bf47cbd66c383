#include "search/telling_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace nightshift::search {
namespace {

// In small letters; looked for in letters of any size.
constexpr std::array<std::string_view, 9> kSigns = {"error:",
                                                    "undefined reference",
                                                    "multiple definition",
                                                    "cannot find -l",
                                                    "fatal:",
                                                    "exception:",
                                                    "panic:",
                                                    "panicked at",
                                                    "assertion"};

// Of GNU; others say "error:".
constexpr std::array<std::string_view, 3> kLinkers = {"ld:", "ld.bfd:", "ld.gold:"};
// Of a linker's lines, those that lead to another.
constexpr std::array<std::string_view, 4> kPreludes = {"warning: ", ": in function `",
                                                       "NOTE: ", "skipping incompatible "};
// Only says that the linker failed, behind its own words.
constexpr std::string_view kOfDriver = "collect2: error: ld returned";

bool is_same_letter(char sign, char letter) {
  return sign == static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

bool has_any(std::string_view line, std::span<const std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

// "/usr/bin/ld: final link failed: ..."
bool is_of_linker(std::string_view line) {
  std::string_view name = line.substr(0, line.find(' '));
  name.remove_prefix(name.find_last_of("/-") + 1);  // "x86_64-linux-gnu-ld:"
  return std::ranges::find(kLinkers, name) != kLinkers.end() && !has_any(line, kPreludes);
}

bool has_sign(std::string_view line) {
  if (line.starts_with(kOfDriver)) return false;
  if (is_of_linker(line)) return true;
  return std::any_of(kSigns.begin(), kSigns.end(), [&](std::string_view sign) {
    return std::search(line.begin(), line.end(), sign.begin(), sign.end(),
                       [](char a, char b) { return is_same_letter(b, a); }) != line.end();
  });
}

}  // namespace

std::size_t first_error_line(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (has_sign(text.substr(begin, end - begin))) return begin;
    begin = end + 1;
  }
  return std::string_view::npos;
}

bool tells_of_full_disk(std::string_view words) {
  constexpr std::string_view kPhrases[] = {"No space left on device", "Disk quota exceeded"};
  return std::ranges::any_of(kPhrases, [&](std::string_view phrase) {
    return words.find(phrase) != std::string_view::npos;
  });
}

bool tells_of_no_process(std::string_view message) {
  constexpr std::string_view kBefore = " cannot be started: ";
  const std::size_t before = message.find(kBefore);
  // A compiler's words have a colon before.
  if (before != std::string_view::npos && message.find_first_of(":\n") >= before) {
    message.remove_prefix(before + kBefore.size());
  }
  return message.starts_with(kNoProcess);
}

}  // namespace nightshift::search
