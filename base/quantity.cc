#include "base/quantity.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace nightshift::base {
namespace {

using Suffix = std::pair<std::string_view, double>;

constexpr std::array<Suffix, 9> kDurations = {Suffix{"w", 604800}, {"d", 86400}, {"h", 3600},
                                              {"m", 60},           {"min", 60},  {"s", 1},
                                              {"ms", 1e-3},        {"us", 1e-6}, {"ns", 1e-9}};
constexpr std::array<Suffix, 9> kSizes = {Suffix{"B", 1},  {"KiB", 0x1p10}, {"MiB", 0x1p20},
                                          {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"kB", 1e3},
                                          {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12}};

void skip_blanks(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

// Takes a number of 0 or more off the front.
std::optional<double> take_number(std::string_view& text) {
  if (text.empty() || !((text.front() >= '0' && text.front() <= '9') || text.front() == '.')) {
    return std::nullopt;  // from_chars also knows "inf", "nan" and signs
  }
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

template <std::size_t N>
std::optional<double> take_unit(std::string_view& text, const std::array<Suffix, N>& units) {
  std::size_t length = 0;
  while (length < text.size() && ((text[length] >= 'a' && text[length] <= 'z') ||
                                  (text[length] >= 'A' && text[length] <= 'Z'))) {
    ++length;
  }
  for (const auto& [name, factor] : units) {
    if (text.substr(0, length) != name) continue;
    text.remove_prefix(length);
    return factor;
  }
  return std::nullopt;
}

struct Quantity {
  double value, unit;
};

// A number and its unit, with blanks between them but not around them.
template <std::size_t N>
std::optional<Quantity> take_quantity(std::string_view& text, const std::array<Suffix, N>& units) {
  const auto number = take_number(text);
  skip_blanks(text);
  const auto unit = number ? take_unit(text, units) : std::nullopt;
  if (!unit) return std::nullopt;
  return Quantity{*number * *unit, *unit};
}

// [days-]hours:minutes:seconds; behind days the minutes and seconds may be missing. "10:20" alone
// is minutes for Slurm and hours for most people.
std::optional<double> parse_clock(std::string_view text) {
  const std::size_t dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  const auto days = has_days ? parse_count(text.substr(0, dash)) : std::optional<std::uint64_t>(0);
  if (!days) return std::nullopt;
  if (has_days) text.remove_prefix(dash + 1);
  double seconds = static_cast<double>(*days) * 86400;
  std::size_t parts = 0;
  for (double unit = 3600;; unit /= 60) {
    const std::size_t colon = text.find(':');
    const auto part = parse_count(text.substr(0, colon));
    if (!part || ++parts > 3 || ((has_days || parts > 1) && *part >= (parts == 1 ? 24 : 60))) {
      return std::nullopt;
    }
    seconds += static_cast<double>(*part) * unit;
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  if (!has_days && parts < 3) return std::nullopt;
  return seconds;
}

}  // namespace

std::optional<double> parse_seconds(std::string_view text) {
  if (const auto plain = parse_number(text)) return plain;
  if (const auto with_units = parse_duration(text)) return with_units;
  return parse_clock(text);
}

std::optional<double> parse_duration(std::string_view text) {
  double seconds = 0, last = std::numeric_limits<double>::infinity();
  for (;;) {
    const auto part = take_quantity(text, kDurations);
    if (!part || part->unit >= last) return std::nullopt;
    last = part->unit;
    seconds += part->value;
    if (text.empty()) break;
    skip_blanks(text);
  }
  if (!std::isfinite(seconds)) return std::nullopt;
  return seconds;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  const auto bytes = take_quantity(text, kSizes);
  if (!bytes || !text.empty() || !(bytes->value < 0x1p63)) return std::nullopt;
  return static_cast<std::uint64_t>(bytes->value);
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return count;
}

std::optional<double> parse_number(std::string_view text) {
  const auto number = take_number(text);
  if (!number || !text.empty() || !std::isfinite(*number)) return std::nullopt;
  return number;
}

std::optional<double> parse_percentage(std::string_view text) {
  constexpr double kPercent = 100;
  if (text.empty() || text.back() != '%') return std::nullopt;
  text.remove_suffix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const auto percent = parse_number(text);
  if (!percent) return std::nullopt;
  return *percent / kPercent;
}

std::string rounded_seconds(double seconds) {
  constexpr double kPlain = 1e9;
  char text[64];
  std::snprintf(text, sizeof text, seconds >= 1000 && seconds < kPlain ? "%.0f" : "%.3g", seconds);
  return text;
}

}  // namespace nightshift::base
