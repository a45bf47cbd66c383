#include "base/strict_json.h"

#include <algorithm>
#include <array>

namespace nightshift::base {
namespace {

// Of the word at the beginning of `text` that JSON has not got; 0 where there is none.
std::size_t length_of_word(std::string_view text) {
  constexpr std::array<std::string_view, 3> kWords = {"NaN", "-Infinity", "Infinity"};
  const auto found = std::find_if(kWords.begin(), kWords.end(),
                                  [&](std::string_view word) { return text.starts_with(word); });
  return found == kWords.end() ? 0 : found->size();
}

}  // namespace

std::string strict_json(std::string_view text) {
  std::string strict;
  strict.reserve(text.size());
  bool in_string = false;
  while (!text.empty()) {
    const std::size_t word = in_string ? 0 : length_of_word(text);
    const std::size_t escaped = in_string && text.front() == '\\' ? 2 : 1;
    const std::size_t length = word > 0 ? word : std::min(escaped, text.size());
    if (text.front() == '"') in_string = !in_string;
    strict += word > 0 ? std::string_view("null") : text.substr(0, length);
    text.remove_prefix(length);
  }
  return strict;
}

}  // namespace nightshift::base
