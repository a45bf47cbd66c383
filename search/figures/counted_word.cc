#include "search/figures/counted_word.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "base/text.h"
#include "search/figures/number_text.h"
#include "search/figures/unit_words.h"
#include "search/unit.h"

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

// The first word itself, and what it is where a prefix begins it.
std::vector<std::string> roots_of(std::string_view words) {
  const std::string_view word = words.substr(0, words.find(' '));
  std::vector<std::string> roots = {plain(word)};
  if (const std::string_view symbol = prefixed_symbol(word); !symbol.empty())
    roots.push_back(plain(symbol));
  for (const std::string_view prefix : kPrefixes) {
    if (!word.starts_with(prefix) || word.size() < prefix.size() + 2) continue;
    roots.push_back(plain(word.substr(prefix.size())));
  }
  return roots;
}

// "sec" of "/sec", "per sec" and "a sec".
std::string_view last_of(std::string_view over) {
  return over.substr(over.find_last_of("/ \t") + 1);
}

// "s" of "seconds"; empty where the word is no time.
std::string time_of(std::string_view word) {
  if (const std::string letters = plain(word); letters == "day" || letters == "week")
    return letters;
  const Unit* unit = find_unit(word);
  const bool is_time = unit != nullptr && unit->dimension == Dimension::kTime;
  return is_time && !is_of_one_operation(word) ? std::string(unit->name) : std::string();
}

// How much of `text` goes before what a rate is over: "/ ", "per " and "a ".
std::size_t per_length(std::string_view text) {
  for (const std::string_view per : {"/"sv, "per "sv, "a "sv, "an "sv, "each "sv, "every "sv}) {
    if (text.starts_with(per)) return text.size() - without_blanks(text.substr(per.size())).size();
  }
  return 0;
}

// Up to what ends the words that belong together.
std::string_view phrase_of(std::string_view text) {
  return text.substr(0, text.find_first_of("0123456789,;:=|()[]{}\"'\n"));
}

}  // namespace

std::string_view counted_word(std::string_view behind) {
  const std::string_view rest = without_blanks(behind);
  if (rest.size() == behind.size()) return {};
  const std::string_view over = over_time(rest);
  if (over.empty()) return unit_word_at(rest);
  return {rest.data(), static_cast<std::size_t>(over.data() + over.size() - rest.data())};
}

std::string_view over_time(std::string_view words) {
  constexpr int kMostWords = 4;  // "successful HTTP requests per second"
  const std::string_view phrase = phrase_of(words);
  int passed = 0;
  for (std::size_t at = 0; at < phrase.size() && passed <= kMostWords; ++at) {
    const bool begins = phrase[at] == '/' || at == 0 || phrase[at - 1] == ' ';
    if (!begins) continue;
    if (phrase[at] != '/' && phrase[at] != ' ') ++passed;
    const std::size_t length = per_length(phrase.substr(at));
    if (length == 0) continue;
    const std::string_view word = unit_word_at(phrase.substr(at + length));
    if (!time_of(word).empty()) return phrase.substr(at, length + word.size());
  }
  return {};
}

std::string_view scale_of_sign(std::string_view sign) {
  return is_share(sign) ? "%"sv : std::string_view();
}

bool differ_in_scale(std::string_view a, std::string_view b) {
  if (is_share(a) != is_share(b)) return true;
  const std::string over_a = time_of(last_of(over_time(a))),
                    over_b = time_of(last_of(over_time(b)));
  if (!over_a.empty() && !over_b.empty() && over_a != over_b) return true;
  const std::vector<std::string> of_a = roots_of(a), of_b = roots_of(b);
  if (of_a.front() == of_b.front()) return false;
  return std::ranges::any_of(
      of_a, [&](const std::string& root) { return std::ranges::find(of_b, root) != of_b.end(); });
}

std::string in_words(std::string_view scale) {
  return scale.empty() ? "a number alone" : "of " + base::in_quotes(scale);
}

std::string counted_word_condition(std::string_view objective) {
  return "word behind " + std::string(objective);
}

}  // namespace nightshift::search
