#include "search/figures/stray_unit.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "search/figures/unit_words.h"

namespace nightshift::search {
namespace {

using namespace std::string_view_literals;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
char at(std::string_view text, std::size_t i) { return i < text.size() ? text[i] : '\n'; }

}  // namespace

std::string_view stray_unit(std::string_view text, Dimension dimension, std::string_view own) {
  for (const std::string_view sign : {"&micro;"sv, "&mu;"sv, "\\mu"sv, "\\micro"sv}) {
    const std::size_t found = text.find(sign);
    if (found != std::string_view::npos && dimension == Dimension::kTime) {
      return text.substr(found, sign.size());
    }
  }
  bool is_of_number = false;  // the word belongs to a number before it
  for (std::size_t i = 0; i < text.size();) {
    if (!is_of_unit_word(text[i]) || text[i] == '/') {
      if (base::is_digit(text[i])) {
        is_of_number = true;
      } else if (!is_blank(text[i])) {
        is_of_number = false;
      }
      ++i;
      continue;
    }
    const std::string_view word = unit_word_at(text.substr(i));
    const bool is_alone = i == 0 || (!base::is_digit(text[i - 1]) && text[i - 1] != '_');
    const char next = at(text, i + word.size());
    const bool ends = !base::is_digit(next) && next != '_' && next != '=' && next != ':';
    const Unit* unit = word.size() > 1 && is_alone && ends ? find_unit(word) : nullptr;
    const bool is_stray = unit != nullptr && !is_of_number && unit->dimension == dimension &&
                          unit->name != own && base::in_small_letters(word) != "min";
    if (is_stray) return word;
    is_of_number = false;
    i += std::max<std::size_t>(1, word.size());
  }
  return {};
}

}  // namespace nightshift::search
