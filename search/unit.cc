#include "search/unit.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

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
    Spelling{"minute", "min"},     Spelling{"min", "min"},        Spelling{"hour", "h"},
    Spelling{"hr", "h"},           Spelling{"msecond", "ms"},     Spelling{"usecond", "us"},
    Spelling{"nsecond", "ns"},     Spelling{"byte", "B"},         Spelling{"kilobyte", "kB"},
    Spelling{"megabyte", "MB"},    Spelling{"gigabyte", "GB"},    Spelling{"terabyte", "TB"},
    Spelling{"kibibyte", "KiB"},   Spelling{"mebibyte", "MiB"},   Spelling{"gibibyte", "GiB"},
    Spelling{"tebibyte", "TiB"},   Spelling{"hertz", "Hz"},       Spelling{"kilohertz", "kHz"},
    Spelling{"megahertz", "MHz"},  Spelling{"gigahertz", "GHz"},  Spelling{"microjoule", "uJ"},
    Spelling{"millijoule", "mJ"},  Spelling{"kilojoule", "kJ"},   Spelling{"milliwatt", "mW"},
    Spelling{"kilowatt", "kW"},    Spelling{"joule", "J"},        Spelling{"watt", "W"},
    Spelling{"flops", "FLOP/s"},   Spelling{"kflops", "KFLOP/s"}, Spelling{"mflops", "MFLOP/s"},
    Spelling{"gflops", "GFLOP/s"}, Spelling{"tflops", "TFLOP/s"}, Spelling{"pflops", "PFLOP/s"}};
constexpr std::array kShortWords = {
    Spelling{"KB", "kB"}, Spelling{"KB/s", "kB/s"}, Spelling{"kFLOP/s", "KFLOP/s"},
    Spelling{"\u00b5s", "us"}, Spelling{"\u03bcs", "us"}, Spelling{"\u00b5J", "uJ"},
    Spelling{"\u03bcJ", "uJ"}, Spelling{"millis", "ms"}, Spelling{"micros", "us"},
    Spelling{"nanos", "ns"},
    // In Latin-1 and in code pages 437 and 850.
    Spelling{"\xb5s", "us"}, Spelling{"\xb5J", "uJ"}, Spelling{"\xe6s", "us"}};

// What a program does once or many times, in small letters and without the plural's s.
constexpr std::array<std::string_view, 44> kOperations = {
    "op",    "operation",  "iter",       "iteration", "it",    "call",   "run",   "launch",
    "rep",   "repeat",     "repetition", "sample",    "loop",  "step",   "batch", "item",
    "elem",  "element",    "request",    "req",       "query", "lookup", "frame", "token",
    "tok",   "image",      "row",        "point",     "pass",  "epoch",  "block", "message",
    "msg",   "packet",     "event",      "task",      "job",   "kernel", "eval",  "evaluation",
    "round", "invocation", "access",     "layer"};

const Unit* named(std::string_view name) {
  const auto* found = std::ranges::find(kUnits, name, &Unit::name);
  if (found != kUnits.end()) return found;
  const auto* rate = std::ranges::find(kByteRates, name, &Unit::name);
  return rate == kByteRates.end() ? nullptr : rate;
}

const Unit* find_long_word(std::string_view word) {
  constexpr std::size_t kShortest = 2;
  if (word.size() < kShortest) return nullptr;
  const std::string small = base::in_small_letters(word);
  for (const Spelling& known : kLongWords) {
    if (small == known.word || small == std::string(known.word) + "s") return named(known.unit);
  }
  return nullptr;
}

bool is_operation(std::string_view word) {
  std::string small = base::in_small_letters(word);
  const auto is_known = [&] { return std::ranges::find(kOperations, small) != kOperations.end(); };
  if (!is_known() && small.ends_with('s')) small.pop_back();
  return is_known();
}

// "us/op" is us, "MB/sec" MB/s.
const Unit* find_quotient(std::string_view over, std::string_view under) {
  if (over.find('/') != std::string_view::npos) return nullptr;
  if (const Unit* below = find_unit(under); below != nullptr && below->name == "s") {
    const Unit* bytes = find_unit(over);
    const bool is_word = bytes != nullptr && bytes->dimension == Dimension::kBytes;
    if (is_word) return named(std::string(bytes->name) + "/s");
    return under == "s" ? nullptr : find_unit(std::string(over) + "/s");
  }
  if (!is_operation(under)) return nullptr;
  const Unit* unit = find_unit(over);
  const bool adds_up = unit != nullptr && (unit->dimension == Dimension::kTime ||
                                           unit->dimension == Dimension::kBytes ||
                                           unit->dimension == Dimension::kEnergy);
  return adds_up ? unit : nullptr;
}

}  // namespace

const Unit* find_unit(std::string_view word) {
  if (const Unit* unit = named(word)) return unit;
  for (const Spelling& known : kShortWords) {
    if (known.word == word) return named(known.unit);
  }
  if (const std::size_t slash = word.rfind('/'); slash != std::string_view::npos) {
    return find_quotient(word.substr(0, slash), word.substr(slash + 1));
  }
  return find_long_word(word);
}

bool is_of_one_operation(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return slash != std::string_view::npos && is_operation(word.substr(slash + 1)) &&
         find_unit(word) != nullptr;
}

const Unit* find_unit_in_any_case(std::string_view word) {
  if (const Unit* unit = find_unit(word)) return unit;
  const std::string letters = base::in_small_letters(word);
  const auto is_it = [&](std::string_view known) {
    return base::in_small_letters(known) == letters;
  };
  const auto* unit = std::ranges::find_if(kUnits, is_it, &Unit::name);
  if (unit != kUnits.end()) return unit;
  const auto* rate = std::ranges::find_if(kByteRates, is_it, &Unit::name);
  if (rate != kByteRates.end()) return rate;
  const auto* spelled = std::ranges::find_if(kShortWords, is_it, &Spelling::word);
  return spelled == kShortWords.end() ? nullptr : named(spelled->unit);
}

std::optional<double> conversion(std::string_view from, std::string_view to) {
  const Unit* a = find_unit(from);
  const Unit* b = find_unit(to);
  if (a == nullptr || b == nullptr || a->dimension != b->dimension) return std::nullopt;
  return a->multiple * b->parts / (a->parts * b->multiple);
}

}  // namespace nightshift::search
