#include "tools/text/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "base/utf8.h"
#include "search/value.h"

namespace nightshift::tools {
namespace {

std::string local_time(double unix_seconds, const char* pattern) {
  const std::time_t whole = static_cast<std::time_t>(std::floor(unix_seconds));
  std::tm local{};
  localtime_r(&whole, &local);
  char text[64];
  std::strftime(text, sizeof text, pattern, &local);
  return text;
}

// U+0080 to U+009F, which some terminals obey.
bool is_c1_control(std::string_view sequence) {
  return sequence.size() == 2 && sequence[0] == '\xC2' &&
         static_cast<unsigned char>(sequence[1]) < 0xA0;
}

// Of Unicode's Bidi_Control characters (UAX 9): what follows would be shown in another order than
// it has.
bool turns_direction(std::string_view character) {
  if (character == "\xD8\x9C") return true;
  if (character.size() != 3 || character[0] != '\xE2') return false;
  const std::string_view rest = character.substr(1);
  return rest == "\x80\x8E" || rest == "\x80\x8F" || (rest >= "\x80\xAA" && rest <= "\x80\xAE") ||
         (rest >= "\x81\xA6" && rest <= "\x81\xA9");
}

// Without control characters but for line ends; what is no character, or turns the direction of
// what follows, becomes '?'.
std::string printable(std::string_view text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = base::utf8_length(text.substr(i));
    const unsigned char lead = static_cast<unsigned char>(text[i]);
    if (turns_direction(text.substr(i, length))) {
      clean += '?';
      i += length;
    } else if (length == 0 || is_c1_control(text.substr(i, length))) {
      clean += '?';
      ++i;
    } else {
      if (lead == '\t') {
        clean += ' ';
      } else if (lead == '\n' || (lead >= 0x20 && lead != 0x7F)) {
        clean += text.substr(i, length);
      }
      i += length;
    }
  }
  return clean;
}

// Of percentages and multiples; larger ones are written with their power of ten.
constexpr double kLongest = 1e7;

bool is_ratio(double ratio) { return ratio > 0 && std::isfinite(ratio); }

// Of the objective itself: a signed fraction of the baseline, or candidate less baseline in its
// unit.
double signed_change(const search::Objective& objective, double ratio) {
  const bool minimised = objective.direction == search::Direction::kMinimise;
  if (search::is_difference(objective)) {
    const double scaled = std::log(ratio) * objective.difference_scale;
    return minimised ? scaled : -scaled;
  }
  return minimised ? ratio - 1 : 1 / ratio - 1;
}

bool is_lower(const search::Objective& objective, double ratio) {
  return is_ratio(ratio) && signed_change(objective, ratio) <= 0;
}

std::string change_words(const search::Objective& objective, double ratio) {
  const std::string name = one_line(objective.name);
  if (!is_ratio(ratio)) return name + " beyond comparison: one of both figures is 0";
  const double change = signed_change(objective, ratio);
  const std::string size = search::is_difference(objective)
                               ? format_value(std::fabs(change), objective.unit)
                               : format_percent(std::fabs(change));
  return name + " " + size + (change <= 0 ? " lower" : " higher");
}

std::string times_words(const search::Objective& objective, double ratio) {
  if (search::is_difference(objective) || !is_ratio(ratio)) return "";
  return " (" + format_multiple(1 / ratio) + " times as good)";
}

// What a tiny loss rounds to is no loss: "-0.00 %" with `sign` for its minus.
std::string without_minus_zero(const std::string& text, std::string_view sign = "") {
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  return is_zero && text.starts_with('-') ? std::string(sign) + text.substr(1) : text;
}

}  // namespace

std::string format_count(base::Wide n) {
  std::string digits = base::to_string(n);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string count_of(base::Wide n, const std::string& singular) {
  return format_count(n) + " " + singular + (n == 1 ? "" : "s");
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds)), hours = whole / 3600;
  if (whole < 60) return fmt::format("{} s", whole);
  if (hours < 1) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (hours < 72) return fmt::format("{} h {:02} min", hours, whole / 60 % 60);
  return fmt::format("{} d {:02} h", hours / 24, hours % 24);
}

std::string format_clock_time(double unix_seconds) {
  // Rounded to the millisecond before it is split, so that 0.9996 s does not become ".1000".
  const double rounded = std::round(unix_seconds * 1000) / 1000;
  const double fraction = rounded - std::floor(rounded);
  return local_time(rounded, "%H:%M:%S") +
         fmt::format(".{:03}", static_cast<int>(std::lround(fraction * 1000)) % 1000);
}

std::string format_date(double unix_seconds) {
  return local_time(unix_seconds, "%Y-%m-%d %H:%M:%S");
}

std::string format_number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "unknown" : value > 0 ? "inf" : "-inf";
  const double size = std::fabs(value);
  if (size == 0) return "0";
  if (size < 1e-4 || size >= 1e7) return fmt::format("{:.3e}", value);
  if (size >= 1000) return fmt::format("{:.0f}", value);
  const int digits = 3 - static_cast<int>(std::floor(std::log10(size)));
  return fmt::format("{:.{}f}", value, std::clamp(digits, 0, 8));
}

std::string format_value(double value, std::string_view unit) {
  return unit.empty() ? format_number(value) : format_number(value) + " " + one_line(unit);
}

std::string format_interval(const search::Interval& interval, std::string_view unit) {
  return "[" + format_number(interval.low) + ", " + format_number(interval.high) + "]" +
         (unit.empty() ? "" : " " + std::string(unit));
}

std::string format_percent(double fraction) {
  const double percent = fraction * 100;
  if (!std::isfinite(percent)) return std::isfinite(fraction) ? "beyond all bounds" : "unknown";
  if (std::fabs(percent) >= kLongest) return fmt::format("{:.3e} %", percent);
  return without_minus_zero(fmt::format("{:.{}f} %", percent, std::fabs(percent) < 99.995 ? 2 : 1));
}

std::string format_signed_percent(double fraction) {
  const double percent = fraction * 100;
  const bool is_long = !std::isfinite(percent) || std::fabs(percent) >= kLongest;
  if (is_long) return (percent > 0 ? "+" : "") + format_percent(fraction);
  return without_minus_zero(fmt::format("{:+.2f} %", percent), "+");
}

std::string format_level(double level) { return fmt::format("{:.3g} %", level * 100); }
std::string format_confidence(double confidence) {
  const double outside = 100 * (1 - confidence);
  const int beyond = outside > 0 ? 1 - static_cast<int>(std::floor(std::log10(outside))) : 0;
  return fmt::format("{:.{}g} %", 100 * confidence, 2 + std::clamp(beyond, 0, 8));
}

std::string format_multiple(double ratio) {
  const bool is_plain = ratio == 0 || !std::isfinite(ratio) ||
                        (std::fabs(ratio) < kLongest && std::fabs(ratio) >= 1e-2);
  return is_plain ? fmt::format("{:.2f}", ratio) : fmt::format("{:.3e}", ratio);
}

std::string format_change(const search::Objective& objective, double ratio) {
  return change_words(objective, ratio) + times_words(objective, ratio);
}

std::string format_change(const search::Objective& objective, double ratio,
                          const search::Interval& interval, Times times) {
  std::string text = change_words(objective, ratio);
  if (times == Times::kTold) text += times_words(objective, ratio);
  return text + " " + format_change_interval(objective, ratio, interval);
}

std::string format_change_interval(const search::Objective& objective, double ratio,
                                   const search::Interval& interval) {
  const bool lower = is_lower(objective, ratio);
  const auto end = [&](double r) {
    if (!is_ratio(r)) return std::string("?");
    const double change = signed_change(objective, r);
    if (search::is_difference(objective)) {
      return format_value(lower ? -change : change, objective.unit);
    }
    return format_percent(lower ? -change : change);
  };
  // The further from the baseline, the further in the direction of the change.
  const bool falls = (objective.direction == search::Direction::kMinimise) == lower;
  const bool is_usual = interval.confidence == search::Interval{}.confidence;
  return "[" + end(falls ? interval.high : interval.low) + ", " +
         end(falls ? interval.low : interval.high) +
         (is_usual ? "]" : "] at " + format_confidence(interval.confidence));
}

std::string format_choice(const search::Value& value) {
  const std::string shown = search::to_text(value);
  if (!shown.empty() && shown.find_first_of(" '\"\n\t") == std::string::npos) return shown;
  return shown.find('\'') == std::string::npos ? "'" + shown + "'" : '"' + shown + '"';
}

std::string format_configuration(const search::Configuration& c) {
  if (c.is_baseline()) return "the baseline";
  std::string text;
  for (const auto& [name, value] : c.entries()) {
    text += (text.empty() ? "" : " ") + name + "=" + format_choice(value);
  }
  return one_line(text);
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : printable(text)) {
    const bool blank = c == '\n' || c == ' ';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string block(std::string_view text, std::size_t indent) {
  const std::string clean = printable(text);
  std::string lines;
  for (std::size_t at = 0; at < clean.size();) {
    const std::size_t end = std::min(clean.find('\n', at), clean.size());
    lines += std::string(indent, ' ') + clean.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return lines;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string fit(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  const std::size_t dots = std::min<std::size_t>(3, width);
  std::size_t bytes = 0;
  for (std::size_t shown = 0; bytes < text.size(); ++bytes) {
    const bool starts = (static_cast<unsigned char>(text[bytes]) & 0xC0) != 0x80;
    if (starts && shown++ == width - dots) break;
  }
  return std::string(text.substr(0, bytes)) + std::string(dots, '.');
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t now = width_of(text);
  return std::string(text) + std::string(now < width ? width - now : 0, ' ');
}

std::string table(const Rows& rows, std::size_t indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i + 1 == row.size() ? row[i] : padded(row[i], widths[i] + 2);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string format_figure(std::string_view name, double value, std::string_view unit) {
  const std::string figure = format_value(value, unit);
  return name == unit ? figure : one_line(name) + " " + figure;
}

std::string paragraph(std::string_view text, std::size_t indent) {
  std::string line = wrapped(text, indent, std::string_view::npos);
  if (!line.empty()) line.insert(line.size() - 1, 1, kParagraphEnd);
  return line;
}

namespace {

constexpr std::string_view kCommand = "nightshift ";

// Of the places where a line may be broken the last that fits, else the first.
struct Break {
  std::size_t fitting = std::string_view::npos, first = std::string_view::npos;
  void at(std::size_t place, bool fits) {
    if (fits) fitting = place;
    if (first == std::string_view::npos) first = place;
  }
};

// Where a line that is too wide is broken, behind `from`; npos where it is to stay whole.
std::size_t break_of(std::string_view line, std::size_t from, std::size_t width) {
  Break gap, blank;
  std::size_t columns = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (i > from && line[i] == ' ' && line[i - 1] != ' ') {
      (line.substr(i).starts_with("  ") ? gap : blank).at(i, columns <= width);
    }
    const auto byte = static_cast<unsigned char>(line[i]);
    if ((byte & 0xC0) != 0x80) ++columns;
  }
  if (gap.fitting != std::string_view::npos) return gap.fitting;
  if (line.substr(from).starts_with(kCommand)) return gap.first;
  return blank.fitting != std::string_view::npos ? blank.fitting : std::min(blank.first, gap.first);
}

void fold_line(std::string_view line, std::size_t width, std::string& page) {
  const std::size_t from = line.find_first_not_of(' ');
  const bool is_row = from != std::string_view::npos && line.find("  ", from) < line.size();
  const std::string margin(from == std::string_view::npos ? 0 : from + (is_row ? 2 : 0), ' ');
  std::string rest(line);
  std::size_t begin = from;
  while (width_of(rest) > width && begin != std::string::npos) {
    const std::size_t at = break_of(rest, begin, width);
    if (at == std::string_view::npos) break;
    page += rest.substr(0, at) + "\n";
    const std::size_t next = rest.find_first_not_of(' ', at);
    rest = next == std::string::npos ? "" : margin + rest.substr(next);
    begin = margin.size();
  }
  page += rest;
}

}  // namespace

std::string folded(std::string_view page, const PageWidth& width) {
  std::string result;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    std::string_view line = page.substr(0, end);
    const bool is_paragraph = line.ends_with(kParagraphEnd);
    if (is_paragraph) line.remove_suffix(1);
    fold_line(line, is_paragraph ? width.paragraphs : width.lines, result);
    if (end < page.size()) result += '\n';
    page.remove_prefix(std::min(end + 1, page.size()));
  }
  return result;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string lines, line;
  const auto flush = [&] {
    if (!line.empty()) lines += std::string(indent, ' ') + std::exchange(line, "") + "\n";
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!line.empty() && indent + width_of(line) + 1 + width_of(word) > width) flush();
    if (!word.empty()) line += (line.empty() ? "" : " ") + std::string(word);
    at = end + 1;
  }
  flush();
  return lines;
}

}  // namespace nightshift::tools
