#include "base/text.h"

#include <algorithm>
#include <cstddef>

namespace nightshift::base {

std::string in_small_letters(std::string_view text) {
  std::string letters(text);
  std::ranges::transform(letters, letters.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return letters;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string in_quotes(std::string_view word) { return "'" + std::string(word) + "'"; }

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string all;
  for (std::size_t i = 0; i < texts.size(); ++i) all.append(i > 0 ? between : "").append(texts[i]);
  return all;
}

std::string list_of(const std::vector<std::string>& words, std::string_view last) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
    list += words[i];
  }
  return list;
}

}  // namespace nightshift::base
