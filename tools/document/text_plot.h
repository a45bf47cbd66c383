#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace nightshift::tools {

// Plots in plain characters, for terminals and logs. All pure; nothing for fewer than two values.

// Equal bins from the smallest to the largest value, one line each: lower end, bar, count. At most
// `bins`; the longest bar has `width` characters. `unit` stands behind the first number.
std::string text_histogram(std::span<const double> values, std::size_t bins, std::size_t width,
                           const std::string& unit, std::size_t indent);

// Values over their order as points in `rows` lines of at most `width` columns; several values in a
// column are averaged where they do not fit. Marked ones are 'o', others '*'. The scale stands at
// the left.
std::string text_series(std::span<const double> values, const std::vector<bool>& marked,
                        std::size_t rows, std::size_t width, std::size_t indent);

// "#####" of the length that `share` of `width` is, at least one for more than nothing.
std::string text_bar(double share, std::size_t width);

}  // namespace nightshift::tools
