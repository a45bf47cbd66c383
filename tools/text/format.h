#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/wide.h"
#include "search/configuration.h"
#include "search/objective.h"
#include "search/statistics/interval.h"
#include "search/value.h"

namespace nightshift::tools {

// How figures are written for people, everywhere the same. All pure.

std::string format_count(base::Wide n);                           // 1,234,567
std::string count_of(base::Wide n, const std::string& singular);  // "1 trial", "2 trials"
std::string format_duration(
    double seconds);  // "0.8 s", "42 s", "12 min 05 s", "3 h 04 min", "5 d 06 h"
std::string format_clock_time(double unix_seconds);  // local "14:02:11.120"
std::string format_date(double unix_seconds);        // local "2025-01-31 14:02:11"
std::string format_number(double value);             // four significant digits, no exponent
                                                     // where it can be helped
std::string format_value(double value, std::string_view unit);  // "5.081 ms"
std::string format_interval(const search::Interval& interval, std::string_view unit);
std::string format_percent(double fraction);  // 0.588 -> "58.80 %", 1e300 -> "1.000e+302 %"
// "+0.50 %", signed.
std::string format_signed_percent(double fraction);
std::string format_level(double level);            // of an error: 0.01 -> "1 %", 1e-5 -> "0.001 %"
std::string format_confidence(double confidence);  // 0.95 -> "95 %", 0.99983 -> "99.983 %"
std::string format_multiple(double ratio);         // "4.56"; of what is far from 1 "1.000e+300"

// What a ratio (candidate over baseline, lower is better) means for the objective:
// 0.412 -> "time 58.80 % lower (2.43 times as good)"; a maximised one is "higher". Of one that is
// compared by its difference: "score 0.448 higher". A ratio of 0, or none, is said in words.
std::string format_change(const search::Objective& objective, double ratio);
// With the interval of the ratio: "time 58.80 % lower (2.43 times as good) [58.10 %, 59.40 %]".
enum class Times : std::uint8_t { kTold, kLeftOut };
std::string format_change(const search::Objective& objective, double ratio,
                          const search::Interval& interval, Times times = Times::kTold);
// That interval alone: as far in the direction of the change, so that a figure and its interval
// have one sign; the smaller end first. "?" is an end of which nothing is known.
// Behind it stands its confidence, " at 98 %", where that is not 95 %.
std::string format_change_interval(const search::Objective& objective, double ratio,
                                   const search::Interval& interval);

std::string format_choice(const search::Value& value);             // of a parameter: 64, '-O3 -g'
std::string format_configuration(const search::Configuration& c);  // "TILE=64 FLAGS='-O3 -g'"

// A word of a command that is shown to be copied: in quotes where a shell would split or expand it.
std::string shell_word(std::string_view word);

// What children printed may hold anything: control characters and broken UTF-8 never reach the
// terminal. `one_line` also folds line ends and blanks; `block` keeps the lines, indented.
std::string one_line(std::string_view text);
std::string block(std::string_view text, std::size_t indent);

std::size_t width_of(std::string_view text);                // code points
std::string fit(std::string_view text, std::size_t width);  // cut with "..." where longer
std::string padded(std::string_view text, std::size_t width);
using Rows = std::vector<std::vector<std::string>>;
// Rows under each other, columns two blanks apart, none behind the last; each line after `indent`.
std::string table(const Rows& rows, std::size_t indent);
// Paragraph text broken at blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);
// The same for a page that is folded later: one line with a mark at its end, which no other text
// has (kParagraphEnd).
std::string paragraph(std::string_view text, std::size_t indent);
inline constexpr char kParagraphEnd = '\v';

// Columns of a page, and of lines that are no paragraphs: rows of tables, what programs printed.
struct PageWidth {
  std::size_t paragraphs = 96;
  std::size_t lines = std::string::npos;  // never broken: for files and pipes
};
// A page whose lines are broken at blanks where they are wider, and go on as far from the margin as
// they began, two further in a row of a table. A row is broken between its columns where that is
// enough; a command at the beginning of a row is never broken, since it is to be copied. Words that
// are wider stay whole. No mark of a paragraph is left.
std::string folded(std::string_view page, const PageWidth& width);

// "time 5.081 ms"; "1948 GFLOP/s" where a figure is called as its unit is.
std::string format_figure(std::string_view name, double value, std::string_view unit);

}  // namespace nightshift::tools
