#pragma once

#include <string_view>

namespace nightshift::search {

// A letter, the slash of a rate, "%", or part of a sign beyond ASCII.
constexpr bool is_of_unit_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/' || c == '%' ||
         (c & 0x80) != 0;
}
// The word that `text` begins with as units have it: such signs, but for slashes at
// its end.
std::string_view unit_word_at(std::string_view text);

// A factor or a share: "x" of 3.4x, "%".
bool is_without_dimension(std::string_view word);
bool is_share(std::string_view word);  // "%", "percent"

// The symbol of the SI that a word has a prefix before: "A" of "mA", "m" of "nm". None of those that
// are units here, which find_unit() knows. Empty where it is none.
std::string_view prefixed_symbol(std::string_view word);

// Whether a word is written as units are, known or not: "ms", "US", "parsecs", "tok/s", "k".
bool looks_like_unit(std::string_view word);

}  // namespace nightshift::search
