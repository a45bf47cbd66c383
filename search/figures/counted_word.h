#pragma once

#include <string>
#include <string_view>

namespace nightshift::search {

// The word behind a number and a blank, where it is no unit: "tokens" of "900 tokens in all". It
// tells nothing by itself; beside "1.2 Ktokens" it does. Empty where there is none.
std::string_view counted_word(std::string_view behind);

// Whether two such words are one with and without a prefix, or with two of them: "tokens",
// "Ktokens", "Mitokens". Their numbers are not to be compared.
bool differ_by_prefix(std::string_view a, std::string_view b);

// The condition of an evaluation that has the word behind the figures of an objective.
std::string counted_word_condition(std::string_view objective);

}  // namespace nightshift::search
