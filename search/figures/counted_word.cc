#include "search/figures/counted_word.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "search/figures/number_text.h"
#include "search/figures/unit_words.h"

namespace nightshift::search {

namespace {

using namespace std::string_view_literals;

// Of thousands: nobody counts in thousandths, and "utime" is not a millionth of "time".
constexpr std::array kPrefixes = {"k"sv,    "K"sv,    "M"sv,    "G"sv,    "T"sv,
                                  "Ki"sv,   "Mi"sv,   "Gi"sv,   "Ti"sv,   "kilo"sv,
                                  "mega"sv, "giga"sv, "Kilo"sv, "Mega"sv, "Giga"sv};

// In small letters, of one or of many.
std::string plain(std::string_view word) {
  std::string small = base::in_small_letters(word);
  if (small.size() > 1 && small.back() == 's') small.pop_back();
  return small;
}

// The word itself, and what it is where a prefix begins it.
std::vector<std::string> roots_of(std::string_view word) {
  std::vector<std::string> roots = {plain(word)};
  for (const std::string_view prefix : kPrefixes) {
    if (!word.starts_with(prefix) || word.size() < prefix.size() + 2) continue;
    roots.push_back(plain(word.substr(prefix.size())));
  }
  return roots;
}

}  // namespace

std::string_view counted_word(std::string_view behind) {
  const std::string_view rest = without_blanks(behind);
  return rest.size() < behind.size() ? unit_word_at(rest) : std::string_view();
}

bool differ_by_prefix(std::string_view a, std::string_view b) {
  const std::vector<std::string> of_a = roots_of(a), of_b = roots_of(b);
  if (of_a.front() == of_b.front()) return false;
  return std::ranges::any_of(
      of_a, [&](const std::string& root) { return std::ranges::find(of_b, root) != of_b.end(); });
}

std::string counted_word_condition(std::string_view objective) {
  return "word behind " + std::string(objective);
}

}  // namespace nightshift::search
