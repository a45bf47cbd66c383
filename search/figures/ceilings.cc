#include "search/figures/ceilings.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace nightshift::search {
namespace {

constexpr std::string_view kOf = " % of ", kCopy = "a copy", kBetween = ", ";
constexpr std::string_view kBytes = " GB/s)", kFlops = " TFLOPS)";
constexpr double kGiga = 1e9, kTera = 1e12;

template <class... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 120> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

bool takes(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool takes_number(std::string_view& text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !(number > 0)) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// "97.3 % of WHAT (4053 GB/s)".
bool takes_share(std::string_view& text, Ceilings& ceilings) {
  double percent = 0, reached = 0;
  if (!takes_number(text, percent) || !takes(text, kOf)) return false;
  const std::size_t bracket = text.find(" (");
  if (bracket == std::string_view::npos) return false;
  const std::string what(text.substr(0, bracket));
  text.remove_prefix(bracket + 2);
  if (!takes_number(text, reached)) return false;
  const bool is_copy = what == kCopy;
  if (!takes(text, is_copy ? kBytes : kFlops)) return false;
  reached *= is_copy ? kGiga : kTera;
  (is_copy ? ceilings.bytes : ceilings.flops) = {reached, reached / (percent / 100)};
  if (!is_copy) ceilings.numbers = what;
  return true;
}

}  // namespace

std::string text_of(const Ceilings& ceilings) {
  std::string text;
  const auto [moved, most_moved] = ceilings.bytes;
  if (ceilings.bytes.is_known()) {
    text = formatted("%.1f %% of a copy (%.4g GB/s)", 100 * moved / most_moved, moved / kGiga);
  }
  const auto [computed, most_computed] = ceilings.flops;
  if (ceilings.flops.is_known()) {
    text += (text.empty() ? "" : std::string(kBetween)) +
            formatted("%.1f %% of %s (%.3g TFLOPS)", 100 * computed / most_computed,
                      ceilings.numbers.c_str(), computed / kTera);
  }
  return text;
}

std::optional<Ceilings> ceilings_in(std::string_view text) {
  Ceilings ceilings;
  if (!takes_share(text, ceilings)) return std::nullopt;
  if (takes(text, kBetween) && !takes_share(text, ceilings)) return std::nullopt;
  return text.empty() ? std::optional(std::move(ceilings)) : std::nullopt;
}

}  // namespace nightshift::search
