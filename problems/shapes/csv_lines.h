#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::problems {

// The form of CSV as spreadsheets of several countries write it.

// Without blanks around; quotes as of RFC 4180. nullopt where a quote is not closed.
std::optional<std::vector<std::string>> cells_of(std::string_view line, char separator);

// What parts the columns of a header, ',', ';' or a tab: that which finds most of what is looked
// for, then the most columns. `known`: how many of these columns are looked for.
using KnownColumns = std::function<std::size_t(const std::vector<std::string>&)>;
char separator_of(std::string_view header, const KnownColumns& known);
// Of "sep=;", which spreadsheets take for a word on the lines below.
std::optional<char> told_separator(std::string_view line);

// Digits in groups as of 1.000 and 12,504,000.
bool has_thousands(std::string_view number, char mark);
// What to do about a number with such groups, or with a comma before its decimals; empty where it
// has neither.
std::string hint_for_number(std::string_view number);

}  // namespace nightshift::problems
