#pragma once

#include <string>
#include <string_view>

namespace nightshift::search {

// What tells the scale of a figure without a unit is a word or a sign behind it. It tells nothing by
// itself; beside another one it does: "900 tokens" and "1.2 Ktokens".

// The word behind a number and a blank, where it is no unit: "tokens" of "900 tokens in all". With
// it what a rate is over: "requests per second". Empty where there is none.
std::string_view counted_word(std::string_view behind);

// What a rate is over, where it is a time: "/sec" of "Requests/sec", "per minute". Empty where it is
// none.
std::string_view over_time(std::string_view words);

// The scale of a number with that sign: that of a share is "%", and that of a factor, "x", is none,
// as of a number alone.
std::string_view scale_of_sign(std::string_view sign);

// Whether two such words are one with and without a prefix, or with two of them: "tokens",
// "Ktokens", "Mitokens"; or rates over two times; or whether one alone is a share. Empty: a number
// alone. Their numbers are not to be compared.
bool differ_in_scale(std::string_view a, std::string_view b);
std::string in_words(std::string_view scale);  // "of 'Ktokens'"

// The condition of an evaluation that has the word behind the figures of an objective.
std::string counted_word_condition(std::string_view objective);

}  // namespace nightshift::search
