#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nightshift::base {

// All of ASCII; other bytes are neither, and stay as they are.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_control(char c) { return (c >= 0 && c < ' ') || c == 0x7F; }
std::string in_small_letters(std::string_view text);

// Without blanks at its ends.
std::string_view trimmed(std::string_view text);
std::string_view first_line(std::string_view text);  // without its end
std::string in_quotes(std::string_view word);        // 'word'
std::string joined(const std::vector<std::string>& texts, std::string_view between);
// "a, b or c" with `last` = "or".
std::string list_of(const std::vector<std::string>& words, std::string_view last);

}  // namespace nightshift::base
