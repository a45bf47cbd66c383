#include "search/unit.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace nightshift::search {

namespace {

constexpr std::array kUnits = {Unit{"s", Dimension::kTime, 1},
                               Unit{"ms", Dimension::kTime, 1, 1e3},
                               Unit{"us", Dimension::kTime, 1, 1e6},
                               Unit{"ns", Dimension::kTime, 1, 1e9},
                               Unit{"min", Dimension::kTime, 60},
                               Unit{"h", Dimension::kTime, 3600},
                               Unit{"B", Dimension::kBytes, 1},
                               Unit{"KiB", Dimension::kBytes, 0x1p10},
                               Unit{"MiB", Dimension::kBytes, 0x1p20},
                               Unit{"GiB", Dimension::kBytes, 0x1p30},
                               Unit{"TiB", Dimension::kBytes, 0x1p40},
                               Unit{"kB", Dimension::kBytes, 1e3},
                               Unit{"MB", Dimension::kBytes, 1e6},
                               Unit{"GB", Dimension::kBytes, 1e9},
                               Unit{"TB", Dimension::kBytes, 1e12},
                               Unit{"FLOP/s", Dimension::kFlopRate, 1},
                               Unit{"KFLOP/s", Dimension::kFlopRate, 1e3},
                               Unit{"MFLOP/s", Dimension::kFlopRate, 1e6},
                               Unit{"GFLOP/s", Dimension::kFlopRate, 1e9},
                               Unit{"TFLOP/s", Dimension::kFlopRate, 1e12},
                               Unit{"PFLOP/s", Dimension::kFlopRate, 1e15},
                               Unit{"Hz", Dimension::kFrequency, 1},
                               Unit{"kHz", Dimension::kFrequency, 1e3},
                               Unit{"MHz", Dimension::kFrequency, 1e6},
                               Unit{"GHz", Dimension::kFrequency, 1e9},
                               Unit{"uJ", Dimension::kEnergy, 1, 1e6},
                               Unit{"mJ", Dimension::kEnergy, 1, 1e3},
                               Unit{"J", Dimension::kEnergy, 1},
                               Unit{"kJ", Dimension::kEnergy, 1e3},
                               Unit{"mW", Dimension::kPower, 1, 1e3},
                               Unit{"W", Dimension::kPower, 1},
                               Unit{"kW", Dimension::kPower, 1e3}};
// Those of bytes per second, in the order of their bytes above.
constexpr std::array kByteRates = {
    Unit{"B/s", Dimension::kByteRate, 1},        Unit{"KiB/s", Dimension::kByteRate, 0x1p10},
    Unit{"MiB/s", Dimension::kByteRate, 0x1p20}, Unit{"GiB/s", Dimension::kByteRate, 0x1p30},
    Unit{"TiB/s", Dimension::kByteRate, 0x1p40}, Unit{"kB/s", Dimension::kByteRate, 1e3},
    Unit{"MB/s", Dimension::kByteRate, 1e6},     Unit{"GB/s", Dimension::kByteRate, 1e9},
    Unit{"TB/s", Dimension::kByteRate, 1e12}};

struct Spelling {
  std::string_view word, unit;
};
// Without the plural's s; "milisecond" is what published files say. Told in small letters.
constexpr std::array kLongWords = {
    Spelling{"second", "s"},       Spelling{"sec", "s"},          Spelling{"millisecond", "ms"},
    Spelling{"milisecond", "ms"},  Spelling{"millisec", "ms"},    Spelling{"msec", "ms"},
    Spelling{"microsecond", "us"}, Spelling{"microsec", "us"},    Spelling{"usec", "us"},
    Spelling{"nanosecond", "ns"},  Spelling{"nanosec", "ns"},     Spelling{"nsec", "ns"},
    Spelling{"minute", "min"},     Spelling{"hour", "h"},         Spelling{"msecond", "ms"},
    Spelling{"usecond", "us"},     Spelling{"nsecond", "ns"},     Spelling{"byte", "B"},
    Spelling{"joule", "J"},        Spelling{"watt", "W"},         Spelling{"flops", "FLOP/s"},
    Spelling{"kflops", "KFLOP/s"}, Spelling{"mflops", "MFLOP/s"}, Spelling{"gflops", "GFLOP/s"},
    Spelling{"tflops", "TFLOP/s"}, Spelling{"pflops", "PFLOP/s"}};
constexpr std::array kShortWords = {Spelling{"KB", "kB"},           Spelling{"KB/s", "kB/s"},
                                    Spelling{"kFLOP/s", "KFLOP/s"}, Spelling{"\u00b5s", "us"},
                                    Spelling{"\u03bcs", "us"},      Spelling{"\u00b5J", "uJ"},
                                    Spelling{"\u03bcJ", "uJ"}};

const Unit* named(std::string_view name) {
  const auto* found = std::ranges::find(kUnits, name, &Unit::name);
  if (found != kUnits.end()) return found;
  const auto* rate = std::ranges::find(kByteRates, name, &Unit::name);
  return rate == kByteRates.end() ? nullptr : rate;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
// Of a word: a letter, the slash of a rate, or part of a sign beyond ASCII.
bool is_part(char c) { return is_letter(c) || c == '/' || (c & 0x80) != 0; }

}  // namespace

const Unit* find_unit(std::string_view word) {
  if (const Unit* unit = named(word)) return unit;
  for (const Spelling& known : kShortWords) {
    if (known.word == word) return named(known.unit);
  }
  constexpr std::size_t kShortest = 3;
  if (word.size() < kShortest) return nullptr;
  std::string small(word);
  std::ranges::transform(small, small.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Spelling& known : kLongWords) {
    if (small == known.word || small == std::string(known.word) + "s") return named(known.unit);
  }
  return nullptr;
}

std::optional<double> conversion(std::string_view from, std::string_view to) {
  const Unit* a = find_unit(from);
  const Unit* b = find_unit(to);
  if (a == nullptr || b == nullptr || a->dimension != b->dimension) return std::nullopt;
  return a->multiple * b->parts / (a->parts * b->multiple);
}

const Unit* leading_unit(std::string_view text) {
  std::size_t begin = 0;
  while (begin < text.size() && is_blank(text[begin])) ++begin;
  if (begin < text.size() && (text[begin] == '(' || text[begin] == '[')) ++begin;
  std::size_t end = begin;
  while (end < text.size() && is_part(text[end])) ++end;
  if (end < text.size() && (text[end] == '_' || (text[end] >= '0' && text[end] <= '9'))) {
    return nullptr;  // a name
  }
  const std::string_view word = text.substr(begin, end - begin);
  // "5 min 3 max 9" and "2 h" are hardly ever times.
  return word == "min" || word == "h" ? nullptr : find_unit(word);
}

const Unit* trailing_unit(std::string_view text) {
  constexpr std::string_view kBetween = " \t()[]=:\"'";
  const std::size_t last = text.find_last_not_of(kBetween);
  if (last == std::string_view::npos) return nullptr;
  const bool in_brackets =
      last + 1 < text.size() && (text[last + 1] == ')' || text[last + 1] == ']');
  std::size_t begin = last + 1;
  while (begin > 0 && is_part(text[begin - 1])) --begin;
  const std::string_view word = text.substr(begin, last + 1 - begin);
  if (word.size() < 2 && !in_brackets) return nullptr;
  return word == "min" ? nullptr : find_unit(word);
}

}  // namespace nightshift::search
