#include "problems/readers/keys/setting_kinds.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace nightshift::problems {

std::string toml_of(bool value) { return value ? "true" : "false"; }

std::string toml_of(std::int64_t value) { return std::to_string(value); }

// 5e-5 and not 5e-05.
std::string toml_of(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string text(digits.data(), end);
  const std::size_t exponent = text.find("e-0");
  if (exponent != std::string::npos) text.erase(exponent + 2, 1);
  return text;
}

std::string toml_of(std::string_view value) { return "\"" + std::string(value) + "\""; }

std::string toml_of(const std::vector<std::string>& value) {
  std::string list;
  for (const std::string& text : value) list += (list.empty() ? "" : ", ") + toml_of(text);
  return "[" + list + "]";
}

std::string toml_of_bytes(std::uint64_t value) {
  constexpr std::uint64_t kMebibyte = 1 << 20;
  if (value == 0 || value % kMebibyte != 0) return std::to_string(value);
  return toml_of(std::to_string(value / kMebibyte) + "MiB");
}

bool read(TableReader& table, std::string_view key, const Choice& kind, std::string& value) {
  std::string word;
  if (!table.string(key, word)) return false;
  if (std::ranges::find(kind.words, word) == kind.words.end()) {
    table.error(key, "must be " + alternatives(kind.words) + ", not " + in_quotes(word) +
                         suggestion(word, kind.words));
    return false;
  }
  value = word;
  return true;
}

}  // namespace nightshift::problems
